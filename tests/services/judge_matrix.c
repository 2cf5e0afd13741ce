/* What judges answer everybody, for every kind of work that they judge: one table. Each cell runs on a group and a
 * judge of its own. */
#include "server/services/changes_view.h"
#include "server/services/comment.h"
#include "server/services/fork.h"
#include "server/services/judge_pending.h"
#include "server/services/write.h"
#include "tests/services/judging.h"
#include "tests/services/suites.h"

/* Who calls: who made the variants; a Developer and a Viewer of the environment; a Developer of another one; and who
 * may see all. */
enum person { OWNER, MEMBER, VIEWER, OTHER, KEEPER, PERSON_COUNT };
static const char *const names[] = {"owner", "member", "viewer", "other", "keeper"};

/* What was judged: two shared variants of the owner's; the same, private, with a judge of the owner's; and two of which
 * the second is private to the keeper, whose judge is shared. */
enum kind { SHARED, PRIVATE, HIDDEN, KIND_COUNT };
static const char *const kinds[] = {"shared", "private", "hidden"};

struct cell {
        struct world *world;
        const struct actor *actor;
        char *group, *variant, *judge;
};

typedef json_t *action(const struct cell *cell, struct error *error);

static json_t *judge_group(const struct cell *cell, struct error *error)
{
        return judging(cell->world, cell->actor, (struct judge_create_input){.groupId = cell->group}, error);
}

static json_t *judge_task(const struct cell *cell, struct error *error)
{
        return judging(cell->world, cell->actor, (struct judge_create_input){.taskId = cell->variant}, error);
}

static json_t *judge_judge(const struct cell *cell, struct error *error)
{
        return judging(cell->world, cell->actor, (struct judge_create_input){.taskId = cell->judge}, error);
}

static json_t *resubmit(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return judge_resubmit(&call, &(struct judge_task_input){.taskId = cell->judge}, &result, error) ? result : NULL;
}

static json_t *apply(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return judge_apply_winner(&call, &(struct judge_task_input){.taskId = cell->judge}, &result, error) ? result
                                                                                                            : NULL;
}

static json_t *get(const struct cell *cell, struct error *error)
{
        return world_get(cell->world, cell->actor, (struct task_get_input){.taskId = cell->judge}, error);
}

static json_t *output(const struct cell *cell, struct error *error)
{
        return world_output(cell->world, cell->actor, cell->judge, "recommendation", error);
}

static json_t *read_file(const struct cell *cell, struct error *error)
{
        return world_read(cell->world, cell->actor,
                          (struct task_file_input){.taskId = cell->judge, .path = "recommendation.json"}, error);
}

static json_t *follow_up(const struct cell *cell, struct error *error)
{
        return world_follow_up(cell->world, cell->actor,
                               (struct task_follow_up_input){.taskId = cell->judge, .instructions = "x"}, error);
}

static json_t *fork_judge(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return task_fork(&call, &(struct task_fork_input){.taskId = cell->judge}, &result, error) ? result : NULL;
}

static json_t *repeat(const struct cell *cell, struct error *error)
{
        return world_create(cell->world, cell->actor, NEW_TASK(.sourceTaskId = cell->judge), error);
}

static const struct review_loop_options loop_options = {.maxRounds = 1, .minFeedbackPriority = "low"};

static json_t *judge_with_loop(const struct cell *cell, struct error *error)
{
        return judging(cell->world, cell->actor,
                       (struct judge_create_input){.taskId = cell->variant, .reviewLoop = &loop_options}, error);
}

static json_t *judge_later(const struct cell *cell, struct error *error)
{
        return judging(cell->world, cell->actor,
                       (struct judge_create_input){.groupId = cell->group, .whenFinished = true}, error);
}

/* The owner has asked for a review of the variant, with a loop. */
static json_t *asked(const struct cell *cell, bool is_waiting)
{
        return must(judging(cell->world, cell->world->dev,
                            (struct judge_create_input){
                                    .taskId = cell->variant, .reviewLoop = &loop_options, .whenFinished = is_waiting},
                            &(struct error){0}));
}

static json_t *list_requests(const struct cell *cell, struct error *error)
{
        auto_json *request = asked(cell, true);
        struct call call = world_call(cell->world, cell->actor);
        auto_json *list = NULL;

        assert_non_null(request);
        if (!judge_pending_list(&call, &(struct judge_pending_list_input){.taskId = cell->variant}, &list, error))
                return NULL;
        json_t *first = json_array_get(json_object_get(list, "requests"), 0);
        return first ? json_incref(first) : (error_set(error, ERROR_REQUEST_NOT_FOUND, NULL), NULL);
}

static bool cancel_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return judge_pending_cancel(call, input, result, error);
}

static json_t *cancel_request(const struct cell *cell, struct error *error)
{
        auto_json *request = asked(cell, true);
        struct judge_pending_cancel_input input = {member(request, "pendingRequestId")};
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return call_write(&call, cancel_work, &input, &result, error) ? result : NULL;
}

static json_t *get_loop(const struct cell *cell, struct error *error)
{
        auto_json *run = asked(cell, false);
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        assert_non_null(run);
        return review_loop_get(&call, &(struct review_loop_get_input){cell->variant}, &result, error) ? result : NULL;
}

static bool stop_loop_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return review_loop_stop(call, input, result, error);
}

static json_t *stop_loop(const struct cell *cell, struct error *error)
{
        auto_json *run = asked(cell, false);
        struct review_loop_input input = {.loopId = member(json_object_get(run, "reviewLoop"), "loopId")};
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return call_write(&call, stop_loop_work, &input, &result, error) ? result : NULL;
}

static json_t *comments(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return comment_list(&call, &(struct comment_list_input){cell->judge, 0, 25}, &result, error) ? result : NULL;
}

static json_t *changed_files(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        struct changes_list_input input = {.taskId = cell->judge, .limit = 25};
        json_t *result = NULL;

        return changes_list(&call, &input, &result, error) ? result : NULL;
}

static json_t *diff(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        struct changes_read_input input = {cell->judge, "r", "f", 12000, 0};
        json_t *result = NULL;

        return changes_read(&call, &input, &result, error) ? result : NULL;
}

static json_t *summary(const struct cell *cell, struct error *error)
{
        struct call call = world_call(cell->world, cell->actor);
        json_t *result = NULL;

        return review_summary(&call, &(struct review_summary_input){cell->judge}, &result, error) ? result : NULL;
}

/* One letter a person, in their order, for each kind: A is done, M done with the metadata alone, D permission_denied, W
 * content_withheld, H not found, I invalid_task, N not_found: it has no such file. */
static const struct {
        const char *what;
        action *run;
        const char *expected[KIND_COUNT];
} rows[] = {
        {"create_judge_task of the group", judge_group, {"AADHA", "AHHHA", "AADHA"}},
        {"create_judge_task of a variant", judge_task, {"AADHA", "AHHHA", "AADHA"}},
        {"create_judge_task of the judge", judge_judge, {"IIDHI", "IHHHI", "WWWHI"}},
        {"resubmit", resubmit, {"AADHA", "AHHHA", "WWWHA"}},
        {"apply-winner", apply, {"AADHA", "AHHHA", "WWWHA"}},
        {"get_task", get, {"AAAHA", "AHHHA", "MMMHA"}},
        {"get_task_output", output, {"AAAHA", "AHHHA", "MMMHA"}},
        {"read_task_file", read_file, {"AAAHA", "AHHHA", "WWWHA"}},
        {"list_task_comments", comments, {"AAAHA", "AHHHA", "WWWHA"}},
        {"list_task_changed_files", changed_files, {"AAAHA", "AHHHA", "WWWHA"}},
        {"read_task_diff", diff, {"NNNHN", "NHHHN", "WWWHN"}},
        {"get_task_review_summary", summary, {"AAAHA", "AHHHA", "WWWHA"}},
        {"fork_task", fork_judge, {"AADHA", "AHHHA", "WWWHA"}},
        {"create_task", repeat, {"IIIHI", "IHHHI", "WWWHI"}},
        {"follow_up_task", follow_up, {"AADHA", "AHHHA", "WWDHA"}},
        {"create_judge_task with a review loop", judge_with_loop, {"AADHA", "AHHHA", "AADHA"}},
        {"create_judge_task for later", judge_later, {"AADHA", "AHHHA", "AADHA"}},
        {"list_pending_judge_requests", list_requests, {"AHHHH", "AHHHH", "AHHHH"}},
        {"cancel_pending_judge_request", cancel_request, {"AHHHH", "AHHHH", "AHHHH"}},
        {"the review loop", get_loop, {"AAAHA", "AHHHA", "AAAHA"}},
        {"stop the review loop", stop_loop, {"AADHA", "AHHHA", "AADHA"}},
};

static void own(struct world *world, const char *task, const char *person, bool is_shared)
{
        auto_free char *sql =
                text_format("UPDATE tasks SET is_shared = %d, created_by = (SELECT rid FROM users WHERE name "
                            "= '%s') WHERE id = '%s'",
                            is_shared, person, task);

        world_sql(world, sql);
}

static void prepare(struct cell *cell, enum kind kind, struct actor *const *people)
{
        struct world *world = cell->world;
        static const char decision[] = "{\"mode\":\"comparison\",\"winner\":{\"label\":\"A\"}}";

        cell->group = judging_group(world, people[OWNER], 2);
        cell->variant = judging_member(world, cell->group, 0);
        auto_free char *second = judging_member(world, cell->group, 1);
        if (kind == PRIVATE) {
                own(world, cell->variant, "dev", false);
                own(world, second, "dev", false);
        } else if (kind == HIDDEN) {
                own(world, second, "admin", false);
        }
        auto_json *run = must(judging(world, people[kind == HIDDEN ? KEEPER : OWNER],
                                      (struct judge_create_input){.groupId = cell->group}, &(struct error){0}));
        cell->judge = text_copy(member(run, "taskId"));
        judging_decide(world, cell->judge, decision);
}

static char letter_of(const json_t *result, const struct error *error)
{
        static const struct {
                const char *code;
                char letter;
        } letters[] = {{"permission_denied", 'D'},
                       {"content_withheld", 'W'},
                       {"task_not_found", 'H'},
                       {"group_not_found", 'H'},
                       {"pending_request_not_found", 'H'},
                       {"review_loop_not_found", 'H'},
                       {"invalid_task", 'I'},
                       {"not_found", 'N'}};

        if (result)
                return json_is_true(json_object_get(result, "contentWithheld")) ? 'M' : 'A';
        for (size_t i = 0; i < COUNT_OF(letters); i++)
                if (!strcmp(letters[i].code, error_kind(error->code)->code))
                        return letters[i].letter;
        return '?';
}

static void forget(struct cell *cell)
{
        free(cell->group);
        free(cell->variant);
        free(cell->judge);
        *cell = (struct cell){.world = cell->world};
}

/* What one person does of these changes nothing for the next. */
static bool is_for_all(action *run)
{
        static action *const list[] = {judge_group, judge_task, judge_judge, resubmit, apply,         get,  output,
                                       read_file,   repeat,     fork_judge,  comments, changed_files, diff, summary};

        for (size_t i = 0; i < COUNT_OF(list); i++)
                if (list[i] == run)
                        return true;
        return false;
}

static int check(const struct cell *cell, size_t row, enum kind kind, enum person person)
{
        auto_error error = {0};
        auto_json *result = rows[row].run(cell, &error);
        char expected = rows[row].expected[kind][person], found = letter_of(result, &error);

        if (found != expected)
                print_error("%s of the %s, %s work: %c, not %c: %s\n", rows[row].what, names[person], kinds[kind],
                            found, expected, error.message);
        return found != expected;
}

static int check_kind(struct world *world, struct actor *const *people, enum kind kind)
{
        struct cell all = {.world = world};
        int faults = 0;

        prepare(&all, kind, people);
        for (size_t row = 0; row < COUNT_OF(rows); row++)
                for (int person = 0; person < PERSON_COUNT; person++) {
                        struct cell own = {.world = world};
                        struct cell *cell = is_for_all(rows[row].run) ? &all : &own;
                        if (cell == &own)
                                prepare(&own, kind, people);
                        cell->actor = people[person];
                        faults += check(cell, row, kind, (enum person)person);
                        forget(&own);
                }
        forget(&all);
        return faults;
}

static void everything_about_judges_answers_everybody_as_the_table_says(void **state)
{
        struct world *world = *state;
        int faults = 0;

        world_person(world, "member");
        world_bind(world, "member", "Developer", "many");
        struct actor *another = world_actor(world, "member");
        struct actor *const people[] = {world->dev, another, world->viewer, world->outsider, world->admin};
        for (int kind = 0; kind < KIND_COUNT; kind++)
                faults += check_kind(world, people, (enum kind)kind);
        actor_free(another);
        assert_int_equal(faults, 0);
}

int run_judge_matrix_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(everything_about_judges_answers_everybody_as_the_table_says,
                                                judging_open, world_close),
        };

        return cmocka_run_group_tests_name("judge matrix", tests, NULL, NULL);
}
