#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <unistd.h>

#include "server/base/path.h"
#include "server/services/agent.h"
#include "server/services/conversation_files.h"
#include "server/services/rewind.h"
#include "server/services/task_paths.h"
#include "server/services/write.h"

static bool rewind_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_rewind(call, input, result, error);
}

static json_t *rewound(struct world *world, const struct actor *actor, const char *task, int64_t point,
                       struct error *error)
{
        struct call call = world_call(world, actor);
        struct rewind_input input = {task, point};
        json_t *result = NULL;

        return call_write(&call, rewind_work, &input, &result, error) ? result : NULL;
}

static json_t *points(struct world *world, const char *task, int64_t offset)
{
        struct call call = world_call(world, world->viewer);
        auto_error error = {0};
        json_t *result = NULL;

        assert_true(rewind_list(&call, &(struct rewind_list_input){task, offset, 2}, &result, &error));
        return result;
}

static void say(struct world *world, const char *task, const char *text)
{
        auto_free char *line = text_format("%s\n", text);
        auto_error error = {0};

        json_decref(must(world_follow_up(world, world->dev,
                                         (struct task_follow_up_input){.taskId = task, .instructions = text}, &error)));
        world_end(world, task, line, RUNNER_EXITED, 0);
}

static void what_was_rewound_away_is_on_a_discarded_branch(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero");
        auto_error error = {0};

        world_end(world, task, "zero\n", RUNNER_EXITED, 0);
        say(world, task, "one");
        say(world, task, "two");
        auto_json *first = points(world, task, 0), *rest = points(world, task, 2);
        assert_int_equal(document_get_integer(first, "nextOffset", 0), 2);
        json_t *last = json_array_get(json_object_get(rest, "points"), 0);
        assert_int_equal(document_get_integer(last, "pointId", 0), 2);
        assert_true(json_is_true(json_object_get(last, "isCurrent")));
        auto_json *result = must(rewound(world, world->dev, task, 0, &error));
        assert_int_equal(document_get_integer(result, "discardedTurns", 0), 2);
        auto_json *got = GET(world->dev, .taskId = task);
        json_t *reply = json_object_get(got, "latestResponse");
        assert_string_equal(member(reply, "content"), "zero\n");
        assert_int_equal(document_get_integer(reply, "followUpsSince", -1), 0);
        assert_int_equal(document_get_integer(got, "followUpCount", -1), 2);
        auto_json *output = OUTPUT(world->dev, task, "responses");
        assert_int_equal(json_array_size(json_object_get(json_object_get(output, "responses"), "entries")), 2);
        say(world, task, "three");
        auto_store_turn turn = world_turn(world, task);
        assert_int_equal(turn.ordinal, 4);
        assert_int_equal(turn.conversation_index, 2);
        auto_json *left = points(world, task, 0);
        assert_int_equal(document_get_integer(left, "total", 0), 2);
        assert_null(rewound(world, world->dev, task, 1, &error));
        assert_code(error, "rewind_point_not_found");
}

static void a_summary_of_a_discarded_turn_says_so(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero");
        auto_error error = {0};

        world_end(world, task, "zero\n", RUNNER_EXITED, 0);
        say(world, task, "one");
        world_output_file(world, task, "summary.md", "written in follow-up 1", 22);
        json_decref(must(rewound(world, world->dev, task, 0, &error)));
        auto_json *got = GET(world->dev, .taskId = task, .includeSummary = true);
        json_t *provenance = json_object_get(got, "summaryProvenance");
        assert_true(json_is_true(json_object_get(provenance, "onDiscardedBranch")));
        assert_true(json_is_true(json_object_get(provenance, "stale")));
        assert_true(json_is_null(json_object_get(provenance, "turnIndex")));
}

static void only_who_may_change_an_idle_task_rewinds_it(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero");
        auto_error busy = {0}, denied = {0};

        assert_null(rewound(world, world->dev, task, 0, &busy));
        assert_code(busy, "task_busy");
        world_end(world, task, "zero\n", RUNNER_EXITED, 0);
        assert_null(rewound(world, world->viewer, task, 0, &denied));
        assert_code(denied, "permission_denied");
}

static void write_record(const char *home, const char *name, const char *content)
{
        auto_free char *path = path_join(home, name), *folder = text_copy(path);
        auto_error error = {0};

        *strrchr(folder, '/') = '\0';
        assert_true(path_make_folder(folder, 0755, &error) && path_write(path, content, strlen(content), 0644, &error));
}

static void an_agents_own_record_is_cut_back_to_where_it_was(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero"), *home = task_path_home(world->root, task);
        const struct agent *agent = agent_find_known("claude");
        auto_error error = {0};

        write_record(home, ".claude/projects/-workspace/one.jsonl", "{\"a\":1}\n");
        auto_free char *measured = conversation_files_measure(&world->services, task, agent);
        assert_string_equal(measured, "{\"/-workspace/one.jsonl\":8}");
        write_record(home, ".claude/projects/-workspace/one.jsonl", "{\"a\":1}\n{\"b\":2}\n");
        write_record(home, ".claude/projects/-workspace/two.jsonl", "{\"c\":3}\n");
        write_record(home, ".claude/projects/-workspace/settings.json", "{}");
        auto_free char *link = path_join(home, ".claude/projects/link.jsonl"), *target = path_join(world->root, "kept");
        assert_int_equal(symlink(target, link), 0);
        assert_true(path_write(target, "kept", 4, 0644, &error));
        assert_true(conversation_files_restore(&world->services, task, agent, measured, &error));
        auto_free char *again = conversation_files_measure(&world->services, task, agent),
                       *other = path_join(home, ".claude/projects/-workspace/settings.json");
        assert_string_equal(again, measured);
        assert_int_equal(access(other, F_OK) | access(target, F_OK), 0);
        assert_null(conversation_files_measure(&world->services, task, agent_find_known("gemini")));
}

static void an_agent_that_cannot_be_made_to_forget_begins_anew_with_what_was_said(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero"), *transcript = NULL;
        auto_error error = {0};
        bool is_forgotten;

        world_end(world, task, "reply zero\n", RUNNER_EXITED, 0);
        say(world, task, "one");
        json_decref(must(rewound(world, world->dev, task, 0, &error)));
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "two"}, &error)));
        auto_store_task stored = world_stored(world, task);
        auto_store_turn turn = world_turn(world, task);
        assert_true(rewind_prepare(&world->services, world->db, &stored, &turn, agent_find_known("gemini"),
                                   &is_forgotten, &transcript, &error));
        assert_true(is_forgotten);
        assert_non_null(strstr(transcript, "reply zero"));
        assert_null(strstr(transcript, "one"));
        auto_free char *none = NULL;
        assert_true(rewind_prepare(&world->services, world->db, &stored, &turn, agent_find_known("shell"),
                                   &is_forgotten, &none, &error));
        assert_false(is_forgotten);
        assert_null(none);
}

/* A turn whose prompt came to no agent. */
static void fail_launch(struct world *world, const char *task, const char *text)
{
        auto_error error = {0};

        json_decref(must(world_follow_up(world, world->dev,
                                         (struct task_follow_up_input){.taskId = task, .instructions = text}, &error)));
        world_end(world, task, NULL, RUNNER_LAUNCH_FAILURE, -1);
}

static void what_no_agent_was_told_is_told_with_the_next_turn(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "build the house"), *transcript = NULL,
                       *none = NULL;
        auto_error error = {0};
        bool is_forgotten = false;

        auto_store_task stored = world_stored(world, task);
        auto_store_turn first = world_turn(world, task);
        assert_true(rewind_prepare(&world->services, world->db, &stored, &first, agent_find_known("claude"),
                                   &is_forgotten, &none, &error));
        assert_null(none);
        world_end(world, task, NULL, RUNNER_LAUNCH_FAILURE, -1);
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "again"}, &error)));
        auto_store_turn turn = world_turn(world, task);
        assert_true(rewind_prepare(&world->services, world->db, &stored, &turn, agent_find_known("claude"),
                                   &is_forgotten, &transcript, &error));
        assert_true(is_forgotten);
        assert_non_null(strstr(transcript, "build the house"));
}

static void begin(struct world *world)
{
        world_sql(world, "UPDATE turns SET started_at = 1 WHERE state = 'launching'");
}

static void a_rewind_holds_until_an_agent_was_told_the_next_turn(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero"), *home = task_path_home(world->root, task),
                       *transcript = NULL;
        const struct agent *agent = agent_find_known("claude");
        auto_error error = {0};
        bool is_forgotten;

        begin(world);
        world_end(world, task, "zero\n", RUNNER_EXITED, 0);
        write_record(home, ".claude/projects/-workspace/one.jsonl", "{\"a\":1}\n{\"b\":2}\n");
        world_sql(world, "UPDATE turns SET conversation_files = '{\"/-workspace/one.jsonl\":8}'");
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "one"}, &error)));
        begin(world);
        world_end(world, task, "one\n", RUNNER_EXITED, 0);
        json_decref(must(rewound(world, world->dev, task, 0, &error)));
        fail_launch(world, task, "two");
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "three"}, &error)));
        auto_store_task stored = world_stored(world, task);
        auto_store_turn turn = world_turn(world, task);
        assert_true(
                rewind_prepare(&world->services, world->db, &stored, &turn, agent, &is_forgotten, &transcript, &error));
        assert_false(is_forgotten);
        auto_free char *measured = conversation_files_measure(&world->services, task, agent);
        assert_string_equal(measured, "{\"/-workspace/one.jsonl\":8}");
        begin(world);
        world_end(world, task, "three\n", RUNNER_EXITED, 0);
        write_record(home, ".claude/projects/-workspace/one.jsonl", "{\"a\":1}\n{\"c\":3}\n");
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "four"}, &error)));
        auto_store_turn next = world_turn(world, task);
        assert_true(
                rewind_prepare(&world->services, world->db, &stored, &next, agent, &is_forgotten, &transcript, &error));
        assert_false(is_forgotten);
        auto_free char *grown = conversation_files_measure(&world->services, task, agent);
        assert_string_equal(grown, "{\"/-workspace/one.jsonl\":16}");
}

/* What Codex prints: it counts over the conversation, which is cut back with it. */
static void count(struct world *world, const char *task, int tokens)
{
        auto_free char *output = text_format("{\"type\":\"thread.started\",\"thread_id\":\"th\"}\n{\"type\":\"turn."
                                             "completed\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":0}}\n",
                                             tokens);

        world_sql(world, "UPDATE turns SET agent = 'codex', stream_format = 'codex-json'");
        world_end(world, task, output, RUNNER_EXITED, 0);
}

static void what_was_used_is_counted_once_across_a_rewind(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero");
        auto_error error = {0};

        count(world, task, 100);
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "one"}, &error)));
        count(world, task, 1100);
        json_decref(must(rewound(world, world->dev, task, 0, &error)));
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "two"}, &error)));
        count(world, task, 2400);
        assert_int_equal(world_number(world, "SELECT input_tokens FROM usage_ledger WHERE turn_ordinal = 3"), 2300);
        assert_int_equal(world_number(world, "SELECT input_tokens FROM tasks"), 3400);
}

static void a_turn_that_no_agent_was_told_has_not_started(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "zero");

        begin(world);
        world_end(world, task, NULL, RUNNER_LAUNCH_FAILURE, -1);
        assert_int_equal(world_number(world, "SELECT count(*) FROM turns WHERE started_at IS NOT NULL"), 0);
}

int run_rewind_tests(void)
{
        const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
                TEST(what_was_rewound_away_is_on_a_discarded_branch),
                TEST(a_summary_of_a_discarded_turn_says_so),
                TEST(only_who_may_change_an_idle_task_rewinds_it),
                TEST(an_agents_own_record_is_cut_back_to_where_it_was),
                TEST(an_agent_that_cannot_be_made_to_forget_begins_anew_with_what_was_said),
                TEST(what_no_agent_was_told_is_told_with_the_next_turn),
                TEST(a_rewind_holds_until_an_agent_was_told_the_next_turn),
                TEST(what_was_used_is_counted_once_across_a_rewind),
                TEST(a_turn_that_no_agent_was_told_has_not_started),
#undef TEST
        };

        return cmocka_run_group_tests_name("rewinds", tests, NULL, NULL);
}
