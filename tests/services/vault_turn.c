#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>
#include <unistd.h>

#include "docker/client.h"
#include "server/base/path.h"
#include "server/services/agent.h"
#include "server/services/secret_store.h"
#include "server/services/seal.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"
#include "server/services/vault_plan.h"
#include "server/services/write.h"

#define ENVIRONMENT                                                                                                    \
        "{\"secrets\": [{\"name\": \"SHARED\"}, {\"name\": \"BOTH\"}, {\"name\": \"CERT\", \"as\": \"file\","          \
        " \"path\": \"tls/cert.pem\"}, {\"name\": \"NOT_FOR_TASKS\"}, {\"name\": \"NOT_SET\"}],"                       \
        " \"environment\": {\"PLAIN\": \"1\"}}"

static int open_with_secrets(void **state)
{
        world_open(state);
        world_environment(*state, "main", ENVIRONMENT);
        return 0;
}

static void set(struct world *world, const struct actor *actor, struct secret_set_input input)
{
        struct call call = world_call(world, actor);
        auto_json *result = NULL;
        auto_error error = {0};

        input.as = input.as ? input.as : "variable";
        if (!secret_set(&call, &input, &result, &error))
                fail_msg("%s", error.message);
}
/* A secret that tasks may have, and one that they may not. */
#define SET(actor, ...) set(world, actor, (struct secret_set_input){.tasks = true, __VA_ARGS__})
#define SET_ASIDE(actor, ...) set(world, actor, (struct secret_set_input){__VA_ARGS__})

static void take_out(struct world *world, const struct actor *actor, const char *name, const char *environment)
{
        struct call call = world_call(world, actor);
        auto_json *result = NULL;
        auto_error error = {0};

        if (!secret_remove(&call, &(struct secret_remove_input){.name = name, .environment = environment}, &result,
                           &error))
                fail_msg("%s", error.message);
}

static struct turn_secrets give(struct world *world, const char *task_id)
{
        auto_store_task task = world_stored(world, task_id);
        auto_store_turn turn = world_turn(world, task_id);
        auto_environment *environment = environment_find_rid(world->services.environments, task.environment);
        struct turn_secrets secrets = {0};
        auto_error error = {0};

        if (!vault_for_turn(&world->services, world->db, &task, &turn, environment, &secrets, &error))
                fail_msg("%s", error.message);
        return secrets;
}

static const char *variable(const struct turn_secrets *secrets, const char *name)
{
        for (size_t i = 0; i < secrets->count; i++)
                if (!strcmp(secrets->variables[i].name, name))
                        return secrets->variables[i].value;
        return NULL;
}

static void a_task_gets_what_its_environment_declares_and_its_owner_has(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");

        SET(world->admin, .name = "SHARED", .value = "shared-value", .environment = "main");
        SET(world->admin, .name = "BOTH", .value = "environments-own", .environment = "main");
        SET(world->admin, .name = "CERT", .value = "certificate\n", .environment = "main");
        SET(world->admin, .name = "UNDECLARED", .value = "undeclared", .environment = "main");
        SET_ASIDE(world->admin, .name = "NOT_FOR_TASKS", .value = "kept-back", .environment = "main");
        SET(world->admin, .name = "SHARED", .value = "of-another-place", .environment = "other");
        SET(world->dev, .name = "BOTH", .value = "persons-own", .as = "file");
        SET(world->dev, .name = "PERSONAL", .value = "personal-value");
        SET_ASIDE(world->dev, .name = "MINE_ALONE", .value = "mine-alone");
        SET(world->viewer, .name = "SHARED", .value = "of-somebody-else");
        auto_turn_secrets secrets = give(world, id);
        assert_int_equal(secrets.count, 4);
        assert_string_equal(variable(&secrets, "SHARED"), "shared-value");
        assert_string_equal(variable(&secrets, "BOTH"), CONTAINER_SECRETS "/BOTH");
        assert_string_equal(variable(&secrets, "PERSONAL"), "personal-value");
        assert_string_equal(variable(&secrets, "CERT"), CONTAINER_SECRETS "/tls/cert.pem");
        assert_int_equal(secrets.file_count, 2);
        for (size_t i = 0; i < 2; i++)
                assert_string_equal(secrets.files[i].content,
                                    strcmp(secrets.files[i].path, "BOTH") ? "certificate\n" : "persons-own");
}

static void secret_files_are_the_agents_to_read_and_go_with_the_turn(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *folder = task_path_secrets(world->root, id),
                       *file = path_join(folder, "tls/cert.pem");
        auto_error error = {0};
        struct stat info;

        SET(world->admin, .name = "CERT", .value = "certificate", .environment = "main");
        auto_turn_secrets secrets = give(world, id);
        assert_true(secret_files_put(&world->services, id, &secrets, &error));
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_mode & 07777, 0400);
        assert_int_equal(info.st_uid, settings_current()->agent_uid);
        world_end(world, id, "done\n", RUNNER_EXITED, 0);
        assert_int_equal(stat(file, &info), -1);
        assert_int_equal(stat(folder, &info), 0);
        assert_int_equal(info.st_uid, 0);
}

/* The turn is ended, as a stop does it, while its container is being made. */
static void a_launch_that_was_stopped_leaves_no_secret_behind(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *folder = task_path_secrets(world->root, id),
                       *file = path_join(folder, "tls/cert.pem");
        auto_store_turn turn = world_turn(world, id);
        const struct store_job job = {.kind = "launch", .task = turn.task, .turn = turn.rid};
        auto_error error = {0};

        SET(world->admin, .name = "CERT", .value = "certificate", .environment = "main");
        world->services.docker = docker_new("unix:///nowhere", &error);
        assert_non_null(world->services.docker);
        world_sql(world, "CREATE TRIGGER stopped AFTER INSERT ON resources WHEN NEW.kind = 'container' BEGIN "
                         "UPDATE turns SET state = 'ended', ended_at = 1, stop_kind = 'stop'; END");
        assert_true(launch_run(&world->runtime, world->db, &job));
        docker_free(take(world->services.docker));
        assert_int_equal(world_number(world, "SELECT count(*) FROM resources WHERE kind = 'container'"), 1);
        assert_int_equal(access(file, F_OK), -1);
}

#define SECRET "t0p-secret-value"
#define LINES "-----BEGIN KEY-----\nMIIBsecondline\n\nlast \"line\" of it\n"

/* A task that prints `text` at every place there is. */
static char *leaky_task(struct world *world, const struct actor *actor, const char *text)
{
        auto_free char *name = text_format("on %.80s", text), *file = text_format("f-%s.txt", text),
                       *page = text_format("page %s end", text), *message = text_format("cannot use %s", text),
                       *output = text_format("said %s\n", text);
        auto_error error = {0};
        auto_json *made = must(world_create(
                world, actor, NEW_TASK(.environment = "main", .instructions = output, .name = name), &error));
        char *id = text_copy(member(made, "taskId"));
        struct runner_exit exit = {.reason = RUNNER_LAUNCH_FAILURE, .code = -1, .finished_at = world->now};

        auto_turn_secrets secrets = give(world, id);
        snprintf(exit.message, sizeof exit.message, "%s", message);
        world_record_file(world, id, "log.txt", output, strlen(output));
        world_output_file(world, id, "summary.md", page, strlen(page));
        world_output_file(world, id, "page.txt", page, strlen(page));
        if (!strchr(text, '\n'))
                world_output_file(world, id, file, page, strlen(page));
        world_end_exit(world, id, output, &exit);
        return id;
}

/* All that any service tells of the task, as one text. */
static char *all_of(struct world *world, const struct actor *actor, const char *id)
{
        auto_json *got = GET(actor, .taskId = id, .includeSummary = true, .includeOutput = true),
                  *output = OUTPUT(actor, id, NULL), *list = LIST(actor),
                  *page = READ(actor, .taskId = id, .path = "page.txt"),
                  *events = READ(actor, .taskId = id, .path = "debug-stream.jsonl"),
                  *log = READ(actor, .taskId = id, .path = "log.txt");
        auto_json *all = json_pack("[O, O, O, O, O, O]", got, output, list, page, events, log);
        auto_text pages = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (int64_t offset = 0; offset < 20; offset++) {
                auto_json *part = READ(actor, .taskId = id, .path = "page.txt", .offset = offset, .maxBytes = 7);
                text_append_string(&pages, member(part, "content"));
                text_append_string(&pages, "\n");
        }
        auto_free char *printed = document_print(all);
        return text_format("%s%s", printed, text_string(&pages));
}

static void a_secret_that_a_task_prints_comes_out_of_no_service(void **state)
{
        struct world *world = *state;

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        auto_free char *id = leaky_task(world, world->dev, SECRET), *all = all_of(world, world->viewer, id);
        assert_null(strstr(all, "t0p-"));
        assert_null(strstr(all, "ecret-v"));
        assert_null(strstr(all, "-value"));
        assert_non_null(strstr(all, "on [redacted]"));
        assert_non_null(strstr(all, "said [redacted]"));
        assert_non_null(strstr(all, "page [redacted] end"));
        assert_non_null(strstr(all, "cannot use [redacted]"));
        assert_non_null(strstr(all, "f-[redacted].txt"));
        assert_non_null(strstr(all, "page **************** end"));
}

/* Events are cut where their text gets too long: wherever that is, no part of a value is left that tells of it. */
static void a_value_that_two_events_share_is_left_out_of_both(void **state)
{
        struct world *world = *state;

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        for (size_t lead = 8192 - strlen(SECRET); lead <= 8192; lead++) {
                auto_free char *id = world_task(world, world->dev, "main", "x"),
                               *text = text_format("%0*d%s and more", (int)lead, 0, SECRET);
                auto_turn_secrets secrets = give(world, id);
                world_end(world, id, text, RUNNER_EXITED, 0);
                auto_json *page = READ(world->dev, .taskId = id, .path = "debug-stream.jsonl", .maxBytes = 100000),
                          *middle = READ(world->dev, .taskId = id, .path = "debug-stream.jsonl", .offset = 8000,
                                         .maxBytes = 600);
                for (size_t at = 0; at + 6 <= strlen(SECRET); at++) {
                        auto_free char *part = text_format("%.6s", &SECRET[at]);
                        assert_null(strstr(member(page, "content"), part));
                        assert_null(strstr(member(middle, "content"), part));
                }
                assert_non_null(strstr(member(page, "content"), " and more"));
        }
}

static void every_line_of_a_secret_file_is_left_out(void **state)
{
        struct world *world = *state;

        SET(world->admin, .name = "CERT", .value = LINES, .environment = "main");
        auto_free char *id = leaky_task(world, world->dev, "MIIBsecondline\nlast \"line\" of it\n"),
                       *all = all_of(world, world->viewer, id);
        assert_null(strstr(all, "second"));
        assert_null(strstr(all, "last"));
        assert_null(strstr(all, "of it"));
}

static void a_value_that_was_given_stays_left_out_after_it_was_replaced_or_removed(void **state)
{
        struct world *world = *state;

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        auto_free char *before = leaky_task(world, world->dev, SECRET);
        SET(world->admin, .name = "SHARED", .value = "the-new-value", .environment = "main");
        auto_free char *after = leaky_task(world, world->dev, SECRET " the-new-value"),
                       *rotated = all_of(world, world->viewer, before);
        assert_null(strstr(rotated, SECRET "\n"));
        assert_non_null(strstr(rotated, "said [redacted]"));
        take_out(world, world->admin, "SHARED", "main");
        auto_json *old = GET(world->viewer, .taskId = before), *new = GET(world->viewer, .taskId = after);
        assert_string_equal(member(json_object_get(old, "latestResponse"), "content"), "said [redacted]\n");
        /* It was given the new value alone: the old one is managed no longer, and was never its own. */
        assert_string_equal(member(json_object_get(new, "latestResponse"), "content"), "said " SECRET " [redacted]\n");
}

static void a_value_that_no_task_was_given_is_forgotten_with_its_secret(void **state)
{
        struct world *world = *state;

        SET(world->admin, .name = "UNDECLARED", .value = SECRET, .environment = "main");
        assert_int_equal(world_number(world, "SELECT count(*) FROM sealed_values"), 1);
        SET(world->admin, .name = "UNDECLARED", .value = "another-value", .environment = "main");
        assert_int_equal(world_number(world, "SELECT count(*) FROM sealed_values"), 1);
        take_out(world, world->admin, "UNDECLARED", "main");
        assert_int_equal(world_number(world, "SELECT count(*) FROM sealed_values"), 0);
}

static void a_personal_secret_counts_in_the_persons_own_tasks_alone(void **state)
{
        struct world *world = *state;

        world_bind(world, "outsider", "Developer", "main");
        actor_free(world->outsider);
        world->outsider = world_actor(world, "outsider");
        SET(world->dev, .name = "PERSONAL", .value = SECRET);
        auto_free char *own = leaky_task(world, world->dev, SECRET),
                       *others = leaky_task(world, world->outsider, SECRET);
        auto_json *mine = GET(world->viewer, .taskId = own), *theirs = GET(world->viewer, .taskId = others),
                  *list = LIST(world->viewer);
        json_t *tasks = json_object_get(list, "tasks");
        assert_string_equal(member(mine, "name"), "on [redacted]");
        assert_string_equal(member(theirs, "name"), "on " SECRET);
        assert_string_equal(member(json_array_get(tasks, 0), "name"), "on " SECRET);
        assert_string_equal(member(json_array_get(tasks, 1), "name"), "on [redacted]");
}

static bool copy_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        const int64_t *tasks = input;

        *result = json_true();
        return vault_copy_values(call->db, tasks[0], tasks[1], error);
}

static void what_one_task_was_given_counts_for_another_that_got_its_files(void **state)
{
        struct world *world = *state;
        struct call call = world_call(world, world->dev);
        auto_json *done = NULL;
        auto_error error = {0};

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        auto_free char *from = leaky_task(world, world->dev, SECRET);
        take_out(world, world->admin, "SHARED", "main");
        auto_free char *to = leaky_task(world, world->dev, SECRET);
        auto_store_task source = world_stored(world, from), target = world_stored(world, to);
        auto_json *before = GET(world->dev, .taskId = to);
        assert_true(call_write(&call, copy_work, (const int64_t[]){target.rid, source.rid}, &done, &error));
        auto_json *after = GET(world->dev, .taskId = to);
        assert_string_equal(member(before, "name"), "on " SECRET);
        assert_string_equal(member(after, "name"), "on [redacted]");
}

static void a_text_gets_the_declared_secrets_it_names(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x"), *expanded = NULL, *refused = NULL;
        auto_store_task task = world_stored(world, id);
        auto_environment *environment = environment_find_rid(world->services.environments, task.environment);
        static const char *const bad[] = {"${secret:NOT_SET}", "${secret:PERSONAL}", "${secret:CERT}", "${secret:}",
                                          "${secret:NOT_FOR_TASKS}"};
        auto_error error = {0};

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        SET(world->admin, .name = "CERT", .value = "certificate", .environment = "main");
        SET_ASIDE(world->admin, .name = "NOT_FOR_TASKS", .value = "kept-back", .environment = "main");
        SET(world->dev, .name = "PERSONAL", .value = "personal-value");
        assert_true(vault_expand(&world->services, world->db, &task, environment,
                                 "Bearer ${secret:SHARED}, ${secret:SHARED} $x ${secret:", &expanded, &error));
        assert_string_equal(expanded, "Bearer " SECRET ", " SECRET " $x ${secret:");
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_values"), 1);
        for (size_t i = 0; i < COUNT_OF(bad); i++) {
                assert_false(vault_expand(&world->services, world->db, &task, environment, bad[i], &refused, &error));
                assert_code(error, "invalid_input");
                error_clear(&error);
        }
}

static const char *const variables[] = {"SHARED", "OTHER_KEY", NULL};
static const struct agent agent = {.name = "sample", .accounts = variables};

struct account_input {
        const struct services *services;
        int64_t user;
        const char *variable;
        bool is_refused;
};

static bool account_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct account_input *input = context;
        struct store_account account = {
                .user = input->user, .agent = (char *)agent.name, .variable = (char *)input->variable};
        auto_store_account earlier = {0};
        bool is_found;

        *result = json_true();
        if (!store_account_find(call->db, input->user, agent.name, &earlier, &is_found, error))
                return false;
        account.rid = is_found ? earlier.rid : 0;
        return seal_add(call->services, call->db, "account/x/sample/x", "account-value", &account.value, error) &&
               store_account_put(call->db, &account, call->now, error) &&
               (!input->is_refused || (store_turn_account_put(call->db, 1, account.value, error) &&
                                       store_account_refuse(call->db, 1, "no credit", call->now, error)));
}

static void put_account(struct world *world, int64_t user, const char *variable_name, bool is_refused)
{
        struct call call = world_call(world, &actor_local);
        const struct account_input input = {&world->services, user, variable_name, is_refused};
        auto_json *result = NULL;
        auto_error error = {0};

        if (!seal_prepare(&world->services, world->db, &error) ||
            !call_write(&call, account_work, &input, &result, &error))
                fail_msg("%s", error.message);
}

/* Whose account the agent would be given: "none", "server", "own" or an error's code. */
static const char *account_for(struct world *world, int64_t owner)
{
        const struct environment *found = environment_find(world->services.environments, "main");
        auto_environment *environment = found;
        auto_store_account account = {0};
        auto_vault_plan plan = {0};
        auto_error error = {0};
        bool is_found;

        assert_true(vault_plan_make(world->db, environment, owner, &plan, &error));
        if (!vault_plan_account(world->db, environment, &plan, owner, &agent, &account, &is_found, &error))
                return error_kind(error.code)->code;
        return !is_found ? "none" : account.user ? "own" : "server";
}

static void an_agent_is_given_the_owners_account_or_the_environments_or_the_servers(void **state)
{
        struct world *world = *state;
        int64_t dev = world->dev->user, viewer = world->viewer->user;
        auto_free char *task = world_task(world, world->dev, "main", "x");

        assert_string_equal(account_for(world, dev), "agent_auth_invalid");
        put_account(world, 0, "OTHER_KEY", false);
        assert_string_equal(account_for(world, dev), "server");
        put_account(world, dev, "OTHER_KEY", false);
        assert_string_equal(account_for(world, dev), "own");
        assert_string_equal(account_for(world, viewer), "server");
        assert_string_equal(account_for(world, 0), "server");
        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        assert_string_equal(account_for(world, dev), "own");
        assert_string_equal(account_for(world, viewer), "none");
        put_account(world, dev, "OTHER_KEY", true);
        assert_string_equal(account_for(world, dev), "agent_auth_invalid");
        put_account(world, dev, "OTHER_KEY", false);
        assert_string_equal(account_for(world, dev), "own");
        put_account(world, 0, "OTHER_KEY", true);
        assert_string_equal(account_for(world, viewer), "none");
        take_out(world, world->admin, "SHARED", "main");
        assert_string_equal(account_for(world, viewer), "agent_auth_invalid");
}

static void an_exchanged_value_is_not_given(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_store_task task = world_stored(world, id);
        auto_store_turn turn = world_turn(world, id);
        auto_environment *environment = environment_find_rid(world->services.environments, task.environment);
        auto_turn_secrets secrets = {0};
        auto_error error = {0};

        SET(world->admin, .name = "SHARED", .value = SECRET, .environment = "main");
        SET(world->admin, .name = "UNDECLARED", .value = "undeclared", .environment = "main");
        world_sql(world, "UPDATE secrets SET value = (SELECT value FROM secrets WHERE name = 'UNDECLARED')");
        assert_false(vault_for_turn(&world->services, world->db, &task, &turn, environment, &secrets, &error));
        assert_code(error, "unavailable");
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_values"), 0);
}

static void a_declaration_that_is_wrong_breaks_its_environment(void **state)
{
        static const char *const wrong[] = {
                "{\"secrets\": [{\"name\": \"lower\"}]}",
                "{\"secrets\": [{\"name\": \"A\"}, {\"name\": \"A\"}]}",
                "{\"secrets\": [{\"name\": \"A\", \"value\": \"x\"}]}",
                "{\"secrets\": [{\"name\": \"A\", \"as\": \"argument\"}]}",
                "{\"secrets\": [{\"name\": \"A\", \"as\": \"file\", \"path\": \"../x\"}]}",
                "{\"secrets\": [{\"name\": \"A\", \"as\": \"file\", \"path\": \"/etc/x\"}]}",
        };
        struct world *world = *state;

        for (size_t i = 0; i < COUNT_OF(wrong); i++) {
                world_environment(world, "main", wrong[i]);
                auto_environment *environment = environment_find(world->services.environments, "main");
                assert_non_null(environment->broken_reason);
                assert_non_null(strstr(environment->broken_reason, "secrets["));
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_with_secrets, world_close)

int run_vault_turn_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_task_gets_what_its_environment_declares_and_its_owner_has),
                TEST(secret_files_are_the_agents_to_read_and_go_with_the_turn),
                TEST(a_launch_that_was_stopped_leaves_no_secret_behind),
                TEST(a_secret_that_a_task_prints_comes_out_of_no_service),
                TEST(a_value_that_two_events_share_is_left_out_of_both),
                TEST(every_line_of_a_secret_file_is_left_out),
                TEST(a_value_that_was_given_stays_left_out_after_it_was_replaced_or_removed),
                TEST(a_value_that_no_task_was_given_is_forgotten_with_its_secret),
                TEST(a_personal_secret_counts_in_the_persons_own_tasks_alone),
                TEST(what_one_task_was_given_counts_for_another_that_got_its_files),
                TEST(a_text_gets_the_declared_secrets_it_names),
                TEST(an_agent_is_given_the_owners_account_or_the_environments_or_the_servers),
                TEST(an_exchanged_value_is_not_given),
                TEST(a_declaration_that_is_wrong_breaks_its_environment),
        };

        return cmocka_run_group_tests_name("vault_turn", tests, NULL, NULL);
}
