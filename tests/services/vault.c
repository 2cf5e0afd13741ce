#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>

#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/account.h"
#include "server/services/audit.h"
#include "server/services/secret_store.h"
#include "server/services/user.h"
#include "server/services/vault.h"

#define VALUE "v4lue-of-the-secret"

static json_t *set(struct world *world, const struct actor *actor, struct secret_set_input input, struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        input.as = input.as ? input.as : "variable";
        return secret_set(&call, &input, &result, error) ? result : NULL;
}
#define SET(actor, ...) must(set(world, actor, (struct secret_set_input){__VA_ARGS__}, &(struct error){0}))

static json_t *list(struct world *world, const struct actor *actor, const char *environment, const char *user,
                    struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        return secret_list(&call, &(struct secret_list_input){environment, user}, &result, error) ? result : NULL;
}

static json_t *take_out(struct world *world, const struct actor *actor, struct secret_remove_input input,
                        struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        return secret_remove(&call, &input, &result, error) ? result : NULL;
}

static void secrets_are_listed_by_what_they_are_never_by_their_value(void **state)
{
        struct world *world = *state;
        auto_json *one = SET(world->admin, .name = "TOKEN", .value = VALUE, .environment = "main"),
                  *two = SET(world->dev, .name = "CERT", .value = VALUE "2", .as = "file", .path = "a/b"),
                  *three = SET(world->dev, .name = "PIN", .value = "1234");
        auto_json *shared = must(list(world, world->admin, "main", NULL, &(struct error){0})),
                  *own = must(list(world, world->dev, NULL, NULL, &(struct error){0})),
                  *all = must(list(world, &actor_local, NULL, NULL, &(struct error){0}));
        auto_free char *printed = document_print(all);

        assert_string_equal(member(one, "environment"), "main");
        assert_true(json_is_true(json_object_get(one, "redacted")));
        assert_string_equal(member(two, "path"), "a/b");
        assert_true(json_is_false(json_object_get(three, "redacted")));
        assert_int_equal(json_array_size(json_object_get(shared, "secrets")), 1);
        json_t *secrets = json_object_get(own, "secrets");
        assert_int_equal(json_array_size(secrets), 2);
        assert_string_equal(member(json_array_get(secrets, 0), "name"), "CERT");
        assert_string_equal(member(json_array_get(secrets, 0), "as"), "file");
        assert_true(json_is_false(json_object_get(json_array_get(secrets, 1), "tasks")));
        assert_int_equal(json_array_size(json_object_get(all, "secrets")), 3);
        assert_null(strstr(printed, VALUE));
        assert_null(strstr(printed, "1234"));
}

static void an_environments_secrets_are_for_who_manages_it_and_personal_ones_for_the_person(void **state)
{
        struct world *world = *state;
        const struct secret_set_input shared = {.name = "A", .value = VALUE, .environment = "main"},
                                      others = {.name = "A", .value = VALUE, .user = "viewer"},
                                      both = {.name = "A", .value = VALUE, .environment = "main", .user = "dev"};
        struct actor task_actor = *world->dev;
        struct error errors[9] = {0};
        static const char *const codes[] = {"permission_denied", "environment_not_found", "permission_denied",
                                            "invalid_input",     "permission_denied",     "environment_not_found",
                                            "permission_denied", "secret_not_found",      "permission_denied"};

        task_actor.credential = CREDENTIAL_TASK;
        assert_null(set(world, world->dev, shared, &errors[0]));
        assert_null(set(world, world->outsider, shared, &errors[1]));
        assert_null(set(world, world->admin, others, &errors[2]));
        assert_null(set(world, world->dev, both, &errors[3]));
        assert_null(list(world, world->dev, "main", NULL, &errors[4]));
        assert_null(list(world, world->outsider, "main", NULL, &errors[5]));
        assert_null(list(world, world->admin, NULL, "dev", &errors[6]));
        assert_null(take_out(world, world->dev, (struct secret_remove_input){.name = "A"}, &errors[7]));
        assert_null(set(world, &task_actor, (struct secret_set_input){.name = "A", .value = VALUE}, &errors[8]));
        for (size_t i = 0; i < COUNT_OF(errors); i++) {
                assert_code(errors[i], codes[i]);
                error_clear(&errors[i]);
        }
        auto_json *own = SET(world->viewer, .name = "A", .value = VALUE, .user = "viewer"),
                  *local = SET(&actor_local, .name = "A", .value = VALUE, .user = "dev");
        assert_string_equal(member(own, "user"), "viewer");
        assert_string_equal(member(local, "user"), "dev");
}

static void every_change_is_in_the_audit_without_the_value(void **state)
{
        struct world *world = *state;
        struct call call = world_call(world, world->admin);
        auto_json *set_one = SET(world->admin, .name = "TOKEN", .value = VALUE, .environment = "main"),
                  *again = SET(world->admin, .name = "TOKEN", .value = VALUE "x", .environment = "main"),
                  *removed = must(take_out(world, world->admin,
                                           (struct secret_remove_input){.name = "TOKEN", .environment = "main"},
                                           &(struct error){0})),
                  *audit = NULL;
        auto_error error = {0};

        assert_true(audit_list(&call, &(struct audit_list_input){.limit = 3}, &audit, &error));
        auto_free char *printed = document_print(audit);
        json_t *entries = json_object_get(audit, "entries");
        assert_string_equal(member(json_array_get(entries, 0), "action"), "secret.remove");
        assert_string_equal(member(json_array_get(entries, 1), "action"), "secret.set");
        assert_string_equal(member(json_array_get(entries, 2), "action"), "secret.set");
        assert_string_equal(member(json_object_get(json_array_get(entries, 2), "details"), "environment"), "main");
        assert_null(strstr(printed, VALUE));
        assert_non_null(again);
        assert_non_null(removed);
        assert_non_null(set_one);
}

static void a_removed_person_is_out_for_good_and_stays_the_author(void **state)
{
        static const char *const own[] = {"sessions",   "oauth_grants", "device_codes",   "api_keys",
                                          "bindings",   "team_members", "secrets",        "provider_accounts",
                                          "identities", "pins",         "authenticators", "recovery_codes"};
        struct world *world = *state;
        struct call by_admin = world_call(world, world->admin), by_dev = world_call(world, world->dev);
        auto_free char *task = world_task(world, world->dev, "main", "true");
        auto_json *mine = SET(world->dev, .name = "TOKEN", .value = VALUE), *removed = NULL, *unknown = NULL;
        auto_error oneself = {0}, denied = {0}, error = {0};
        int64_t dev = world->dev->user;

        world_team(world, "team", "dev", "viewer");
        world_sql(world,
                  "INSERT INTO provider_accounts (user, agent, variable, value, created_at, updated_at) SELECT user, "
                  "'codex', 'K', value, 1, 1 FROM secrets; INSERT INTO account_limits SELECT 'account:' || rid, 1, "
                  "1, 1 FROM provider_accounts; INSERT INTO pins SELECT created_by, rid, 1, NULL, 1 FROM tasks");
        assert_false(user_remove(&by_admin, &(struct user_name_input){"admin"}, &removed, &oneself));
        assert_code(oneself, "conflict");
        /* Whoever may not manage users does not learn who there is. */
        assert_false(user_disable(&by_dev, &(struct user_name_input){"nobody"}, &unknown, &denied));
        assert_code(denied, "permission_denied");
        assert_true(user_remove(&by_admin, &(struct user_name_input){"dev"}, &removed, &error));
        for (size_t i = 0; i < COUNT_OF(own); i++) {
                auto_free char *count = text_format("SELECT count(*) FROM %s WHERE user = %d", own[i], (int)dev);
                assert_int_equal(world_number(world, count), 0);
        }
        assert_int_equal(world_number(world, "SELECT count(*) FROM account_limits"), 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM sealed_values"), 0);
        auto_json *view = GET(world->admin, .taskId = task);
        const char *author = member(json_object_get(view, "createdBy"), "name");
        assert_int_equal(strncmp(author, "dev (removed user-", 18), 0);
        world_person(world, "dev");
        struct actor *another = world_actor(world, "dev");
        assert_true(another->user != dev);
        assert_null(list(world, another, "main", NULL, &error));
        actor_free(another);
        assert_non_null(mine);
}

static void what_cannot_be_a_secret_is_refused(void **state)
{
        struct world *world = *state;
        auto_text long_line = TEXT_WITH_MAXIMUM(20000), many_lines = TEXT_WITH_MAXIMUM(40000);
        auto_error path = {0}, empty = {0}, line = {0};

        while (long_line.length <= 8192)
                text_append_string(&long_line, "0123456789");
        while (many_lines.length < 30000)
                text_append_string(&many_lines, "0123456789\n");
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "A", .value = VALUE, .path = "x"}, &path));
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "A", .value = ""}, &empty));
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "A", .value = long_line.data}, &line));
        assert_code(path, "invalid_input");
        assert_code(empty, "invalid_input");
        assert_code(line, "invalid_input");
        auto_json *fine = SET(world->dev, .name = "A", .value = many_lines.data);
        static const char *const names[] = {"a", "1A", "_A", "A-B", "A b", ""};
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_json *document = json_pack("{s:s, s:s}", "name", names[i], "value", "x");
                auto_field_memory memory = {0};
                auto_error error = {0};
                struct secret_set_input input;
                assert_false(field_read(&secret_set_table, document, &memory, &input, &error));
        }
        assert_non_null(fine);
}

static void there_is_an_end_to_the_number_of_secrets(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        for (int i = 0; i < 200; i++) {
                auto_free char *name = text_format("NAME_%d", i);
                auto_json *done = SET(world->dev, .name = name, .value = VALUE);
                assert_non_null(done);
        }
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "MORE", .value = VALUE}, &error));
        assert_code(error, "conflict");
        auto_json *again = SET(world->dev, .name = "NAME_7", .value = VALUE "7"),
                  *others = SET(world->viewer, .name = "MORE", .value = VALUE);
        assert_non_null(again);
        assert_non_null(others);
}

/* Whether a file of the data folder holds the bytes. */
static bool holds(struct world *world, const char *name, const char *bytes)
{
        auto_free char *path = path_join(world->root, name);
        auto_text content = TEXT_WITH_MAXIMUM(64 * 1024 * 1024);
        auto_error error = {0};
        bool is_missing;

        return path_read(path, content.maximum, &content, &is_missing, &error) && content.length &&
               memmem(content.data, content.length, bytes, strlen(bytes));
}

static void the_store_holds_no_value_in_clear(void **state)
{
        struct world *world = *state;
        auto_json *set_one = SET(world->dev, .name = "TOKEN_NAME", .value = VALUE);

        assert_true(holds(world, "store.db-wal", "TOKEN_NAME"));
        assert_false(holds(world, "store.db-wal", VALUE));
        assert_false(holds(world, "store.db", VALUE));
        assert_non_null(set_one);
}

static char *key_path(struct world *world)
{
        return path_join(world->root, "key");
}

static void the_key_is_made_once_and_for_the_server_alone(void **state)
{
        struct world *world = *state;
        auto_free char *path = key_path(world);
        struct stat before, after;

        assert_int_equal(access(path, F_OK), -1);
        auto_json *one = SET(world->dev, .name = "A", .value = VALUE);
        assert_int_equal(stat(path, &before), 0);
        auto_json *two = SET(world->dev, .name = "A", .value = VALUE "2");
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(before.st_mode & 07777, 0600);
        assert_int_equal(before.st_size, SECRET_SEAL_KEY_SIZE);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_non_null(one);
        assert_non_null(two);
}

static void nothing_is_set_or_shown_without_the_right_key_until_the_old_values_are_given_up(void **state)
{
        struct world *world = *state;
        auto_free char *path = key_path(world), *id = world_task(world, world->dev, "main", "x");
        auto_json *one = SET(world->dev, .name = "A", .value = VALUE), *forgotten = NULL;
        struct error errors[4] = {0};
        auto_error error = {0};

        assert_int_equal(unlink(path), 0);
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "B", .value = VALUE}, &errors[0]));
        assert_non_null(strstr(errors[0].message, path));
        assert_null(world_get(world, world->dev, (struct task_get_input){.taskId = id}, &errors[1]));
        assert_true(path_write(path, "0123456789abcdef0123456789abcdef", 32, 0600, &error));
        assert_null(set(world, world->dev, (struct secret_set_input){.name = "B", .value = VALUE}, &errors[2]));
        assert_null(world_get(world, world->dev, (struct task_get_input){.taskId = id}, &errors[3]));
        for (size_t i = 0; i < COUNT_OF(errors); i++) {
                assert_code(errors[i], "unavailable");
                assert_string_equal(member(errors[i].details, "reason"), "secret_values_unavailable");
                error_clear(&errors[i]);
        }
        struct call call = world_call(world, world->dev);
        assert_false(secret_forget(&call, &forgotten, &errors[0]));
        assert_code(errors[0], "permission_denied");
        call = world_call(world, world->admin);
        assert_true(secret_forget(&call, &forgotten, &error));
        assert_int_equal(document_get_integer(forgotten, "forgotten", 0), 1);
        auto_json *again = SET(world->dev, .name = "B", .value = VALUE), *got = GET(world->dev, .taskId = id);
        assert_non_null(again);
        assert_non_null(got);
        assert_non_null(one);
}

static void a_changed_row_lets_nothing_out(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_json *one = SET(world->dev, .name = "A", .value = VALUE);
        auto_error error = {0};

        world_sql(world, "UPDATE sealed_values SET sealed = substr(sealed, 1, length(sealed) - 1) || x'00'");
        /* A change of ours makes the values be read again. */
        world_person(world, "another");
        world_bind(world, "another", "Viewer", "main");
        struct actor *another = world_actor(world, "another");
        assert_null(world_get(world, another, (struct task_get_input){.taskId = id}, &error));
        assert_code(error, "unavailable");
        actor_free(another);
        assert_non_null(one);
}

static void accounts_are_ones_own_and_the_servers_for_who_manages_settings(void **state)
{
        struct world *world = *state;
        struct call call = world_call(world, world->dev);
        const struct account_set_input server = {.agent = "shell", .variable = "KEY", .value = VALUE},
                                       own = {.agent = "shell", .variable = "KEY", .value = VALUE, .user = "dev"},
                                       others = {.agent = "shell", .variable = "KEY", .value = VALUE, .user = "viewer"};
        auto_json *result = NULL, *accounts = NULL;
        struct error errors[4] = {0};
        static const char *const codes[] = {"permission_denied", "permission_denied", "invalid_input",
                                            "account_not_found"};
        auto_error error = {0};

        assert_false(account_set(&call, &server, &result, &errors[0]));
        assert_false(account_set(&call, &others, &result, &errors[1]));
        assert_false(account_set(&call, &own, &result, &errors[2])); /* shell needs none */
        assert_false(account_remove(&call, &(struct account_remove_input){.agent = "shell", .user = "dev"}, &result,
                                    &errors[3]));
        for (size_t i = 0; i < COUNT_OF(errors); i++) {
                assert_code(errors[i], codes[i]);
                error_clear(&errors[i]);
        }
        assert_true(account_list(&call, &(struct account_list_input){0}, &accounts, &error));
        assert_int_equal(json_array_size(json_object_get(accounts, "accounts")), 0);
}

static void an_agent_without_an_account_is_refused_until_there_is_one(void **state)
{
        struct world *world = *state;
        struct call call = world_call(world, world->dev);
        const struct account_set_input own = {
                .agent = "claude", .variable = "ANTHROPIC_API_KEY", .value = VALUE, .user = "dev"};
        auto_environment *environment = environment_find(world->services.environments, "main");
        struct account_set_input wrong = own;
        auto_json *set_one = NULL, *listed = NULL;
        auto_error refused = {0}, unread = {0}, error = {0};

        assert_true(vault_check_agent(&call, environment, "shell", &error));
        assert_false(vault_check_agent(&call, environment, "claude", &refused));
        assert_code(refused, "agent_auth_invalid");
        wrong.variable = "OPENAI_API_KEY";
        assert_false(account_set(&call, &wrong, &set_one, &unread));
        assert_code(unread, "invalid_input");
        assert_true(account_set(&call, &own, &set_one, &error));
        assert_string_equal(member(set_one, "state"), "valid");
        assert_true(vault_check_agent(&call, environment, "claude", &error));
        assert_true(account_list(&call, &(struct account_list_input){0}, &listed, &error));
        auto_free char *printed = document_print(listed);
        assert_non_null(strstr(printed, "ANTHROPIC_API_KEY"));
        assert_null(strstr(printed, VALUE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_vault_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(secrets_are_listed_by_what_they_are_never_by_their_value),
                TEST(an_environments_secrets_are_for_who_manages_it_and_personal_ones_for_the_person),
                TEST(every_change_is_in_the_audit_without_the_value),
                TEST(a_removed_person_is_out_for_good_and_stays_the_author),
                TEST(what_cannot_be_a_secret_is_refused),
                TEST(there_is_an_end_to_the_number_of_secrets),
                TEST(the_store_holds_no_value_in_clear),
                TEST(the_key_is_made_once_and_for_the_server_alone),
                TEST(nothing_is_set_or_shown_without_the_right_key_until_the_old_values_are_given_up),
                TEST(a_changed_row_lets_nothing_out),
                TEST(an_agent_without_an_account_is_refused_until_there_is_one),
                TEST(accounts_are_ones_own_and_the_servers_for_who_manages_settings),
        };

        return cmocka_run_group_tests_name("vault", tests, NULL, NULL);
}
