/* Winner and loser: where each variant of a group landed. The winner's star is a designation and excludes nothing; a
 * loser is left out of further evaluation. */
#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/group.h"
#include "server/services/review_watch.h"
#include "server/services/task_view.h"

/* One marking on its way. */
struct marking {
        struct call *call;
        struct store_task task;
        struct group_scope scope;
        json_t *notes;
};

static void marking_clear(struct marking *marking)
{
        store_task_clear(&marking->task);
        group_scope_clear(&marking->scope);
        json_decref(marking->notes);
}
#define auto_marking CLEANUP(marking_clear) struct marking

static void note(struct marking *marking, const char *sentence)
{
        json_array_append_new(marking->notes, json_string(sentence));
}

static bool open(struct marking *marking, const char *task_id, struct error *error)
{
        struct call *call = marking->call;

        marking->notes = json_array();
        if (!access_task_require(call->db, call->actor, task_id, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY,
                                 &marking->task, error))
                return false;
        if (marking->task.is_judge)
                return error_set(error, ERROR_TASK_INVALID,
                                 "A review cannot be marked; mark one of the variants that it evaluated.");
        if (!marking->task.group_id)
                return error_set(error, ERROR_TASK_INVALID,
                                 "The task stands alone; marks belong to the variants of a group.");
        return group_open_of_task(call, &marking->task, &marking->scope, error);
}

static bool is_finished(const struct store_task *task)
{
        return strcmp(task->status, "running") && strcmp(task->status, "queued") && strcmp(task->status, "staged");
}

/* The group as it is now, with what the change did. */
static bool render(struct marking *marking, json_t **result, struct error *error)
{
        struct call *call = marking->call;
        auto_group_scope scope = {0};
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        json_t *remaining = json_array();
        auto_json *object = json_pack("{s:s, s:s, s:o}", "taskId", marking->task.id, "groupId", marking->task.group_id,
                                      "remainingTaskIds", remaining);
        static const char *const copied[] = {"winnerTaskId", "loserTaskIds", "evaluableTaskIds"};

        if (!task_open(call, marking->task.id, &task, &redactor, error) ||
            !group_open(call, task.group_id, &scope, error))
                return false;
        json_t *view = task_view(call, &task, &redactor), *group = group_view(call, &scope, &redactor);
        for (size_t i = 0; i < COUNT_OF(copied); i++)
                json_object_set(object, copied[i], json_object_get(group, copied[i]));
        json_object_set_new(object, "isWinner", json_boolean(task.is_winner));
        json_object_set_new(object, "isLoser", json_boolean(task.is_loser));
        json_object_set(object, "notes", marking->notes);
        json_object_set_new(object, "group", group);
        json_object_set_new(object, "task", view);
        for (size_t i = 0; i < scope.seen.count; i++)
                if (!scope.seen.items[i].is_judge && !scope.seen.items[i].is_loser)
                        json_array_append_new(remaining, json_string(scope.seen.items[i].id));
        *result = take(object);
        return true;
}

/* Takes the star from the other variants; a hidden one's too, when the actor may change it. */
static bool clear_star(struct marking *marking, const struct store_tasks *tasks, bool is_hidden, struct error *error)
{
        struct call *call = marking->call;

        for (size_t i = 0; i < tasks->count; i++) {
                const struct store_task *other = &tasks->items[i];
                if (!other->is_winner || other->rid == marking->task.rid)
                        continue;
                if (!access_may(call->actor, PERMISSION_TASKS_CHANGE, PERMISSION_TASKS_CHANGE_ANY, other))
                        return is_hidden ? error_set(error, ERROR_PERMISSION_DENIED,
                                                     "Another variant of the group is the winner, and you may not "
                                                     "change it.")
                                         : error_set(error, ERROR_PERMISSION_DENIED,
                                                     "The variant %s is the winner, and you may not change it.",
                                                     other->id);
                if (!store_task_mark(call->db, other->rid, false, other->is_loser, error))
                        return false;
                if (!is_hidden)
                        note(marking, "The star was taken from the variant that had it.");
        }
        return true;
}

bool task_set_winner(struct call *call, const struct task_mark_input *input, json_t **result, struct error *error)
{
        auto_marking marking = {.call = call};

        if (!open(&marking, input->taskId, error))
                return false;
        if (input->winner && marking.task.is_loser)
                return error_set(error, ERROR_OUTCOME_CONFLICT,
                                 "The variant is marked as a loser; clear that mark with set_task_loser first.");
        if (input->winner == marking.task.is_winner)
                note(&marking, input->winner ? "It was the winner already." : "It had no star.");
        if (input->winner && (!clear_star(&marking, &marking.scope.seen, false, error) ||
                              !clear_star(&marking, &marking.scope.hidden, true, error)))
                return false;
        note(&marking, input->winner ? "The star records the pick: no variant is excluded or stopped, and nothing is "
                                       "applied."
                                     : "The group has no pick of this variant any more.");
        if (input->winner && !is_finished(&marking.task))
                note(&marking, "The task has not finished: what it comes to is not final.");
        return store_task_mark(call->db, marking.task.rid, input->winner, marking.task.is_loser, error) &&
               audit_write(call->db, call->actor, "task.winner", marking.task.id,
                           json_pack("{s:b}", "winner", input->winner), error) &&
               render(&marking, result, error);
}

/* What ruling a variant out comes to for the others that can be seen. */
static void note_remaining(struct marking *marking)
{
        size_t variants = 0, left = 0;

        for (size_t i = 0; i < marking->scope.seen.count; i++) {
                const struct store_task *task = &marking->scope.seen.items[i];
                variants += !task->is_judge;
                left += !task->is_judge && !task->is_loser && task->rid != marking->task.rid;
        }
        note(marking, "A loser is left out of reviews from now on.");
        if (!left)
                note(marking, "Every variant is ruled out: there is nothing to evaluate until a mark is cleared.");
        else if (variants == 2)
                note(marking, "The other variant is the winner by that; no star was set on it.");
        else
                note(marking, "The field is narrowed; remainingTaskIds are still in the running.");
}

bool task_set_loser(struct call *call, const struct task_mark_input *input, json_t **result, struct error *error)
{
        auto_marking marking = {.call = call};

        if (!open(&marking, input->taskId, error))
                return false;
        if (input->loser && marking.task.is_winner)
                return error_set(error, ERROR_OUTCOME_CONFLICT,
                                 "The variant is the winner; clear the star with set_task_winner first.");
        if (input->loser && marking.task.approved_by)
                return error_set(error, ERROR_OUTCOME_CONFLICT, "The variant has been approved.");
        if (input->loser == marking.task.is_loser)
                note(&marking, input->loser ? "It was a loser already." : "It had no such mark.");
        if (input->loser)
                note_remaining(&marking);
        else
                note(&marking, "The variant is in the running.");
        if (input->loser && !is_finished(&marking.task))
                note(&marking, "The task has not finished: what it comes to is not final.");
        return store_task_mark(call->db, marking.task.rid, marking.task.is_winner, input->loser, error) &&
               review_look(call->db, marking.task.rid, marking.task.id, error) &&
               audit_write(call->db, call->actor, "task.loser", marking.task.id,
                           json_pack("{s:b}", "loser", input->loser), error) &&
               render(&marking, result, error);
}
