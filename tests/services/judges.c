/* Judges: who may have what judged, what a judge is given, and what is done with its verdict. */
#include "tests/services/judging.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/base/path.h"
#include "server/services/fork.h"
#include "server/services/group.h"
#include "server/services/judge_collect.h"
#include "server/services/pull.h"
#include "server/services/task_paths.h"
#include "tests/services/suites.h"

static const char *at(const json_t *run, const char *list, size_t i)
{
        return json_string_value(json_array_get(json_object_get(run, list), i));
}

static void a_comparison_is_a_task_of_the_group_with_blind_copies(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 3);
        auto_json *run =
                JUDGE(world->dev, .groupId = group, .agents = judging_agents(2), .instructions = "Speed counts");

        assert_string_equal(member(run, "mode"), "comparison");
        assert_string_equal(member(run, "groupId"), group);
        assert_string_equal(member(run, "environment"), "many");
        assert_int_equal(json_array_size(json_object_get(run, "variantTaskIds")), 3);
        assert_int_equal(json_array_size(json_object_get(run, "tasks")), 2);
        assert_true(json_is_false(json_object_get(run, "reviewLoopAvailable")));
        assert_true(json_is_null(json_object_get(run, "reviewLoop")));
        assert_null(json_object_get(run, "taskId"));
        auto_json *first = GET(world->dev, .taskId = at(run, "taskIds", 0)),
                  *second = GET(world->dev, .taskId = at(run, "taskIds", 1));
        assert_string_equal(member(first, "name"), "judge: Repair the totals");
        assert_string_equal(member(first, "taskType"), "judge");
        assert_string_equal(member(first, "judgeMode"), "comparison");
        assert_string_equal(member(first, "originalGroupId"), group);
        assert_string_equal(member(first, "status"), "running");
        /* Every reviewer of a run has the same labels, each of a variant. */
        json_t *labels = json_object_get(first, "variants"), *variant;
        const char *label;
        assert_int_equal(json_object_size(labels), 3);
        assert_true(json_equal(labels, json_object_get(second, "variants")));
        json_object_foreach(labels, label, variant)
        {
                auto_free char *path = text_format("variant-responses/%s.md", label),
                               *reply = judging_file(world, at(run, "taskIds", 1), path),
                               *wanted = text_format("reply of %s", member(variant, "agent"));
                assert_non_null(strstr(reply, wanted));
        }
        /* The prompt is ours, with what was asked for behind it. */
        auto_store_turn turn = world_turn(world, at(run, "taskIds", 0));
        assert_non_null(strstr(turn.shown, "comparison of [[VARIANT:A]], [[VARIANT:B]], [[VARIANT:C]]"));
        assert_string_equal(turn.shown + strlen(turn.shown) - strlen("\n\nSpeed counts"), "\n\nSpeed counts");
        /* Judges come after the variants, and are never evaluated themselves. */
        auto_free char *last = judging_member(world, group, 4);
        assert_string_equal(last, at(run, "taskIds", 1));
        world_end(world, at(run, "taskIds", 0), "x", RUNNER_EXITED, 0);
        auto_json *again = JUDGE(world->dev, .groupId = group);
        assert_int_equal(json_array_size(json_object_get(again, "variantTaskIds")), 3);
        assert_string_equal(member(again, "taskId"), at(again, "taskIds", 0));
        assert_string_equal(member(again, "status"), "running");
}

static void a_review_makes_a_group_of_what_stands_alone(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "many", "Repair it");

        world_end(world, task, "done", RUNNER_EXITED, 0);
        auto_json *run = JUDGE(world->dev, .taskId = task, .agent = "two");
        auto_json *source = GET(world->dev, .taskId = task), *judge = GET(world->dev, .taskId = member(run, "taskId"));
        assert_string_equal(member(run, "mode"), "review");
        assert_true(json_is_true(json_object_get(run, "reviewLoopAvailable")));
        assert_string_equal(member(source, "groupId"), member(run, "groupId"));
        assert_int_equal(document_get_integer(source, "groupIndex", -1), 0);
        assert_string_equal(member(judge, "name"), "review: Repair it");
        assert_string_equal(member(judge, "agent"), "two");
        assert_string_equal(member(json_object_get(json_object_get(judge, "variants"), "A"), "taskId"), task);
        /* Of a group one variant can be reviewed too. */
        auto_free char *group = judging_group(world, world->dev, 2), *second = judging_member(world, group, 1);
        struct field_strings ids = {.items = (const char *[]){second}, .count = 1};
        auto_json *narrow = JUDGE(world->dev, .groupId = group, .taskIds = ids);
        assert_string_equal(member(narrow, "mode"), "review");
        assert_string_equal(at(narrow, "variantTaskIds", 0), second);
}

static void refused(struct world *world, const struct actor *actor, struct judge_create_input input, const char *code)
{
        auto_error error = {0};
        auto_json *run = judging(world, actor, input, &error);

        if (run)
                fail_msg("it was launched in place of %s", code);
        assert_code(error, code);
}
#define REFUSED(actor, code, ...) refused(world, actor, (struct judge_create_input){__VA_ARGS__}, code)

static void what_cannot_be_judged_makes_nothing(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2), *first = judging_member(world, group, 0);
        auto_free char *alone = world_task(world, world->dev, "many", "x"),
                       *other = world_task(world, world->dev, "many", "y");
        auto_json *run = JUDGE(world->dev, .groupId = group);
        const char *judge = member(run, "taskId");
        struct field_strings own = {.items = (const char *[]){first}, .count = 1},
                             foreign = {.items = (const char *[]){first, other}, .count = 2},
                             judges = {.items = (const char *[]){judge}, .count = 1},
                             twice = {.items = (const char *[]){"one", "one"}, .count = 2},
                             pair = {.items = (const char *[]){first, first}, .count = 2};
        auto_json *settings = json_pack("{s:{s:s}}", "two", "reasoningEffort", "high"),
                  *odd = json_pack("{s:{s:s}}", "one", "color", "red");
        int64_t tasks = world_number(world, "SELECT count(*) FROM tasks"),
                groups = world_number(world, "SELECT count(*) FROM task_groups");

        REFUSED(world->dev, "invalid_target", .instructions = "x");
        REFUSED(world->dev, "invalid_target", .taskId = first, .groupId = group);
        REFUSED(world->dev, "invalid_target", .taskId = first, .taskIds = own);
        REFUSED(world->dev, "invalid_task_ids", .groupId = group, .taskIds = foreign);
        REFUSED(world->dev, "invalid_task_ids", .groupId = group, .taskIds = judges);
        REFUSED(world->dev, "invalid_task_ids", .groupId = group, .taskIds = pair);
        REFUSED(world->dev, "invalid_task", .taskId = judge);
        REFUSED(world->dev, "invalid_agents", .groupId = group, .agent = "one", .agents = judging_agents(2));
        REFUSED(world->dev, "invalid_agents", .groupId = group, .agents = twice);
        REFUSED(world->dev, "invalid_agent", .groupId = group, .agent = "none");
        REFUSED(world->dev, "invalid_model", .groupId = group, .agent = "one", .model = "m");
        REFUSED(world->dev, "invalid_speed", .groupId = group, .agent = "one", .speed = "standard");
        REFUSED(world->dev, "invalid_input", .groupId = group, .agents = judging_agents(2), .model = "m");
        REFUSED(world->dev, "invalid_input", .groupId = group, .agent = "two", .model = "m",
                .reviewerSettings = settings);
        REFUSED(world->dev, "invalid_input", .groupId = group, .agent = "one", .reviewerSettings = settings);
        REFUSED(world->dev, "invalid_input", .groupId = group, .agent = "one", .reviewerSettings = odd);
        REFUSED(world->dev, "group_not_found", .groupId = "g-1-none");
        REFUSED(world->outsider, "group_not_found", .groupId = group);
        REFUSED(world->outsider, "task_not_found", .taskId = first);
        REFUSED(world->viewer, "permission_denied", .groupId = group);
        /* Work that runs, or is ruled out, is not evaluated; what each variant is at is told. */
        auto_error waiting = {0};
        assert_null(judging(world, world->dev, (struct judge_create_input){.taskId = alone}, &waiting));
        assert_code(waiting, "nothing_to_evaluate");
        json_t *told = json_array_get(json_object_get(waiting.details, "variants"), 0);
        assert_string_equal(member(told, "taskId"), alone);
        assert_string_equal(member(told, "status"), "running");
        world_sql(world, "UPDATE tasks SET is_loser = 1 WHERE group_id IS NOT NULL AND NOT is_judge");
        REFUSED(world->dev, "nothing_to_evaluate", .groupId = group);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), tasks);
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_groups"), groups);
        auto_free char *markers = path_join(world->root, "forks");
        assert_int_equal(rmdir(markers), 0); /* no draft is left */
}

static void every_agent_of_an_environment_can_judge_at_once(void **state)
{
        struct world *world = *state;
        struct field_strings crowd = world_crowd(world);
        auto_free char *task = world_task(world, world->dev, "crowd", "x");
        world_end(world, task, "done", RUNNER_EXITED, 0);
        auto_json *run = JUDGE(world->dev, .taskId = task, .agents = crowd);
        assert_int_equal(json_array_size(json_object_get(run, "taskIds")), crowd.count);
}

static void losers_and_unfinished_work_are_left_out(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 3), *first = judging_member(world, group, 0);
        auto_free char *lose = text_format("UPDATE tasks SET is_loser = 1 WHERE id = '%s'", first);
        struct judge_order order = {.group_id = group, .reviewer_count = 1, .is_waiting = true};
        struct call call = world_call(world, world->dev);
        auto_error failed = {0}, fine = {0};

        world_sql(world, lose);
        auto_json *run = JUDGE(world->dev, .groupId = group);
        assert_int_equal(json_array_size(json_object_get(run, "variantTaskIds")), 2);
        auto_free char *second = judging_member(world, group, 1);
        auto_free char *go_on = text_format("UPDATE tasks SET status = 'running' WHERE id = '%s'", second),
                       *fail = text_format("UPDATE tasks SET status = 'failed' WHERE id = '%s'", second);
        world_sql(world, go_on);
        auto_json *one = JUDGE(world->dev, .groupId = group);
        assert_string_equal(member(one, "mode"), "review");
        /* An order for later takes what runs, and refuses what has failed. */
        assert_true(judge_plan_check(&call, &order, &fine));
        world_sql(world, fail);
        assert_false(judge_plan_check(&call, &order, &failed));
        assert_code(failed, "nothing_to_evaluate");
}

static void a_variant_at_work_otherwise_is_busy(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2), *second = judging_member(world, group, 1);
        auto_store_task task = world_stored(world, second);

        assert_true(runtime_try_lock_task(&world->runtime, task.rid));
        REFUSED(world->dev, "task_source_busy", .groupId = group);
        runtime_unlock_task(&world->runtime, task.rid);
        auto_json *run = JUDGE(world->dev, .groupId = group);
        assert_non_null(run);
        assert_true(runtime_try_lock_task(&world->runtime, task.rid)); /* it was given back */
        runtime_unlock_task(&world->runtime, task.rid);
}

static void the_copies_tell_nothing_of_who_made_them(void **state)
{
        struct world *world = *state;
        static const char *const names[] = {JUDGE_SUMMARIES "/A.md", JUDGE_RESPONSES "/A.md", JUDGE_HISTORY "/A.md",
                                            JUDGE_INSTRUCTIONS_FILE};
        auto_free char *task = world_task(world, world->dev, "many", "Repair it");
        auto_free char *reply = text_format("I am %s, https://u:s3cret-value@git.example/x\n", task);
        auto_error error = {0};

        world_credentials(world, "https://user:s3cret-value@git.example.com\n");
        world_end(world, task, reply, RUNNER_EXITED, 0);
        json_decref(must(world_follow_up(world, world->dev,
                                         (struct task_follow_up_input){.taskId = task, .instructions = "And the docs"},
                                         &error)));
        world_end(world, task, "[[VARIANT:B]] is worse\n", RUNNER_EXITED, 0);
        judging_change(world, task, "app", "it has s3cret-value");
        auto_json *run = JUDGE(world->dev, .taskId = task, .agent = "two");
        const char *judge = member(run, "taskId");
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_free char *content = judging_file(world, judge, names[i]);
                static const char *const secrets[] = {"s3cret-value", "dev", "one", "two"};
                assert_null(strstr(content, task));
                for (size_t j = 0; j < COUNT_OF(secrets); j++)
                        if (strstr(content, secrets[j]) && !(j == 3 && i == 3))
                                fail_msg("%s tells of %s: %s", names[i], secrets[j], content);
        }
        auto_free char *replies = judging_file(world, judge, JUDGE_RESPONSES "/A.md"),
                       *history = judging_file(world, judge, JUDGE_HISTORY "/A.md"),
                       *asked = judging_file(world, judge, JUDGE_INSTRUCTIONS_FILE),
                       *diff = judging_file(world, judge, JUDGE_DIFFS "/A/app.diff");
        assert_non_null(strstr(replies, "I am [[VARIANT:A]]"));
        assert_non_null(strstr(replies, "## Reply in turn 2\n\n[[VARIANT:B]] is worse"));
        assert_non_null(strstr(history, "## Follow-up in turn 2\n\nAnd the docs"));
        assert_non_null(strstr(asked, "Repair it"));
        assert_string_equal(diff, "# Not all that was changed is here: it has [redacted].\n");
        /* They are not the judge's to change. */
        auto_free char *output = task_path_output(world->root, judge), *file = path_join(output, names[1]);
        struct stat info;
        assert_int_equal(stat(file, &info), 0);
        assert_int_equal(info.st_uid, 0);
        assert_int_equal(info.st_mode & 0777, 0644);
}

static void a_long_conversation_keeps_its_newest_part(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "many", "Repair it"), *reply = memory_new(600001);
        auto_error error = {0};

        memset(reply, 'y', 600000);
        world_end(world, task, "the first reply\n", RUNNER_EXITED, 0);
        json_decref(must(world_follow_up(
                world, world->dev, (struct task_follow_up_input){.taskId = task, .instructions = "More"}, &error)));
        memcpy(reply + 600000 - 4, "last", 4);
        world_end(world, task, reply, RUNNER_EXITED, 0);
        auto_json *run = JUDGE(world->dev, .taskId = task);
        auto_free char *replies = judging_file(world, member(run, "taskId"), JUDGE_RESPONSES "/A.md");
        assert_non_null(strstr(replies, "[... the first 1 are left out"));
        assert_null(strstr(replies, "the first reply"));
        assert_non_null(strstr(replies, "yyylast\n"));
        assert_in_range(strlen(replies), 499000, 501000);
}

static void an_administrator_replaces_the_prompt(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2), *folder = text_format("%s/judge", world->setup),
                       *path = path_join(folder, "comparison.md");
        static const char own[] = "Ours: {{mode}} of {{labels}}, {{instructions}}; {{other}} {";
        auto_error error = {0};

        assert_true(path_make_folder(folder, 0700, &error) && path_write(path, own, strlen(own), 0600, &error));
        auto_json *run = JUDGE(world->dev, .groupId = group, .instructions = "{{mode}} matters");
        auto_store_turn turn = world_turn(world, member(run, "taskId"));
        assert_string_equal(turn.shown,
                            "Ours: comparison of [[VARIANT:A]], [[VARIANT:B]], {{mode}} matters; {{other}} {");
}

static void a_repeated_request_makes_no_second_run(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2), *first = judging_member(world, group, 0);
        auto_json *settings = json_pack("{s:{}}", "one"), *changed = json_pack("{s:{}}", "two");
        auto_json *run = JUDGE(world->dev, .groupId = group, .agents = judging_agents(2), .reviewerSettings = settings,
                               .requestId = UUID),
                  *again = JUDGE(world->dev, .groupId = group, .agents = judging_agents(2),
                                 .reviewerSettings = settings, .requestId = UUID);

        assert_true(json_equal(json_object_get(run, "taskIds"), json_object_get(again, "taskIds")));
        assert_int_equal(world_number(world, "SELECT count(*) FROM judges"), 2);
        REFUSED(world->dev, "idempotency_conflict", .groupId = group, .agents = judging_agents(2),
                .reviewerSettings = changed, .requestId = UUID);
        /* A deleted variant is told of while a judge shows that it could be seen; a judge that is gone is not. */
        auto_free char *gone = text_format("INSERT INTO deleted_tasks (id, environment, created_by, is_shared, "
                                           "created_at, deleted_at) SELECT id, environment, created_by, is_shared, 0, "
                                           "0 FROM tasks WHERE id = '%s'; DELETE FROM tasks WHERE id IN ('%s', '%s')",
                                           first, first, at(run, "taskIds", 0));
        world_sql(world, gone);
        auto_json *later = JUDGE(world->dev, .groupId = group, .agents = judging_agents(2),
                                 .reviewerSettings = settings, .requestId = UUID);
        assert_int_equal(json_array_size(json_object_get(later, "variantTaskIds")), 2);
        assert_int_equal(json_array_size(json_object_get(later, "taskIds")), 1);
        world_sql(world, "DELETE FROM tasks WHERE is_judge");
        auto_json *last = JUDGE(world->dev, .groupId = group, .agents = judging_agents(2), .reviewerSettings = settings,
                                .requestId = UUID);
        assert_int_equal(json_array_size(json_object_get(last, "variantTaskIds")), 1);
        assert_string_not_equal(at(last, "variantTaskIds", 0), first);
        assert_int_equal(json_array_size(json_object_get(last, "tasks")), 0);
        world_sql(world, "UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE name = 'admin')");
        REFUSED(world->dev, "group_not_found", .groupId = group, .agents = judging_agents(2),
                .reviewerSettings = settings, .requestId = UUID);
}

struct asked {
        int times;
};
static bool count(struct call *call, const struct judge_launched *launched, const void *context, struct error *error)
{
        (void)call;
        (void)error;
        (*(int *)(uintptr_t)context)++;
        return launched->count == 1;
}

static bool refuse(struct call *call, const struct judge_launched *launched, const void *context, struct error *error)
{
        (void)call;
        (void)launched;
        (void)context;
        return error_set(error, ERROR_CONFLICT, NULL);
}

static void reserved_ids_are_launched_once(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2);
        struct call call = world_call(world, world->dev);
        int times = 0;
        struct judge_order order = {.group_id = group,
                                    .reviewer_count = 1,
                                    .reserved = {"1700000000000-aaaaaaaaa"},
                                    .loop = "loop-1",
                                    .round = 2,
                                    .recorded = refuse};
        struct judge_launched first, second;
        auto_error error = {0};

        /* What goes with the launch fails, and so does the launch. */
        assert_false(judge_launch(&call, &order, &first, &error));
        assert_code(error, "conflict");
        error_clear(&error);
        order.recorded = count;
        order.context = &times;
        assert_true(judge_launch(&call, &order, &first, &error));
        assert_string_equal(first.task_ids[0], "1700000000000-aaaaaaaaa");
        assert_true(judge_launch(&call, &order, &second, &error));
        assert_int_equal(times, 1);
        assert_string_equal(second.task_ids[0], first.task_ids[0]);
        assert_string_equal(second.group_id, group);
        assert_string_equal(second.mode, first.mode);
        assert_int_equal(second.variant_count, 2);
        assert_string_equal(second.variant_ids[0], first.variant_ids[0]);
        assert_string_equal(second.variant_ids[1], first.variant_ids[1]);
        assert_int_equal(world_number(world, "SELECT round FROM judges WHERE loop = 'loop-1'"), 2);
        auto_free char *kept = judging_file(world, first.task_ids[0], JUDGE_INSTRUCTIONS_FILE);
        assert_non_null(strstr(kept, "Repair the totals"));
}

#define WINS(label)                                                                                                    \
        "{\"mode\":\"comparison\",\"winner\":{\"label\":\"" label                                                      \
        "\",\"confidence\":\"high\"},\"rankings\":[],\"variantFeedback\":{}}"

static json_t *act(struct world *world, const struct actor *actor,
                   bool (*run)(struct call *, const struct judge_task_input *, json_t **, struct error *),
                   const char *task, struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        return run(&call, &(struct judge_task_input){.taskId = task}, &result, error) ? result : NULL;
}

static void a_recommended_winner_is_applied_by_a_person(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 2), *variant = judging_member(world, group, 0);
        auto_json *run = JUDGE(world->dev, .groupId = group);
        const char *judge = member(run, "taskId");
        auto_error early = {0}, none = {0}, denied = {0}, wrong = {0}, review = {0};

        world_output_file(world, judge, "recommendation.json", WINS("B"), strlen(WINS("B")));
        assert_null(act(world, world->dev, judge_apply_winner, judge, &early)); /* it is still at work */
        assert_code(early, "no_usable_verdict");
        judging_decide(world, judge, "{\"winner\":{\"label\":\"C\"}}");
        assert_null(act(world, world->dev, judge_apply_winner, judge, &none));
        assert_code(none, "no_usable_verdict");
        world_output_file(world, judge, "recommendation.json", WINS("B"), strlen(WINS("B")));
        assert_null(act(world, world->viewer, judge_apply_winner, judge, &denied));
        assert_code(denied, "permission_denied");
        assert_null(act(world, world->dev, judge_apply_winner, variant, &wrong));
        assert_code(wrong, "invalid_task");
        auto_json *applied = must(act(world, world->dev, judge_apply_winner, judge, &(struct error){0})),
                  *told = GET(world->dev, .taskId = judge);
        const char *second = member(json_object_get(json_object_get(told, "variants"), "B"), "taskId");
        assert_string_equal(member(applied, "winnerTaskId"), second);
        /* A review of one names no winner. */
        auto_json *single = JUDGE(world->dev, .taskId = second);
        judging_decide(world, member(single, "taskId"), WINS("A"));
        assert_null(act(world, world->dev, judge_apply_winner, member(single, "taskId"), &review));
        assert_code(review, "no_usable_verdict");
}

static void a_judge_is_run_again_with_the_same_inputs(void **state)
{
        struct world *world = *state;
        auto_free char *group = judging_group(world, world->dev, 3), *first = judging_member(world, group, 0),
                       *third = judging_member(world, group, 2);
        struct field_strings ids = {.items = (const char *[]){third, first}, .count = 2};
        auto_json *run = JUDGE(world->dev, .groupId = group, .taskIds = ids, .agents = judging_agents(2),
                               .instructions = "Look twice");
        const char *judge = at(run, "taskIds", 1);

        world_end(world, judge, NULL, RUNNER_EXITED, 1);
        auto_json *again = must(act(world, world->dev, judge_resubmit, judge, &(struct error){0}));
        assert_string_equal(member(again, "mode"), "comparison");
        assert_string_not_equal(member(again, "taskId"), judge);
        assert_true(json_equal(json_object_get(again, "variantTaskIds"), json_object_get(run, "variantTaskIds")));
        auto_json *old = GET(world->dev, .taskId = judge), *new = GET(world->dev, .taskId = member(again, "taskId"));
        assert_string_equal(member(new, "agent"), "two");
        assert_true(json_equal(json_object_get(old, "variants"), json_object_get(new, "variants")));
        auto_store_turn turn = world_turn(world, member(again, "taskId"));
        assert_non_null(strstr(turn.shown, "Look twice"));
        auto_error wrong = {0}, denied = {0};
        assert_null(act(world, world->dev, judge_resubmit, first, &wrong));
        assert_code(wrong, "invalid_task");
        assert_null(act(world, world->viewer, judge_resubmit, judge, &denied));
        assert_code(denied, "permission_denied");
}

/* A judge of two shared variants and one that is the administrator's own. */
static json_t *with_hidden(struct world *world, char **group)
{
        *group = judging_group(world, world->dev, 3);
        auto_free char *second = judging_member(world, *group, 1);
        auto_free char *hide = text_format("UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE "
                                           "name = 'admin') WHERE id = '%s'",
                                           second);

        world_sql(world, hide);
        json_t *run = JUDGE(world->admin, .groupId = *group);
        judging_decide(world, member(run, "taskId"), WINS("A"));
        world_output_file(world, member(run, "taskId"), "recommendation.md", "A", 1);
        return run;
}

static void withheld(struct world *world, const struct actor *actor, const char *task)
{
        auto_json *view = GET(actor, .taskId = task, .includeSummary = true),
                  *output = OUTPUT(actor, task, "recommendation");
        auto_error file = {0}, more = {0}, copy = {0}, pulled = {0}, again = {0}, apply = {0};
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        assert_string_equal(member(view, "name"), "Judgment");
        assert_true(json_is_true(json_object_get(view, "contentWithheld")));
        assert_null(json_object_get(view, "variants"));
        assert_null(json_object_get(view, "summary"));
        assert_null(json_object_get(output, "recommendation"));
        assert_null(
                world_read(world, actor, (struct task_file_input){.taskId = task, .path = "recommendation.md"}, &file));
        assert_code(file, "content_withheld");
        assert_null(world_follow_up(world, actor, (struct task_follow_up_input){.taskId = task, .instructions = "x"},
                                    &more));
        assert_code(more, "content_withheld");
        assert_false(task_fork(&call, &(struct task_fork_input){.taskId = task}, &result, &copy));
        assert_code(copy, "content_withheld");
        assert_false(task_pull(&call, &(struct task_pull_input){.taskId = task}, &result, &pulled));
        assert_code(pulled, "content_withheld");
        REFUSED(actor, "content_withheld", .taskId = task);
        assert_null(act(world, actor, judge_resubmit, task, &again));
        assert_code(again, "content_withheld");
        assert_null(act(world, actor, judge_apply_winner, task, &apply));
        assert_code(apply, "content_withheld");
}

static void a_judge_of_what_is_hidden_shows_its_metadata_alone(void **state)
{
        struct world *world = *state;
        auto_free char *group = NULL;
        auto_json *run = with_hidden(world, &group);
        const char *judge = member(run, "taskId");

        withheld(world, world->dev, judge);
        auto_json *whole = GET(world->admin, .taskId = judge, .includeSummary = true);
        assert_string_equal(member(whole, "summary"), "A");
        assert_string_equal(member(whole, "summarySource"), "recommendation");
        /* Who asks evaluates what they see, and is told of no more. */
        auto_json *own = JUDGE(world->dev, .groupId = group);
        assert_int_equal(json_array_size(json_object_get(own, "variantTaskIds")), 2);
        assert_string_equal(member(own, "mode"), "comparison");
}

static void a_copy_of_a_judge_and_its_judge_hold_what_it_held(void **state)
{
        struct world *world = *state;
        auto_free char *group = NULL;
        auto_json *run = with_hidden(world, &group);
        struct call call = world_call(world, world->admin);
        auto_json *fork = NULL;
        auto_error error = {0}, denied = {0};

        assert_true(task_fork(&call, &(struct task_fork_input){.taskId = member(run, "taskId")}, &fork, &error));
        const char *copy = member(fork, "taskId");
        auto_json *hidden = GET(world->dev, .taskId = copy);
        assert_string_equal(member(hidden, "name"), "Review");
        assert_true(json_is_true(json_object_get(hidden, "contentWithheld")));
        REFUSED(world->dev, "content_withheld", .taskId = copy);
        /* The copy is work, which can be judged: by who sees all of it, and with that for the same people. */
        auto_json *second = JUDGE(world->admin, .taskId = copy);
        auto_json *view = GET(world->dev, .taskId = member(second, "taskId"));
        assert_true(json_is_true(json_object_get(view, "contentWithheld")));
        assert_string_equal(member(view, "name"), "Review");
        assert_int_equal(
                world_number(world, "SELECT count(*) FROM task_sources WHERE task = (SELECT max(rid) FROM tasks)"), 4);
        /* In a group where only it could be evaluated, nothing is. */
        assert_null(
                judging(world, world->dev, (struct judge_create_input){.groupId = member(second, "groupId")}, &denied));
        assert_code(denied, "content_withheld");
}

static void private_work_is_judged_in_private(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "walled", "x"),
                       *open = world_task(world, world->dev, "many", "y");
        auto_error error = {0};

        world_end(world, task, "x", RUNNER_EXITED, 0);
        world_end(world, open, "x", RUNNER_EXITED, 0);
        json_decref(must(world_change(world, world->dev, WORLD_UNSHARE, open, NULL, &error)));
        auto_json *first = JUDGE(world->dev, .taskId = task), *second = JUDGE(world->dev, .taskId = open);
        auto_json *walled = GET(world->dev, .taskId = member(first, "taskId")),
                  *kept = GET(world->dev, .taskId = member(second, "taskId"));
        assert_true(json_is_false(json_object_get(walled, "shared")));
        assert_true(json_is_false(json_object_get(kept, "shared")));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, judging_open, world_close)

int run_judge_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_comparison_is_a_task_of_the_group_with_blind_copies),
                TEST(a_review_makes_a_group_of_what_stands_alone),
                TEST(what_cannot_be_judged_makes_nothing),
                TEST(every_agent_of_an_environment_can_judge_at_once),
                TEST(losers_and_unfinished_work_are_left_out),
                TEST(a_variant_at_work_otherwise_is_busy),
                TEST(the_copies_tell_nothing_of_who_made_them),
                TEST(a_long_conversation_keeps_its_newest_part),
                TEST(an_administrator_replaces_the_prompt),
                TEST(a_repeated_request_makes_no_second_run),
                TEST(reserved_ids_are_launched_once),
                TEST(a_recommended_winner_is_applied_by_a_person),
                TEST(a_judge_is_run_again_with_the_same_inputs),
                TEST(a_judge_of_what_is_hidden_shows_its_metadata_alone),
                TEST(a_copy_of_a_judge_and_its_judge_hold_what_it_held),
                TEST(private_work_is_judged_in_private),
        };

        return cmocka_run_group_tests_name("judges", tests, NULL, NULL);
}
