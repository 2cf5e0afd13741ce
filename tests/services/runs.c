/* Named tests and application servers without an engine: who may do what, what is told, and the end of a log. */
#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/app_access.h"
#include "server/services/app_server.h"
#include "server/services/log_tail.h"
#include "server/services/named_test.h"
#include "server/services/task_run.h"

#define SECRET "hunter2hunter2"
#define MARKER "[... earlier output omitted ...]\n"

static int open_world(void **state)
{
        world_open(state);
        world_credentials(*state,
                          "https://bot:" SECRET "@git.example\nhttps://bot:first-line%0Asecond-line@x.example\n");
        world_environment(
                *state, "main",
                "{\"network\": \"none\", \"tests\": [{\"name\": \"unit\", \"command\": \"make " SECRET "\","
                "\"parameters\": [{\"name\": \"ONLY\", \"label\": \"Which\", \"default\": \"all\"},"
                "{\"name\": \"LEVEL\", \"type\": \"select\", \"options\": [\"low\", \"high\"], \"required\": "
                "true}]}, {\"name\": \"lint\", \"command\": \"lint\"}, {\"name\": \"slow\", \"command\": \"x\"}],"
                "\"appServer\": {\"command\": \"serve\", \"port\": 8080}}");
        world_environment(*state, "closed",
                          "{\"shareTasks\": false, \"tests\": [{\"name\": \"unit\", \"command\": \"x\"}]}");
        return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, world_close)

static void tail_of(struct world *world, const char *bytes, size_t length, int before, size_t maximum,
                    struct log_tail *tail)
{
        auto_redactor redactor = {0};
        auto_error error = {0};

        assert_true(redactor_init(&redactor, &world->services, world->db, &error));
        log_tail_make(bytes, length, before, &redactor, maximum, tail);
}

/* before: the byte in front of what was read, -1 for none. */
static void a_log_begins_with_a_whole_line_and_says_what_is_left_out(void **state)
{
        static const struct {
                const char *bytes;
                int before;
                size_t maximum;
                const char *text;
                bool is_omitted, is_truncated, is_redacted;
        } rows[] = {
                {"one\ntwo\n", -1, 1000, "one\ntwo\n", false, false, false},
                {"one\ntwo\n", '\n', 1000, MARKER "one\ntwo\n", true, false, false},
                {"ne\ntwo\n", 'o', 1000, MARKER "two\n", true, false, false},
                {"no end", 'o', 1000, MARKER, true, false, false},
                {"", -1, 1000, "", false, false, false},
                {"a " SECRET " b", -1, 1000, "a [redacted] b", false, false, true},
                {"x\na " SECRET " b", 'x', 1000, MARKER "a [redacted] b", true, false, true},
                /* The end of a value that began before what was read, over a line's end. */
                {"irst-line\nsecond-line rest\n", 'f', 1000, MARKER "[redacted] rest\n", true, false, true},
                {"second-line rest\n", '\n', 1000, MARKER "[redacted] rest\n", true, false, true},
                {"\xff\xfe ok\n", -1, 1000, "\xef\xbf\xbd\xef\xbf\xbd ok\n", false, false, false},
                {"0123456789012345678901234567890123456789", -1, 39, MARKER "456789", false, true, false},
                {"0123456789012345678901234567890123456789", -1, 40, "0123456789012345678901234567890123456789", false,
                 false, false},
                {"0123456789012345678901234567890123456789\nend\n", -1, 43, MARKER "end\n", false, true, false},
                {"0123456789012345678901234567890123456789\n", -1, 39, MARKER "56789\n", false, true, false},
                {SECRET "\n"
                        "0123456789012345678901234567890123456789",
                 -1, 39, MARKER "456789", false, true, false},
        };

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_log_tail tail = {0};
                tail_of(*state, rows[i].bytes, strlen(rows[i].bytes), rows[i].before, rows[i].maximum, &tail);
                if (strcmp(text_string(&tail.text), rows[i].text) != 0 || tail.is_omitted != rows[i].is_omitted ||
                    tail.is_truncated != rows[i].is_truncated || tail.is_redacted != rows[i].is_redacted)
                        fail_msg("row %zu: %d %d %d <%s>", i, tail.is_omitted, tail.is_truncated, tail.is_redacted,
                                 text_string(&tail.text));
                assert_true(utf8_count(text_string(&tail.text), tail.text.length) <= rows[i].maximum);
        }
}

static void read_file(struct world *world, const char *bytes, size_t length, struct log_tail *tail)
{
        auto_free char *path = path_join(world->root, "a.log");
        auto_redactor redactor = {0};
        auto_error error = {0};

        assert_true(path_write(path, bytes, length, 0600, &error));
        assert_true(redactor_init(&redactor, &world->services, world->db, &error));
        assert_true(log_tail_read(path, &redactor, 100000, tail, &error));
}

static void a_zero_byte_ends_no_log(void **state)
{
        static const char bytes[] = "a\0b " SECRET "\n", shown[] = "a\0b [redacted]\n";
        auto_log_tail tail = {0};

        tail_of(*state, bytes, sizeof bytes - 1, -1, 1000, &tail);
        assert_int_equal(tail.text.length, sizeof shown - 1);
        assert_memory_equal(tail.text.data, shown, sizeof shown - 1);
        assert_true(tail.is_redacted);
}

static void the_last_64_kib_are_read_and_the_byte_before_them_looked_at(void **state)
{
        auto_free char *bytes = memory_new(LOG_TAIL_BYTES + 2);
        auto_log_tail whole = {0}, aligned = {0}, cut = {0};

        memset(bytes, 'x', LOG_TAIL_BYTES + 1);
        bytes[0] = '\n';
        bytes[100] = '\n';
        read_file(*state, bytes, LOG_TAIL_BYTES, &whole);
        assert_false(whole.is_omitted);
        assert_int_equal(whole.text.length, LOG_TAIL_BYTES);
        read_file(*state, bytes, LOG_TAIL_BYTES + 1, &aligned);
        assert_true(aligned.is_omitted);
        assert_int_equal(aligned.text.length, LOG_TAIL_BYTES + strlen(MARKER));
        bytes[0] = 'x';
        read_file(*state, bytes, LOG_TAIL_BYTES + 1, &cut);
        assert_true(cut.is_omitted);
        assert_int_equal(cut.text.length, LOG_TAIL_BYTES - 100 + strlen(MARKER));
}

typedef bool service(struct world *world, const struct actor *actor, const char *task, json_t **result,
                     struct error *error);

static bool list(struct world *world, const struct actor *actor, const char *task, json_t **result, struct error *error)
{
        struct call call = world_call(world, actor);
        return test_list(&call, &(struct test_list_input){task, 0, 25}, result, error);
}

static bool read_run(struct world *world, const struct actor *actor, const char *task, json_t **result,
                     struct error *error)
{
        struct call call = world_call(world, actor);
        return test_result(&call, &(struct test_result_input){task, "unit", 1000}, result, error);
}

static bool run_missing(struct world *world, const struct actor *actor, const char *task, json_t **result,
                        struct error *error)
{
        struct call call = world_call(world, actor);
        return test_run(&call, &(struct test_run_input){task, "none", NULL}, result, error);
}

static bool app_status(struct world *world, const struct actor *actor, const char *task, json_t **result,
                       struct error *error)
{
        struct call call = world_call(world, actor);
        return app_server_status(&call, &(struct app_server_input){task}, result, error);
}

static bool app_logs(struct world *world, const struct actor *actor, const char *task, json_t **result,
                     struct error *error)
{
        struct call call = world_call(world, actor);
        return app_server_logs(&call, &(struct app_server_log_input){task, 1000}, result, error);
}

static bool app_stop(struct world *world, const struct actor *actor, const char *task, json_t **result,
                     struct error *error)
{
        struct call call = world_call(world, actor);
        return app_server_stop(&call, &(struct app_server_change_input){task, "running"}, result, error);
}

static bool app_start(struct world *world, const struct actor *actor, const char *task, json_t **result,
                      struct error *error)
{
        struct call call = world_call(world, actor);
        return app_server_start(&call, &(struct app_server_change_input){task, "running"}, result, error);
}

static bool app_restart(struct world *world, const struct actor *actor, const char *task, json_t **result,
                        struct error *error)
{
        struct call call = world_call(world, actor);
        return app_server_restart(&call, &(struct app_server_change_input){task, "running"}, result, error);
}

static bool app_enter(struct world *world, const struct actor *actor, const char *task, json_t **result,
                      struct error *error)
{
        struct call call = world_call(world, actor);
        return app_access_grant(&call, &(struct app_access_input){task}, result, error);
}

#define UNTOLD "task_not_found"
#define DENIED "permission_denied"

/* What each gets for a task of dev's: the owner, an administrator, a viewer and a member of another team, and the same
 * for one of dev's that is private, and for one with content that is withheld from the asker. "" is an answer; what
 * gets past the permission is refused for the state or the name that the call asks for. */
static const struct {
        const char *name;
        service *run;
        const char *owner, *admin, *viewer, *outsider, *private_viewer, *withheld;
} matrix[] = {
        {"list_task_tests", list, "", "", "", UNTOLD, UNTOLD, "content_withheld"},
        {"get_task_test_run", read_run, "", "", "", UNTOLD, UNTOLD, "content_withheld"},
        {"run_task_test", run_missing, "test_not_found", "test_not_found", DENIED, UNTOLD, UNTOLD, "content_withheld"},
        {"get_task_app_server_status", app_status, "", "", UNTOLD, UNTOLD, UNTOLD, "content_withheld"},
        {"get_task_app_server_logs", app_logs, "", "", UNTOLD, UNTOLD, UNTOLD, "content_withheld"},
        {"start_task_app_server", app_start, "app_server_state_changed", "app_server_state_changed", DENIED, UNTOLD,
         UNTOLD, "content_withheld"},
        {"stop_task_app_server", app_stop, "app_server_state_changed", "app_server_state_changed", DENIED, UNTOLD,
         UNTOLD, "content_withheld"},
        {"restart_task_app_server", app_restart, "app_server_state_changed", "app_server_state_changed", DENIED, UNTOLD,
         UNTOLD, "content_withheld"},
        {"app-server/access", app_enter, "unavailable", "unavailable", DENIED, UNTOLD, UNTOLD, "content_withheld"},
};

static void expect_answer(struct world *world, size_t row, const char *who, const struct actor *actor, const char *task,
                          const char *wanted)
{
        auto_json *result = NULL;
        auto_error error = {0};
        bool is_good = matrix[row].run(world, actor, task, &result, &error);
        const char *code = is_good ? "" : error_kind(error.code)->code;

        if (strcmp(code, wanted) != 0)
                fail_msg("%s by %s: %s (%s), not %s", matrix[row].name, who, code, error.message, wanted);
}

static void each_tool_is_for_whom_it_says(void **state)
{
        struct world *world = *state;
        auto_free char *shared = world_task(world, world->dev, "main", "x"),
                       *private = world_task(world, world->dev, "main", "x"),
                       *copied = world_task(world, world->dev, "main", "x"),
                       *hidden = world_task(world, world->admin, "other", "x");
        auto_json *unshared = world_change(world, world->dev, WORLD_UNSHARE, private, NULL, &(struct error){0});
        auto_json *kept = world_change(world, world->admin, WORLD_UNSHARE, hidden, NULL, &(struct error){0});

        assert_non_null(unshared);
        assert_non_null(kept);
        auto_free char *sql =
                text_format("INSERT INTO task_sources (task, source) SELECT rid, '%s' FROM tasks WHERE id = '%s'; "
                            "UPDATE tasks SET has_sources = 1 WHERE id = '%s'",
                            hidden, copied, copied);
        world_sql(world, sql);
        for (size_t i = 0; i < COUNT_OF(matrix); i++) {
                expect_answer(world, i, "the owner", world->dev, shared, matrix[i].owner);
                expect_answer(world, i, "an administrator", world->admin, shared, matrix[i].admin);
                expect_answer(world, i, "a viewer", world->viewer, shared, matrix[i].viewer);
                expect_answer(world, i, "an outsider", world->outsider, shared, matrix[i].outsider);
                expect_answer(world, i, "the owner of a private task", world->dev, private, matrix[i].owner);
                expect_answer(world, i, "an administrator", world->admin, private, matrix[i].admin);
                expect_answer(world, i, "a viewer of a private task", world->viewer, private, matrix[i].private_viewer);
                expect_answer(world, i, "whom a source is hidden from", world->dev, copied, matrix[i].withheld);
                expect_answer(world, i, "anybody", world->dev, "1-missing", UNTOLD);
        }
}

static void tests_are_listed_in_pages_without_defaults(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");
        struct call call = world_call(world, world->dev);
        auto_json *first = NULL, *second = NULL;
        auto_error error = {0};

        assert_true(test_list(&call, &(struct test_list_input){task, 0, 2}, &first, &error));
        assert_true(test_list(&call, &(struct test_list_input){task, 2, 2}, &second, &error));
        json_t *tests = json_object_get(first, "tests"), *unit = json_array_get(tests, 0);
        assert_int_equal(json_array_size(tests), 2);
        assert_string_equal(member(first, "status"), "available");
        assert_int_equal(document_get_integer(first, "nextOffset", 0), 2);
        assert_true(json_is_null(json_object_get(second, "nextOffset")));
        assert_string_equal(member(unit, "command"), "make [redacted]");
        assert_true(json_is_true(json_object_get(unit, "redacted")));
        assert_true(json_is_false(json_object_get(json_array_get(tests, 1), "redacted")));
        json_t *parameter = json_array_get(json_object_get(unit, "parameters"), 0);
        assert_string_equal(member(parameter, "label"), "Which");
        assert_null(json_object_get(parameter, "default"));
        assert_string_equal(member(json_array_get(json_object_get(second, "tests"), 0), "name"), "slow");
        auto_free char *none = world_task(world, world->admin, "other", "x");
        auto_json *empty = NULL;
        call = world_call(world, world->admin);
        assert_true(test_list(&call, &(struct test_list_input){none, 0, 25}, &empty, &error));
        assert_string_equal(member(empty, "status"), "empty");
        auto_free char *folder = path_join(world->setup, "environments/other");
        auto_json *gone = NULL;
        assert_true(path_remove_tree(folder, &error) && environments_reload(world->services.environments, &error));
        assert_true(test_list(&call, &(struct test_list_input){none, 0, 25}, &gone, &error));
        assert_string_equal(member(gone, "status"), "unavailable");
        assert_string_equal(member(gone, "reason"), "environment_gone");
}

static void what_a_test_does_not_declare_or_needs_is_refused(void **state)
{
        static const struct {
                const char *parameters, *code;
        } rows[] = {
                {"{\"NONE\": \"1\", \"LEVEL\": \"low\"}", "unknown_parameter"},
                {"{\"ONLY\": \"1\"}", "missing_required_parameter"},
                {"{\"LEVEL\": \"middle\"}", "invalid_parameter"},
                {"{\"LEVEL\": \"low\"}", "task_busy"},
        };
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");

        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_error error = {0};
                auto_json *parameters = document_parse(rows[i].parameters, strlen(rows[i].parameters), &error);
                auto_json *result = NULL;
                struct call call = world_call(world, world->dev);
                assert_false(test_run(&call, &(struct test_run_input){task, "unit", parameters}, &result, &error));
                assert_code(error, rows[i].code);
        }
}

/* A run of the task as if it had ended so long ago. */
static void put_run(struct world *world, const char *task, int number, const char *reason, int code, int64_t days)
{
        int64_t at = clock_now() - days * 86400000;
        auto_free char *sql = text_format(
                "INSERT INTO task_runs (id, task, kind, name, state, requested_at, started_at, ended_at, reason, "
                "exit_code) "
                "SELECT 'test-%d', rid, 'test', 'unit', 'ended', %lld, %lld, %lld, '%s', %d FROM tasks WHERE id = '%s'",
                number, (long long)at, (long long)at, (long long)at, reason, code, task);
        auto_free char *path = text_format("runs/test-%d.log", number), *output = text_format("run %d\n", number);

        world_sql(world, sql);
        world_record_file(world, task, path, output, strlen(output));
}

static void the_latest_run_is_told_and_an_unknown_outcome_is_no_failure(void **state)
{
        static const struct {
                const char *reason;
                int code;
                const char *status;
                int success; /* -1: null */
        } rows[] = {
                {"exited", 0, "completed", 1},  {"exited", 3, "failed", 0},        {"time_limit", 0, "failed", 0},
                {"lost", 0, "interrupted", -1}, {"stopped", 0, "interrupted", -1}, {"out_of_memory", 137, "failed", 0},
        };
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");
        auto_json *never = NULL;
        auto_error error = {0};

        assert_true(read_run(world, world->dev, task, &never, &error));
        assert_string_equal(member(never, "status"), "unavailable");
        assert_string_equal(member(never, "reason"), "run_not_retained");
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                auto_free char *output = text_format("run %zu\n", i);
                auto_json *result = NULL;
                put_run(world, task, (int)i, rows[i].reason, rows[i].code, 1);
                assert_true(read_run(world, world->dev, task, &result, &error));
                assert_string_equal(member(result, "status"), rows[i].status);
                assert_string_equal(member(result, "output"), output);
                json_t *success = json_object_get(result, "success");
                assert_int_equal(json_is_null(success) ? -1 : json_is_true(success), rows[i].success);
        }
}

static bool has_output(struct world *world, const char *task, int number)
{
        auto_free char *path = text_format("%s/records/%s/runs/test-%d.log", world->root, task, number);

        return access(path, F_OK) == 0;
}

static void runs_are_kept_for_thirty_days_and_a_hundred_of_a_task(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "x");
        auto_store_task_run latest = {0};
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};
        bool is_found;

        put_run(world, task, 0, "exited", 0, 31);
        put_run(world, task, 1, "exited", 0, 29);
        task_run_expire(&world->services, world->db, clock_now());
        assert_false(has_output(world, task, 0));
        assert_true(has_output(world, task, 1));
        for (int i = 2; i <= 102; i++)
                put_run(world, task, i, "exited", 0, 1);
        assert_true(store_task_run_latest(world->db, stored.rid, TASK_RUN_TEST, "unit", &latest, &is_found, &error));
        task_run_keep_newest(&world->services, world->db, &latest);
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_runs"), 100);
        assert_false(has_output(world, task, 2));
        assert_true(has_output(world, task, 3));
        /* Nobody reads it as a file of the task. */
        auto_json *none =
                world_read(world, world->dev, (struct task_file_input){task, "runs/test-50.log", 0, 1000}, &error);
        assert_null(none);
        assert_code(error, "file_not_found");
}

int run_run_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_log_begins_with_a_whole_line_and_says_what_is_left_out),
                TEST(a_zero_byte_ends_no_log),
                TEST(the_last_64_kib_are_read_and_the_byte_before_them_looked_at),
                TEST(each_tool_is_for_whom_it_says),
                TEST(tests_are_listed_in_pages_without_defaults),
                TEST(what_a_test_does_not_declare_or_needs_is_refused),
                TEST(the_latest_run_is_told_and_an_unknown_outcome_is_no_failure),
                TEST(runs_are_kept_for_thirty_days_and_a_hundred_of_a_task),
        };

        return cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
