/* Groups: several agents at once, variants of a task, marks and names, and what each person is told of them. */
#include "server/services/group.h"

#include "server/base/path.h"
#include "server/services/write.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

#define REQUEST "3f0f9b0e-6f3c-4c0e-9d8a-1f8c2b7a9e11"

/* A call as a door makes it; `arguments` is taken over. */
typedef bool service(struct call *call, const void *input, json_t **result, struct error *error);

static json_t *write_as(struct world *world, const struct actor *actor, service *run, const void *input,
                        json_t *arguments, struct error *error)
{
        auto_json *sent = arguments;
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = sent;
        return call_write(&call, run, input, &result, error) ? result : NULL;
}

static json_t *read_as(struct world *world, const struct actor *actor, service *run, const void *input,
                       struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        return run(&call, input, &result, error) ? result : NULL;
}

#define SERVICE(name, type)                                                                                            \
        static bool run_##name(struct call *call, const void *input, json_t **result, struct error *error)             \
        {                                                                                                              \
                return name(call, (const struct type *)input, result, error);                                          \
        }
SERVICE(task_create, task_create_input)
SERVICE(task_rename, task_rename_input)
SERVICE(task_set_winner, task_mark_input)
SERVICE(task_set_loser, task_mark_input)
SERVICE(group_rename, group_rename_input)
SERVICE(group_get, group_get_input)
SERVICE(group_list, group_list_input)

static const char *const all_agents[] = {"one", "two", "three"};

/* An environment with three agents that need no account. */
static int open_many(void **state)
{
        world_open(state);
        struct world *world = *state;
        world_environment(world, "many",
                          "{\"defaultAgent\": \"one\", \"repositories\": [{\"name\": \"app\", \"url\": "
                          "\"https://host/app\"}], \"agents\": ["
                          "{\"name\": \"one\", \"command\": [\"x\"], \"promptOn\": \"stdin\", \"format\": \"text\"},"
                          "{\"name\": \"two\", \"command\": [\"x\"], \"promptOn\": \"stdin\", \"format\": \"text\"},"
                          "{\"name\": \"three\", \"command\": [\"x\"], \"promptOn\": \"stdin\", \"format\": "
                          "\"text\"}]}");
        world_bind(world, "dev", "Developer", "many");
        world_bind(world, "viewer", "Viewer", "many");
        world_renew_people(world);
        world_concurrency(100);
        return 0;
}

static struct field_strings agents_of(size_t count)
{
        return (struct field_strings){.items = (const char **)all_agents, .count = count};
}

static json_t *create(struct world *world, const struct actor *actor, struct task_create_input input,
                      struct error *error)
{
        json_t *sent = json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*, s:i}", "environment", input.environment,
                                 "instructions", input.instructions, "sourceTaskId", input.sourceTaskId, "groupId",
                                 input.groupId, "requestId", input.requestId, "agents", (int)input.agents.count);

        return write_as(world, actor, run_task_create, &input, sent, error);
}

#define CREATE(actor, ...) must(create(world, actor, NEW_TASK(__VA_ARGS__), &(struct error){0}))

static json_t *get(struct world *world, const struct actor *actor, const char *group)
{
        return must(read_as(world, actor, run_group_get, &(struct group_get_input){group}, &(struct error){0}));
}

static const char *id_at(const json_t *made, size_t i)
{
        return json_string_value(json_array_get(json_object_get(made, "taskIds"), i));
}

static char *joined(const json_t *list)
{
        auto_text text = TEXT_WITH_MAXIMUM(10000);
        json_t *item;
        size_t i;

        json_array_foreach(list, i, item)
        {
                text_printf(&text, "%s%s", i ? " " : "", json_string_value(item));
        }
        return text_take(&text);
}

static void several_agents_make_one_group_of_the_same_task(void **state)
{
        struct world *world = *state;
        auto_json *made = CREATE(world->dev, .environment = "many", .instructions = "## Repair it\nand test",
                                 .agents = agents_of(3));
        auto_free char *told = joined(json_object_get(made, "agents"));

        assert_string_equal(told, "one two three");
        assert_string_equal(member(made, "name"), "Repair it");
        assert_true(!strncmp(member(made, "groupId"), "g-", 2));
        assert_null(json_object_get(made, "taskId"));
        for (size_t i = 0; i < 3; i++) {
                json_t *one = json_array_get(json_object_get(made, "tasks"), i);
                assert_int_equal(document_get_integer(one, "groupIndex", -1), i);
                assert_string_equal(member(one, "status"), "running");
                auto_store_turn turn = world_turn(world, id_at(made, i));
                assert_string_equal(turn.shown, "## Repair it\nand test");
        }
        auto_json *group = get(world, world->viewer, member(made, "groupId"));
        assert_string_equal(member(group, "status"), "running");
        assert_int_equal(json_array_size(json_object_get(group, "tasks")), 3);
        assert_string_equal(member(json_object_get(group, "createdBy"), "name"), "dev");
        auto_json *listed = LIST(world->viewer, .groupId = member(made, "groupId"));
        assert_int_equal(document_get_integer(listed, "total", -1), 3);
        /* One agent in a list makes no group. */
        auto_json *single = CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(1));
        assert_null(json_object_get(single, "groupId"));
        assert_string_equal(member(single, "agent"), "one");
}

static void every_agent_of_an_environment_can_be_named_at_once(void **state)
{
        struct world *world = *state;
        struct field_strings crowd = world_crowd(world);
        auto_json *made = CREATE(world->dev, .environment = "crowd", .instructions = "x", .agents = crowd);
        assert_int_equal(json_array_size(json_object_get(made, "tasks")), crowd.count);
}

static void refused(struct world *world, const struct actor *actor, struct task_create_input input, const char *code)
{
        auto_error error = {0};
        auto_json *made = create(world, actor, input, &error);

        if (made)
                fail_msg("it was made in place of %s", code);
        assert_code(error, code);
}

static void what_cannot_be_a_group_makes_nothing(void **state)
{
        struct world *world = *state;
        static const char *const twice[] = {"one", "two", "one"}, *const unknown[] = {"one", "none"};
        auto_free char *task = world_task(world, world->dev, "many", "x");
        auto_json *group = CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(2));
        const char *id = member(group, "groupId");
        struct field_strings list = {.items = (const char **)twice, .count = 3};

        refused(world, world->dev, NEW_TASK(.environment = "many", .instructions = "x", .agents = list),
                "invalid_agents");
        refused(world, world->dev,
                NEW_TASK(.environment = "many", .instructions = "x", .agent = "one", .agents = agents_of(2)),
                "invalid_agents");
        list = (struct field_strings){.items = (const char **)unknown, .count = 2};
        refused(world, world->dev, NEW_TASK(.environment = "many", .instructions = "x", .agents = list),
                "invalid_agent");
        refused(world, world->dev,
                NEW_TASK(.environment = "many", .instructions = "x", .agents = agents_of(2), .model = "m"),
                "invalid_input");
        refused(world, world->dev, NEW_TASK(.sourceTaskId = task, .groupId = id, .agent = "two"), "invalid_target");
        refused(world, world->dev, NEW_TASK(.environment = "main", .sourceTaskId = task), "group_environment_mismatch");
        refused(world, world->dev, NEW_TASK(.environment = "main", .groupId = id, .instructions = "x"),
                "group_environment_mismatch");
        refused(world, world->dev, NEW_TASK(.groupId = id), "invalid_input");
        refused(world, world->dev, NEW_TASK(.groupId = "g-1-none", .instructions = "x"), "group_not_found");
        refused(world, world->outsider, NEW_TASK(.groupId = id, .instructions = "x"), "group_not_found");
        refused(world, world->outsider, NEW_TASK(.sourceTaskId = task), "task_not_found");
        refused(world, world->viewer, NEW_TASK(.sourceTaskId = task), "permission_denied");
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_groups"), 1);
}

static void a_task_that_stands_alone_becomes_the_first_variant(void **state)
{
        struct world *world = *state;
        auto_json *branches = json_pack("{s:s}", "app", "topic");
        auto_json *source = CREATE(world->dev, .environment = "many", .instructions = "the work", .branches = branches,
                                   .agent = "two", .handoff = &(struct handoff_input){.summary = "left"});
        const char *id = member(source, "taskId");
        auto_json *made = CREATE(world->dev, .sourceTaskId = id, .agent = "three");

        assert_string_equal(member(made, "promotedTaskId"), id);
        assert_string_equal(member(made, "sourceTaskId"), id);
        assert_string_equal(member(made, "agent"), "three");
        assert_string_equal(member(json_array_get(json_object_get(made, "warnings"), 0), "code"),
                            "source_attachments_not_copied");
        auto_store_turn turn = world_turn(world, member(made, "taskId"));
        assert_string_equal(turn.shown, "the work");
        auto_store_task task = world_stored(world, member(made, "taskId"));
        assert_string_equal(task.branches, "{\"app\":\"topic\"}");
        assert_int_equal(task.group_index, 1);
        assert_string_equal(task.name, "the work");
        auto_json *promoted = GET(world->dev, .taskId = id);
        assert_int_equal(document_get_integer(promoted, "groupIndex", -1), 0);
        /* Several more, with other instructions: no warning, and places behind. */
        auto_json *more = CREATE(world->dev, .sourceTaskId = id, .instructions = "other", .agents = agents_of(2));
        assert_null(json_object_get(more, "promotedTaskId"));
        assert_string_equal(member(more, "groupId"), member(made, "groupId"));
        assert_int_equal(json_array_size(json_object_get(more, "warnings")), 0);
        assert_int_equal(document_get_integer(json_array_get(json_object_get(more, "tasks"), 1), "groupIndex", -1), 3);
        /* By the group's id. */
        auto_json *joins = CREATE(world->dev, .groupId = member(made, "groupId"), .instructions = "y");
        assert_string_equal(member(joins, "agent"), "one");
        auto_json *group = get(world, world->dev, member(made, "groupId"));
        assert_int_equal(document_get_integer(group, "taskCount", -1), 5);
        auto_free char *told = joined(json_object_get(group, "agents"));
        assert_string_equal(told, "two three one");
}

static void a_private_source_has_private_variants_and_a_template_is_part_of_the_work(void **state)
{
        struct world *world = *state;
        auto_json *source = must(create(
                world, world->dev, (struct task_create_input){.environment = "many", .instructions = "secret work"},
                &(struct error){0}));
        auto_json *made = must(create(world, world->dev,
                                      (struct task_create_input){.sourceTaskId = member(source, "taskId"), .shared = 1},
                                      &(struct error){0}));

        assert_true(json_is_false(json_object_get(json_object_get(made, "task"), "shared")));
        refused(world, world->viewer, NEW_TASK(.sourceTaskId = member(source, "taskId")), "task_not_found");
        world_sql(world, "UPDATE prompt_parts SET kind = 'template' WHERE body = 'secret work'");
        auto_json *again = CREATE(world->dev, .sourceTaskId = member(source, "taskId"));
        auto_store_turn turn = world_turn(world, member(again, "taskId"));
        assert_string_equal(turn.shown, "secret work");
        world_sql(world, "UPDATE prompt_parts SET kind = 'handoff' WHERE body = 'secret work'");
        refused(world, world->dev, NEW_TASK(.sourceTaskId = member(source, "taskId")), "invalid_input");
}

static void a_repeated_request_makes_no_second_group(void **state)
{
        struct world *world = *state;
        auto_free char *source = world_task(world, world->dev, "many", "x");
        auto_json *first = CREATE(world->dev, .sourceTaskId = source, .agents = agents_of(2), .requestId = REQUEST);
        world_sql(world, "UPDATE tasks SET branches = '{\"gone\":\"x\"}' WHERE group_index = 0");
        auto_json *second = CREATE(world->dev, .sourceTaskId = source, .agents = agents_of(2), .requestId = REQUEST);

        assert_true(json_equal(json_object_get(first, "taskIds"), json_object_get(second, "taskIds")));
        assert_string_equal(member(second, "promotedTaskId"), source);
        assert_int_equal(world_number(world, "SELECT count(*) FROM tasks"), 3);
        refused(world, world->dev,
                NEW_TASK(.groupId = member(first, "groupId"), .instructions = "x", .requestId = REQUEST),
                "idempotency_conflict");
        /* Whoever may not see the source any more is told nothing. */
        auto_free char *take = text_format("UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE "
                                           "name = 'admin') WHERE id = '%s'",
                                           source);
        world_sql(world, take);
        refused(world, world->dev, NEW_TASK(.sourceTaskId = source, .agents = agents_of(2), .requestId = REQUEST),
                "task_not_found");
}

static void staged_groups_wait(void **state)
{
        struct world *world = *state;
        auto_json *made =
                CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(2), .staged = true);
        auto_json *group = get(world, world->dev, member(made, "groupId"));

        assert_string_equal(member(group, "status"), "staged");
        assert_int_equal(document_get_integer(json_object_get(group, "statusCounts"), "staged", -1), 2);
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs"), 0);
}

/* A group of `count` variants of dev's, the one at `hidden` private to the administrator. */
static json_t *with_hidden(struct world *world, size_t count, size_t hidden)
{
        json_t *made = CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(count));
        auto_free char *hide = text_format("UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE "
                                           "name = 'admin') WHERE id = '%s'",
                                           id_at(made, hidden));

        world_sql(world, hide);
        return made;
}

static void end(struct world *world, const char *id, const char *status)
{
        auto_free char *sql = text_format("UPDATE tasks SET status = '%s' WHERE id = '%s'", status, id);

        world_sql(world, sql);
}

static void each_person_is_told_of_visible_tasks_alone(void **state)
{
        struct world *world = *state;
        auto_json *made = with_hidden(world, 3, 1);
        const char *id = member(made, "groupId");

        end(world, id_at(made, 0), "completed");
        end(world, id_at(made, 1), "failed");
        end(world, id_at(made, 2), "completed");
        world_sql(world, "UPDATE tasks SET is_winner = 1 WHERE group_index = 1");
        auto_json *some = get(world, world->dev, id), *all = get(world, world->admin, id);
        assert_string_equal(member(some, "status"), "completed");
        assert_string_equal(member(all, "status"), "partial");
        assert_int_equal(document_get_integer(some, "taskCount", -1), 2);
        assert_true(json_is_null(json_object_get(some, "winnerTaskId")));
        assert_string_equal(member(all, "winnerTaskId"), id_at(made, 1));
        auto_free char *told = joined(json_object_get(some, "agents")),
                       *evaluable = joined(json_object_get(some, "evaluableTaskIds"));
        auto_free char *expected = text_format("%s %s", id_at(made, 0), id_at(made, 2));
        assert_string_equal(told, "one three");
        assert_string_equal(evaluable, expected);
        /* Lists say the same of it. */
        const struct {
                const struct actor *actor;
                const char *status;
                int count;
        } cases[] = {{world->dev, "completed", 1},
                     {world->dev, "partial", 0},
                     {world->viewer, "completed", 1},
                     {world->admin, "partial", 1},
                     {world->admin, "completed", 0}};
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                auto_json *list = must(read_as(
                        world, cases[i].actor, run_group_list,
                        &(struct group_list_input){
                                .status = cases[i].status, .pinned = -1, .limit = 25, .includeUngroupedTasks = true},
                        &error));
                assert_int_equal(json_array_size(json_object_get(list, "groups")), cases[i].count);
                assert_int_equal(document_get_integer(list, "total", -1), cases[i].count);
        }
}

static void marks_follow_their_rules(void **state)
{
        struct world *world = *state;
        auto_json *made = CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(2));
        auto_free char *alone = world_task(world, world->dev, "many", "x");
        const char *a = id_at(made, 0), *b = id_at(made, 1);
        const struct {
                service *run;
                const struct actor *actor;
                const char *task;
                bool is_set;
                const char *code, *note;
        } cases[] = {
                {run_task_set_winner, world->viewer, a, true, "permission_denied", NULL},
                {run_task_set_winner, world->outsider, a, true, "task_not_found", NULL},
                {run_task_set_winner, world->dev, alone, true, "invalid_task", NULL},
                {run_task_set_winner, world->dev, a, true, NULL, "not final"},
                {run_task_set_loser, world->dev, a, true, "conflicting_outcome", NULL},
                {run_task_set_winner, world->dev, b, true, NULL, "taken from"},
                {run_task_set_winner, world->dev, b, true, NULL, "already"},
                {run_task_set_winner, world->dev, b, false, NULL, "no pick"},
                {run_task_set_loser, world->dev, b, true, NULL, "The other variant is the winner"},
                {run_task_set_winner, world->dev, b, true, "conflicting_outcome", NULL},
                {run_task_set_loser, world->dev, a, true, NULL, "nothing to evaluate"},
                {run_task_set_loser, world->dev, a, false, NULL, "in the running"},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                struct task_mark_input input = {cases[i].task, cases[i].is_set, cases[i].is_set};
                auto_error error = {0};
                auto_json *result = write_as(world, cases[i].actor, cases[i].run, &input, json_object(), &error);
                if (cases[i].code) {
                        assert_null(result);
                        assert_code(error, cases[i].code);
                        continue;
                }
                auto_free char *notes = joined(json_object_get(must(result), "notes"));
                if (!strstr(notes, cases[i].note))
                        fail_msg("case %zu says: %s", i, notes);
        }
        auto_json *group = get(world, world->dev, member(made, "groupId"));
        assert_true(json_is_null(json_object_get(group, "winnerTaskId")));
        auto_free char *losers = joined(json_object_get(group, "loserTaskIds"));
        assert_string_equal(losers, b);
        world_sql(world, "UPDATE tasks SET approved_by = 1 WHERE group_index = 0");
        auto_error approved = {0};
        assert_null(write_as(world, world->dev, run_task_set_loser, &(struct task_mark_input){a, true, true},
                             json_object(), &approved));
        assert_code(approved, "conflicting_outcome");
}

static void a_hidden_winner_is_not_named(void **state)
{
        struct world *world = *state;
        auto_json *made = with_hidden(world, 3, 1);
        auto_error error = {0};

        world_sql(world, "UPDATE tasks SET is_winner = 1 WHERE group_index = 1");
        assert_null(write_as(world, world->dev, run_task_set_winner,
                             &(struct task_mark_input){id_at(made, 0), true, true}, json_object(), &error));
        assert_code(error, "permission_denied");
        assert_null(strstr(error.message, id_at(made, 1)));
        auto_error named = {0};
        assert_null(write_as(world, world->dev, run_task_rename,
                             &(struct task_rename_input){.taskId = id_at(made, 0), .name = "n"}, json_object(),
                             &named));
        assert_code(named, "permission_denied");
        assert_null(strstr(named.message, id_at(made, 1)));
        /* In what dev sees two variants are left. */
        auto_json *marked = must(write_as(world, world->dev, run_task_set_loser,
                                          &(struct task_mark_input){id_at(made, 0), true, true}, json_object(),
                                          &(struct error){0}));
        auto_free char *notes = joined(json_object_get(marked, "notes"));
        assert_non_null(strstr(notes, "The other variant is the winner"));
        /* The administrator renames all, and is told of all. */
        auto_json *renamed = must(write_as(world, world->admin, run_task_rename,
                                           &(struct task_rename_input){.taskId = id_at(made, 0), .name = "n"},
                                           json_object(), &(struct error){0}));
        assert_int_equal(json_array_size(json_object_get(renamed, "renamedTaskIds")), 3);
        assert_string_equal(member(renamed, "scope"), "group");
}

static bool make_judge(struct store_db *db, void *context, struct error *error)
{
        char **ids = context; /* judge, group, sources ... */
        auto_store_task judge = {0};
        bool is_found;

        if (!store_task_find(db, ids[0], 0, &judge, &is_found, error) ||
            !store_group_add_judge(db, ids[1], judge.rid, "comparison", error))
                return false;
        for (char **source = ids + 2; *source; source++)
                if (!store_task_add_source(db, judge.rid, *source, error))
                        return false;
        return true;
}

static void judge_of(struct world *world, const char *judge, const json_t *made)
{
        char *ids[] = {(char *)judge, (char *)member(made, "groupId"), (char *)id_at(made, 0), (char *)id_at(made, 1),
                       NULL};
        auto_error error = {0};

        assert_true(store_write(world->services.store, make_judge, ids, &error));
}

static void a_review_of_what_is_hidden_shows_its_metadata_alone(void **state)
{
        struct world *world = *state;
        auto_json *made = with_hidden(world, 3, 1);
        auto_json *review = CREATE(world->dev, .environment = "many", .instructions = "judge them", .name = "judge: x");
        const char *judge = member(review, "taskId");

        world_output_file(world, judge, "recommendation.md", "B wins", 6);
        judge_of(world, judge, made);
        auto_json *withheld = GET(world->dev, .taskId = judge), *whole = GET(world->admin, .taskId = judge);
        assert_string_equal(member(withheld, "name"), "Judgment");
        assert_true(json_is_true(json_object_get(withheld, "contentWithheld")));
        assert_true(json_is_true(json_object_get(withheld, "isJudgeTask")));
        assert_null(json_object_get(withheld, "latestResponse"));
        assert_null(json_object_get(whole, "contentWithheld"));
        assert_string_equal(member(whole, "name"), "judge: x");
        assert_string_equal(member(whole, "originalGroupId"), member(made, "groupId"));
        auto_json *output = OUTPUT(world->dev, judge, NULL);
        assert_true(json_is_true(json_object_get(output, "contentWithheld")));
        assert_null(json_object_get(output, "responses"));
        auto_error file = {0}, more = {0};
        assert_null(world_read(world, world->dev,
                               (struct task_file_input){.taskId = judge, .path = "recommendation.md"}, &file));
        assert_code(file, "content_withheld");
        assert_null(world_follow_up(world, world->dev,
                                    (struct task_follow_up_input){.taskId = judge, .instructions = "x"}, &more));
        assert_code(more, "content_withheld");
        refused(world, world->dev, NEW_TASK(.sourceTaskId = judge), "content_withheld");
        refused(world, world->admin, NEW_TASK(.sourceTaskId = judge), "invalid_task");
        /* It cannot be marked, is the last in the group, and keeps its prefix; what it is called now is not told. */
        auto_error mark = {0};
        assert_null(write_as(world, world->dev, run_task_set_winner, &(struct task_mark_input){judge, true, true},
                             json_object(), &mark));
        assert_code(mark, "invalid_task");
        auto_json *renamed = must(write_as(world, world->dev, run_task_rename,
                                           &(struct task_rename_input){.taskId = judge, .name = "new", .scope = "task"},
                                           json_object(), &(struct error){0}));
        assert_int_equal(json_array_size(json_object_get(renamed, "renamedTaskIds")), 1);
        assert_int_equal(json_object_size(json_object_get(renamed, "newNames")), 0);
        assert_non_null(json_object_get(renamed, "note"));
        auto_json *group = get(world, world->admin, member(made, "groupId"));
        json_t *last = json_array_get(json_object_get(group, "tasks"), 3);
        assert_string_equal(member(last, "name"), "judge: new");
        auto_json *all = must(write_as(world, world->admin, run_group_rename,
                                       &(struct group_rename_input){member(made, "groupId"), "Whole"}, json_object(),
                                       &(struct error){0}));
        assert_string_equal(member(json_object_get(all, "newNames"), judge), "judge: Whole");
        assert_string_equal(member(json_object_get(all, "newNames"), id_at(made, 0)), "Whole");
        assert_string_equal(member(json_object_get(all, "previousNameSources"), id_at(made, 0)), "generated");
        /* A copy of the review stays withheld when what it was copied from is gone. */
        auto_free char *gone =
                text_format("INSERT INTO deleted_tasks (id, environment, created_by, is_shared, created_at, "
                            "deleted_at) SELECT id, environment, created_by, is_shared, 0, 0 FROM tasks "
                            "WHERE id = '%s'; DELETE FROM tasks WHERE id = '%s'",
                            id_at(made, 1), id_at(made, 1));
        world_sql(world, gone);
        auto_json *still = GET(world->dev, .taskId = judge);
        assert_true(json_is_true(json_object_get(still, "contentWithheld")));
}

static void a_group_is_of_its_creator_and_goes_with_its_last_task(void **state)
{
        struct world *world = *state;
        auto_json *made = CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(2));
        const char *id = member(made, "groupId");
        auto_error error = {0};

        world_sql(world, "UPDATE tasks SET is_shared = 0, created_by = (SELECT rid FROM users WHERE name = 'admin')");
        auto_json *own = get(world, world->dev, id);
        assert_string_equal(member(own, "status"), "pending");
        assert_int_equal(json_array_size(json_object_get(own, "tasks")), 0);
        assert_true(json_is_null(json_object_get(own, "name")));
        assert_null(read_as(world, world->viewer, run_group_get, &(struct group_get_input){id}, &error));
        assert_code(error, "group_not_found");
        world_sql(world, "DELETE FROM tasks");
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_groups"), 0);
}

static void groups_and_lone_tasks_are_listed_in_pages(void **state)
{
        struct world *world = *state;
        auto_free char *cursor = NULL;
        size_t groups = 0, tasks = 0, pages = 0;

        for (int i = 0; i < 5; i++) {
                auto_json *made =
                        CREATE(world->dev, .environment = "many", .instructions = "x", .agents = agents_of(2));
                free(world_task(world, world->dev, "main", "y"));
        }
        do {
                auto_error error = {0};
                struct group_list_input input = {
                        .pinned = -1, .limit = 2, .includeUngroupedTasks = true, .cursor = cursor};
                auto_json *page = read_as(world, world->dev, run_group_list, &input, &error);
                if (!page)
                        fail_msg("%s with %s", error.message, cursor);
                groups += json_array_size(json_object_get(page, "groups"));
                tasks += json_array_size(json_object_get(page, "ungroupedTasks"));
                assert_int_equal(document_get_integer(page, "total", -1), 5);
                assert_int_equal(document_get_integer(page, "ungroupedTotal", -1), 5);
                free(cursor);
                cursor = text_copy(document_get_string(page, "nextCursor"));
                pages++;
        } while (cursor && pages < 9);
        assert_int_equal(groups, 5);
        assert_int_equal(tasks, 5);
        assert_int_equal(pages, 3);
        auto_error error = {0};
        auto_json *without = must(read_as(world, world->dev, run_group_list,
                                          &(struct group_list_input){.pinned = -1, .limit = 25}, &error));
        assert_null(json_object_get(without, "ungroupedTasks"));
        auto_error bad = {0};
        assert_null(read_as(world, world->dev, run_group_list,
                            &(struct group_list_input){.pinned = -1, .limit = 25, .cursor = "g1"}, &bad));
        assert_code(bad, "invalid_cursor");
}

static void each_task_has_files_of_its_own(void **state)
{
        struct world *world = *state;
        struct attachment_input file = {.filename = "note.txt", .content = "hello", .encoding = "utf8"};
        struct task_create_input input = NEW_TASK(.environment = "many", .instructions = "x", .agents = agents_of(3),
                                                  .attachments = {.items = &file, .count = 1});
        struct call call = world_call(world, world->dev);
        auto_error error = {0};
        auto_json *arguments = json_object();

        call.arguments = arguments;
        assert_true(task_create_prepare(&call, &input, &error));
        auto_json *made = must(write_as(world, world->dev, run_task_create, &input, json_object(), &error));
        task_prepared_free(&world->services, input.prepared, true);
        assert_int_equal(world_number(world, "SELECT count(DISTINCT upload) FROM attachments"), 3);
        assert_int_equal(json_array_size(json_object_get(made, "taskIds")), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_many, world_close)

int run_task_group_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(several_agents_make_one_group_of_the_same_task),
                TEST(every_agent_of_an_environment_can_be_named_at_once),
                TEST(what_cannot_be_a_group_makes_nothing),
                TEST(a_task_that_stands_alone_becomes_the_first_variant),
                TEST(a_private_source_has_private_variants_and_a_template_is_part_of_the_work),
                TEST(a_repeated_request_makes_no_second_group),
                TEST(staged_groups_wait),
                TEST(each_person_is_told_of_visible_tasks_alone),
                TEST(marks_follow_their_rules),
                TEST(a_hidden_winner_is_not_named),
                TEST(a_review_of_what_is_hidden_shows_its_metadata_alone),
                TEST(a_group_is_of_its_creator_and_goes_with_its_last_task),
                TEST(groups_and_lone_tasks_are_listed_in_pages),
                TEST(each_task_has_files_of_its_own),
        };

        return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
