#include "server/store/access.h"
#include "server/store/audit.h"
#include "server/store/environment.h"
#include "server/store/key.h"
#include "server/store/query.h"
#include "server/store/team.h"
#include "server/store/user.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

static bool add_bob(struct store_db *db, void *context, struct error *error)
{
        char id[ID_SIZE];

        return store_user_add(db, "bob", NULL, 5, id, context, error);
}

static bool add_upper_bob(struct store_db *db, void *context, struct error *error)
{
        char id[ID_SIZE];

        return store_user_add(db, "BOB", NULL, 5, id, context, error);
}

static void names_that_differ_only_in_case_are_the_same(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        int64_t rid;
        auto_store_user user = {0};

        fixture_write(fixture, add_bob, &rid);
        assert_false(store_write(fixture->store, add_upper_bob, &rid, &error));
        assert_int_equal(error.code, ERROR_CONFLICT);
        assert_string_equal(error.message, "there is a user bob already");
        assert_true(store_user_find(fixture->db, "Bob", &user, &error));
        assert_int_equal(user.rid, rid);
}

struct grants_seen {
        char text[200];
};

static void note_grant(const struct store_grant *grant, void *context)
{
        struct grants_seen *seen = context;
        size_t length = strlen(seen->text);

        snprintf(seen->text + length, sizeof seen->text - length, "%s:%s ", grant->scope,
                 grant->permission ? grant->permission : "-");
}

static bool bind_team_and_user(struct store_db *db, void *context, struct error *error)
{
        const char *views[] = {"tasks:view"};
        int64_t *user = context, role, empty;
        char id[ID_SIZE], again[ID_SIZE];
        auto_store_team team = {0};

        if (!store_role_put(db, "Looker", false, views, 1, error) ||
            !store_role_put(db, "Empty", false, NULL, 0, error))
                return false;
        if (!store_role_find(db, "looker", &role, error) || !store_role_find(db, "Empty", &empty, error))
                return false;
        if (!store_team_add(db, "red", 1, id, error) || !store_team_find(db, "red", &team, error) ||
            !store_team_add_member(db, team.rid, *user, error) || !store_team_add_member(db, team.rid, *user, error))
                return false;
        struct store_binding_new of_team = {.team = team.rid, .scope = "environments", .role = role};
        struct store_binding_new of_user = {.user = *user, .scope = "server", .role = empty};
        if (!store_binding_add(db, &of_team, 1, id, error) || !store_binding_add(db, &of_team, 1, again, error))
                return false;
        assert_string_equal(id, again);
        return store_binding_add(db, &of_user, 1, id, error);
}

static void grants_come_from_the_person_and_the_teams(void **state)
{
        struct fixture *fixture = *state;
        struct grants_seen seen = {0};
        auto_error error = {0};
        int64_t rid;

        fixture_write(fixture, add_bob, &rid);
        fixture_write(fixture, bind_team_and_user, &rid);
        assert_true(store_grant_list(fixture->db, rid, note_grant, &seen, &error));
        assert_non_null(strstr(seen.text, "environments:tasks:view "));
        assert_non_null(strstr(seen.text, "server:- "));
}

struct role_put {
        const char *const *permissions;
        size_t count;
};

static bool put_role(struct store_db *db, void *context, struct error *error)
{
        const struct role_put *put = context;

        return store_role_put(db, "Looker", false, put->permissions, put->count, error);
}

static int64_t permissions_of_roles(struct store_db *db)
{
        auto_query query = {.connection = db->connection};
        auto_error error = {0};
        bool is_row;

        assert_int_equal(
                sqlite3_prepare_v2(db->connection, "SELECT count(*) FROM role_permissions", -1, &query.statement, NULL),
                SQLITE_OK);
        assert_true(query_next(&query, &is_row, &error));
        int64_t count = query_column_integer(&query, 0);
        sqlite3_finalize(take(query.statement));
        return count;
}

static void a_role_that_is_put_as_it_is_writes_nothing_to_the_disk(void **state)
{
        struct fixture *fixture = *state;
        const char *both[] = {"tasks:view", "tasks:create"}, *other[] = {"tasks:change"};
        struct role_put first = {both, 2}, second = {other, 1};

        fixture_write(fixture, put_role, &first);
        int64_t before = store_counters(fixture->store).log_bytes;
        fixture_write(fixture, put_role, &first);
        assert_int_equal(store_counters(fixture->store).log_bytes, before);
        fixture_write(fixture, put_role, &second);
        assert_true(store_counters(fixture->store).log_bytes > before);
        assert_int_equal(permissions_of_roles(fixture->db), 1);
}

static bool find_no_role(struct store_db *db, void *context, struct error *error)
{
        return store_role_put(db, "Looker", false, NULL, 0, error) && store_role_find(db, "Boss", context, error);
}

static void an_unknown_role_is_refused_with_those_there_are(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        int64_t rid;

        assert_false(store_write(fixture->store, find_no_role, &rid, &error));
        assert_string_equal(error.message, "there is no role Boss; the roles are: Looker");
}

static bool add_audit(struct store_db *db, void *context, struct error *error)
{
        struct store_audit entry = {.at = 7, .user = 0, .user_name = "x", .credential = "local", .action = context};

        return store_audit_add(db, &entry, error);
}

static bool sql(struct store_db *db, void *context, struct error *error)
{
        return sqlite3_exec(db->connection, context, NULL, NULL, NULL) == SQLITE_OK ||
               query_failure(db->connection, error);
}

static void audit_entries_are_never_changed_or_deleted(void **state)
{
        struct fixture *fixture = *state;
        auto_error changed = {0}, deleted = {0};

        fixture_write(fixture, add_audit, (char[]){"a"});
        assert_false(store_write(fixture->store, sql, (char[]){"UPDATE audit SET action = 'b'"}, &changed));
        assert_non_null(strstr(changed.message, "never changed"));
        assert_false(store_write(fixture->store, sql, (char[]){"DELETE FROM audit"}, &deleted));
        assert_non_null(strstr(deleted.message, "never deleted"));
}

static void note_action(const struct store_audit *entry, void *context)
{
        strcat(context, entry->action);
}

static void the_audit_is_listed_newest_first(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        char actions[10] = "";

        fixture_write(fixture, add_audit, (char[]){"a"});
        fixture_write(fixture, add_audit, (char[]){"b"});
        fixture_write(fixture, add_audit, (char[]){"c"});
        assert_true(store_audit_list(fixture->db, INT64_MAX, 2, note_action, actions, &error));
        assert_string_equal(actions, "cb");
}

struct touched {
        int64_t key, now;
};

static bool touch(struct store_db *db, void *context, struct error *error)
{
        const struct touched *touched = context;

        return store_key_touch(db, touched->key, touched->now, 60000, error);
}

static bool add_key(struct store_db *db, void *context, struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE] = {1};
        struct store_key_new key = {
                .hash = hash, .user = *(int64_t *)context, .name = "n", .hint = "h", .created_at = 1};
        char id[ID_SIZE];

        return store_key_add(db, &key, id, error);
}

static int64_t last_use(struct fixture *fixture)
{
        uint8_t hash[SECRET_HASH_SIZE] = {1};
        auto_store_key key = {0};
        auto_error error = {0};
        bool is_found;

        assert_true(store_key_find(fixture->db, hash, &key, &is_found, &error));
        assert_true(is_found);
        assert_string_equal(key.user_name, "bob");
        return key.last_used_at;
}

static void the_last_use_is_noted_once_a_minute(void **state)
{
        struct fixture *fixture = *state;
        int64_t rid;

        fixture_write(fixture, add_bob, &rid);
        fixture_write(fixture, add_key, &rid);
        assert_int_equal(last_use(fixture), 0);
        fixture_write(fixture, touch, &(struct touched){1, 1000000});
        fixture_write(fixture, touch, &(struct touched){1, 1059999});
        assert_int_equal(last_use(fixture), 1000000);
        fixture_write(fixture, touch, &(struct touched){1, 1060000});
        assert_int_equal(last_use(fixture), 1060000);
}

static bool remove_and_make_again(struct store_db *db, void *context, struct error *error)
{
        int64_t *rids = context;
        auto_store_environment first = {0}, second = {0};

        if (!store_environment_ensure(db, "demo", 1, &first, error) ||
            !store_environment_remove(db, first.rid, 2, error) ||
            !store_environment_ensure(db, "demo", 3, &second, error))
                return false;
        rids[0] = first.rid;
        rids[1] = second.rid;
        return true;
}

static void a_reused_environment_name_is_another_environment(void **state)
{
        struct fixture *fixture = *state;
        int64_t rids[2];

        fixture_write(fixture, remove_and_make_again, rids);
        assert_int_not_equal(rids[0], rids[1]);
}

int run_identity_tests(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_STORE(names_that_differ_only_in_case_are_the_same),
                WITH_STORE(grants_come_from_the_person_and_the_teams),
                WITH_STORE(a_role_that_is_put_as_it_is_writes_nothing_to_the_disk),
                WITH_STORE(an_unknown_role_is_refused_with_those_there_are),
                WITH_STORE(audit_entries_are_never_changed_or_deleted),
                WITH_STORE(the_audit_is_listed_newest_first),
                WITH_STORE(the_last_use_is_noted_once_a_minute),
                WITH_STORE(a_reused_environment_name_is_another_environment),
        };

        return cmocka_run_group_tests_name("identity in the store", tests, NULL, NULL);
}
