/* Roles, scopes, and what a person sees of tasks. */
#include "server/base/document.h"
#include "server/services/permission.h"
#include "server/services/role.h"
#include "server/services/team.h"
#include "server/services/user.h"
#include "server/store/access.h"
#include "tests/services/identity_fixture.h"
#include "tests/services/suites.h"

enum scope { HERE, EVERYWHERE, SERVER, NOWHERE };

/* One permission of a role bound in one scope, asked for here and in another environment. */
static const struct {
        const char *role;
        enum scope scope;
        enum permission permission;
        bool here, elsewhere;
} matrix[] = {
        {NULL, NOWHERE, PERMISSION_TASKS_VIEW, false, false},
        {"Viewer", HERE, PERMISSION_TASKS_VIEW, true, false},
        {"Viewer", HERE, PERMISSION_TASKS_CREATE, false, false},
        {"Viewer", HERE, PERMISSION_SKILLS_VIEW, false, false},
        {"Viewer", EVERYWHERE, PERMISSION_TASKS_VIEW, true, true},
        {"Viewer", EVERYWHERE, PERMISSION_SKILLS_VIEW, false, false},
        {"Viewer", SERVER, PERMISSION_TASKS_VIEW, true, true},
        {"Viewer", SERVER, PERMISSION_SKILLS_VIEW, true, true},
        {"Viewer", SERVER, PERMISSION_SETTINGS_VIEW, false, false},
        {"Developer", HERE, PERMISSION_TASKS_CREATE, true, false},
        {"Developer", HERE, PERMISSION_TASKS_EXECUTE, true, false},
        {"Developer", HERE, PERMISSION_TASKS_VIEW_ANY, false, false},
        {"Developer", HERE, PERMISSION_ENVIRONMENTS_MANAGE, false, false},
        {"Developer", SERVER, PERMISSION_USERS_MANAGE, false, false},
        {"Environment Admin", HERE, PERMISSION_ENVIRONMENTS_MANAGE, true, false},
        {"Environment Admin", HERE, PERMISSION_TASKS_VIEW_ANY, true, false},
        {"Environment Admin", EVERYWHERE, PERMISSION_DEPLOYMENTS_MANAGE, true, true},
        {"Environment Admin", SERVER, PERMISSION_USERS_MANAGE, false, false},
        {"Team Admin", SERVER, PERMISSION_TEAMS_MANAGE, true, true},
        {"Team Admin", HERE, PERMISSION_TEAMS_MANAGE, false, false},
        {"Team Admin", HERE, PERMISSION_TASKS_CREATE, true, false},
        {"Server Admin", SERVER, PERMISSION_USERS_MANAGE, true, true},
        {"Server Admin", SERVER, PERMISSION_TASKS_APPROVE_ANY, true, true},
        {"Server Admin", HERE, PERMISSION_TASKS_APPROVE_ANY, true, false},
        {"Server Admin", HERE, PERMISSION_USERS_MANAGE, false, false},
};

static void each_role_allows_what_it_says_where_it_is_bound(void **state)
{
        struct identity *identity = *state;
        int64_t here = identity_environment(identity, "here"), elsewhere = identity_environment(identity, "elsewhere");

        for (size_t i = 0; i < COUNT_OF(matrix); i++) {
                char name[16];
                snprintf(name, sizeof name, "u%zu", i);
                bool is_bound_at_once = matrix[i].scope == HERE || matrix[i].scope == SERVER;
                identity_user(identity, name, is_bound_at_once ? matrix[i].role : NULL,
                              matrix[i].scope == HERE ? "here" : NULL);
                if (matrix[i].scope == EVERYWHERE)
                        identity_bind_everywhere(identity, name, matrix[i].role);
                struct actor actor = identity_actor(identity, name);
                if (access_allows(&actor, matrix[i].permission, here) != matrix[i].here ||
                    access_allows(&actor, matrix[i].permission, elsewhere) != matrix[i].elsewhere)
                        fail_msg("row %zu: %s, %s", i, matrix[i].role, permission_string(matrix[i].permission));
        }
}

static void any_binding_shows_the_environment(void **state)
{
        struct identity *identity = *state;
        int64_t here = identity_environment(identity, "here"), elsewhere = identity_environment(identity, "elsewhere");

        identity_user(identity, "ann", "Viewer", "here");
        struct actor ann = identity_actor(identity, "ann");
        assert_true(access_sees_environment(&ann, here));
        assert_false(access_sees_environment(&ann, elsewhere));
        identity_user(identity, "bob", NULL, NULL);
        struct actor bob = identity_actor(identity, "bob");
        assert_false(access_sees_environment(&bob, here));
}

static enum error_code view(struct identity *identity, const char *user, const char *task)
{
        struct actor actor = identity_actor(identity, user);
        auto_store_task found = {0};
        auto_error error = {0};

        return access_task_view(identity->db, &actor, task, &found, &error) ? ERROR_NONE : error.code;
}

static enum error_code execute(struct identity *identity, const char *user, const char *task)
{
        struct actor actor = identity_actor(identity, user);
        auto_store_task found = {0};
        auto_error error = {0};

        return access_task_require(identity->db, &actor, task, PERMISSION_TASKS_EXECUTE, PERMISSION_TASKS_EXECUTE_ANY,
                                   &found, &error)
                       ? ERROR_NONE
                       : error.code;
}

static void people_of_here(struct identity *identity)
{
        identity_environment(identity, "here");
        identity_environment(identity, "elsewhere");
        identity_user(identity, "owner", "Developer", "here");
        identity_user(identity, "viewer", "Viewer", "here");
        identity_user(identity, "peer", "Developer", "here");
        identity_user(identity, "boss", "Environment Admin", "here");
        identity_user(identity, "stranger", "Environment Admin", "elsewhere");
        identity_user(identity, "root", "Server Admin", NULL);
}

static void a_shared_task_is_seen_by_all_of_its_environment_and_by_nobody_else(void **state)
{
        struct identity *identity = *state;

        people_of_here(identity);
        auto_free char *task = identity_task(identity, "owner", "here", true);
        assert_int_equal(view(identity, "owner", task), ERROR_NONE);
        assert_int_equal(view(identity, "viewer", task), ERROR_NONE);
        assert_int_equal(view(identity, "root", task), ERROR_NONE);
        assert_int_equal(view(identity, "stranger", task), ERROR_TASK_NOT_FOUND);
        assert_int_equal(execute(identity, "peer", task), ERROR_NONE);
        assert_int_equal(execute(identity, "viewer", task), ERROR_PERMISSION_DENIED);
        assert_int_equal(execute(identity, "stranger", task), ERROR_TASK_NOT_FOUND);
}

static void a_private_task_is_hidden_from_those_without_the_any_permission(void **state)
{
        struct identity *identity = *state;

        people_of_here(identity);
        auto_free char *task = identity_task(identity, "owner", "here", false);
        assert_int_equal(view(identity, "owner", task), ERROR_NONE);
        assert_int_equal(execute(identity, "owner", task), ERROR_NONE);
        assert_int_equal(view(identity, "peer", task), ERROR_TASK_NOT_FOUND);
        assert_int_equal(execute(identity, "peer", task), ERROR_TASK_NOT_FOUND);
        assert_int_equal(view(identity, "boss", task), ERROR_NONE);
        assert_int_equal(execute(identity, "boss", task), ERROR_NONE);
        assert_int_equal(view(identity, "root", task), ERROR_NONE);
}

static void an_owner_without_the_permission_does_not_see_the_own_task(void **state)
{
        struct identity *identity = *state;

        people_of_here(identity);
        auto_free char *shared = identity_task(identity, "stranger", "here", true);
        auto_free char *private = identity_task(identity, "stranger", "here", false);
        assert_int_equal(view(identity, "stranger", shared), ERROR_TASK_NOT_FOUND);
        assert_int_equal(view(identity, "stranger", private), ERROR_TASK_NOT_FOUND);
}

static void an_absent_task_looks_like_a_hidden_one(void **state)
{
        struct identity *identity = *state;
        struct actor actor;
        auto_store_task found = {0};
        auto_error hidden = {0}, absent = {0}, odd = {0};

        people_of_here(identity);
        auto_free char *task = identity_task(identity, "owner", "here", false);
        actor = identity_actor(identity, "peer");
        assert_false(access_task_view(identity->db, &actor, task, &found, &hidden));
        assert_false(access_task_view(identity->db, &actor, "1717000000000-abcdefghi", &found, &absent));
        assert_false(access_task_view(identity->db, &actor, "../../etc", &found, &odd));
        assert_string_equal(hidden.message, absent.message);
        assert_string_equal(hidden.message, odd.message);
}

static void a_task_of_nobody_is_owned_by_nobody(void **state)
{
        struct identity *identity = *state;

        people_of_here(identity);
        auto_free char *task = identity_task(identity, NULL, "here", false);
        assert_int_equal(view(identity, "peer", task), ERROR_TASK_NOT_FOUND);
        assert_int_equal(view(identity, "boss", task), ERROR_NONE);
        auto_store_task found = {0};
        auto_error error = {0};
        assert_true(access_task_view(identity->db, &actor_local, task, &found, &error));
}

static void a_team_lends_its_roles_until_it_is_left(void **state)
{
        struct identity *identity = *state;
        struct call call = identity_call(identity, &actor_local);
        int64_t here = identity_environment(identity, "here");
        struct team_member_input member = {.team = "red", .user = "ann"};
        auto_error error = {0};
        auto_json *team = NULL, *bound = NULL, *joined = NULL, *left = NULL;

        identity_user(identity, "ann", NULL, NULL);
        assert_true(team_add(&call, &(struct team_input){"red"}, &team, &error));
        assert_true(role_bind(&call, &(struct role_bind_input){.team = "red", .role = "Viewer", .environment = "here"},
                              &bound, &error));
        assert_true(team_add_member(&call, &member, &joined, &error));
        struct actor ann = identity_actor(identity, "ann");
        assert_true(access_allows(&ann, PERMISSION_TASKS_VIEW, here));
        assert_true(access_is_current(identity->db, &ann));
        assert_true(team_remove_member(&call, &member, &left, &error));
        assert_false(access_is_current(identity->db, &ann));
        ann = identity_actor(identity, "ann");
        assert_false(access_allows(&ann, PERMISSION_TASKS_VIEW, here));
}

static bool put_user_manager(struct store_db *db, void *context, struct error *error)
{
        const char *permissions[] = {"users:manage", "teams:manage"};

        (void)context;
        return store_role_put(db, "Manager", false, permissions, COUNT_OF(permissions), error);
}

static void who_manages_users_does_not_become_a_server_administrator_by_it(void **state)
{
        struct identity *identity = *state;
        auto_error bound = {0}, password = {0}, joined = {0}, left = {0}, removed = {0}, added = {0}, setup = {0};
        auto_json *result = NULL, *team = NULL, *binding = NULL, *manager_role = NULL, *chief = NULL;
        struct call local = identity_call(identity, &actor_local);

        identity_user(identity, "root", "Server Admin", NULL);
        assert_true(store_write(identity->services.store, put_user_manager, NULL, &setup));
        identity_user(identity, "manager", NULL, NULL);
        assert_true(role_bind(&local, &(struct role_bind_input){.user = "manager", .role = "Manager"}, &manager_role,
                              &setup));
        assert_true(team_add(&local, &(struct team_input){"admins"}, &team, &setup));
        assert_true(role_bind(&local, &(struct role_bind_input){.team = "admins", .role = "Server Admin"}, &binding,
                              &setup));
        struct actor manager = identity_actor(identity, "manager");
        struct call call = identity_call(identity, &manager);
        assert_false(role_bind(&call, &(struct role_bind_input){.user = "manager", .role = "Server Admin"}, &result,
                               &bound));
        assert_int_equal(bound.code, ERROR_PERMISSION_DENIED);
        assert_false(user_disable(&call, &(struct user_name_input){"root"}, &result, &password));
        assert_int_equal(password.code, ERROR_PERMISSION_DENIED);
        assert_false(team_add_member(&call, &(struct team_member_input){"admins", "manager"}, &result, &joined));
        assert_int_equal(joined.code, ERROR_PERMISSION_DENIED);
        identity_user(identity, "chief", NULL, NULL);
        assert_true(team_add_member(&local, &(struct team_member_input){"admins", "chief"}, &chief, &setup));
        assert_false(team_remove_member(&call, &(struct team_member_input){"admins", "chief"}, &result, &left));
        assert_int_equal(left.code, ERROR_PERMISSION_DENIED);
        assert_false(user_remove(&call, &(struct user_name_input){"chief"}, &result, &removed));
        assert_int_equal(removed.code, ERROR_PERMISSION_DENIED);
        assert_false(user_add(&call, &(struct user_add_input){.name = "eve", .role = "Server Admin"}, &result, &added));
        assert_int_equal(added.code, ERROR_PERMISSION_DENIED);
        assert_null(result);
}

int run_access_tests(void)
{
#define WITH_IDENTITY(test) cmocka_unit_test_setup_teardown(test, identity_open, identity_close)
        const struct CMUnitTest tests[] = {
                WITH_IDENTITY(each_role_allows_what_it_says_where_it_is_bound),
                WITH_IDENTITY(any_binding_shows_the_environment),
                WITH_IDENTITY(a_shared_task_is_seen_by_all_of_its_environment_and_by_nobody_else),
                WITH_IDENTITY(a_private_task_is_hidden_from_those_without_the_any_permission),
                WITH_IDENTITY(an_owner_without_the_permission_does_not_see_the_own_task),
                WITH_IDENTITY(an_absent_task_looks_like_a_hidden_one),
                WITH_IDENTITY(a_task_of_nobody_is_owned_by_nobody),
                WITH_IDENTITY(a_team_lends_its_roles_until_it_is_left),
                WITH_IDENTITY(who_manages_users_does_not_become_a_server_administrator_by_it),
        };

        return cmocka_run_group_tests_name("access", tests, NULL, NULL);
}
