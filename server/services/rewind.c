#include "server/services/rewind.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/agent.h"
#include "server/services/audit.h"
#include "server/services/conversation_files.h"
#include "server/services/task_view.h"
#include "server/store/rewind.h"

#define TURNS_MAXIMUM 100000
/* Of what was said, for an agent whose own record cannot be cut back: its end. */
#define TRANSCRIPT_CHARACTERS 24000
#define TRANSCRIPT_TURNS 50

static bool is_point(const struct store_turn *turn)
{
        return turn->has_conversation_index && !strcmp(turn->state, "ended");
}

bool rewind_list(struct call *call, const struct rewind_list_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_turns turns = {0};
        json_t *points = json_array();
        int64_t total = 0, next;

        if (!access_task_view(call->db, call->actor, input->taskId, &task, error) ||
            !store_turn_list(call->db, task.rid, TURNS_MAXIMUM, &turns, error)) {
                json_decref(points);
                return false;
        }
        for (size_t i = turns.count; i > 0; i--) {
                const struct store_turn *turn = &turns.items[i - 1];
                if (!is_point(turn) || total++ < input->offset || (int64_t)json_array_size(points) == input->limit)
                        continue;
                json_t *point = json_pack("{s:I, s:I, s:o, s:b}", "pointId", (json_int_t)turn->ordinal - 1, "turn",
                                          (json_int_t)turn->conversation_index, "timestamp",
                                          document_time(turn->submitted_at), "isCurrent", turn->rid == task.turn);
                json_array_append_new(points, point);
        }
        next = input->offset + (int64_t)json_array_size(points);
        *result = json_pack("{s:s, s:s, s:o, s:I, s:o}", "taskId", task.id, "status", total ? "available" : "empty",
                            "points", points, "total", (json_int_t)total, "nextOffset",
                            next < total ? json_integer(next) : json_null());
        return true;
}

static bool find_point(struct call *call, const struct store_task *task, int64_t ordinal, int64_t *turn,
                       struct error *error)
{
        auto_store_turns turns = {0};

        if (!store_turn_list(call->db, task->rid, TURNS_MAXIMUM, &turns, error))
                return false;
        for (size_t i = 0; i < turns.count; i++)
                if (turns.items[i].ordinal == ordinal && is_point(&turns.items[i])) {
                        *turn = turns.items[i].conversation_index;
                        return true;
                }
        return error_set(error, ERROR_REWIND_POINT_NOT_FOUND, NULL);
}

static bool render(struct call *call, const char *id, const struct rewind_input *input, int64_t turn, int discarded,
                   json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};

        if (!task_open(call, id, &task, &redactor, error))
                return false;
        *result =
                json_pack("{s:s, s:I, s:I, s:i, s:o}", "taskId", task.id, "pointId", (json_int_t)input->pointId, "turn",
                          (json_int_t)turn, "discardedTurns", discarded, "task", task_view(call, &task, &redactor));
        return true;
}

bool task_rewind(struct call *call, const struct rewind_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        int discarded = 0;
        int64_t turn = 0;

        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, &task, error) ||
            !access_require_content(&task, error))
                return false;
        if (!strcmp(task.status, "running") || !strcmp(task.status, "queued"))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.", task.status);
        return find_point(call, &task, input->pointId + 1, &turn, error) &&
               store_rewind(call->db, task.rid, input->pointId + 1, &discarded, error) &&
               audit_write(call->db, call->actor, "task.rewind", task.id,
                           json_pack("{s:I}", "pointId", (json_int_t)input->pointId), error) &&
               render(call, task.id, input, turn, discarded, result, error);
}

static bool append_turn(struct store_db *db, const struct store_turn *turn, struct text *out, struct error *error)
{
        auto_store_turn whole = {0};
        auto_store_reply reply = {0};
        bool is_found, is_replied;

        if (!store_turn_find(db, turn->rid, &whole, &is_found, error) ||
            !store_reply_find(db, turn->rid, &reply, &is_replied, error))
                return false;
        text_printf(out, "## User\n\n%s\n\n", is_found ? whole.shown : "");
        if (is_replied)
                text_printf(out, "## You\n\n%s\n\n", reply.body);
        return true;
}

static bool write_transcript(struct store_db *db, const struct store_turn *next, char **transcript, struct error *error)
{
        const struct store_turn *told[TRANSCRIPT_TURNS];
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_store_turns turns = {0};
        size_t count = 0;

        if (!store_turn_list(db, next->task, TURNS_MAXIMUM, &turns, error))
                return false;
        for (size_t i = 0; i < turns.count && count < TRANSCRIPT_TURNS; i++)
                if (turns.items[i].has_conversation_index && turns.items[i].ordinal < next->ordinal)
                        told[count++] = &turns.items[i];
        if (!count)
                return true;
        while (count > 0)
                if (!append_turn(db, told[--count], &text, error))
                        return false;
        size_t start = utf8_tail_offset(text_string(&text), text.length, TRANSCRIPT_CHARACTERS);
        *transcript = text_format("# The conversation so far%s\n\n%s# What to do next\n\n", start ? ", its end" : "",
                                  text_string(&text) + start);
        return true;
}

bool rewind_prepare(const struct services *services, struct store_db *db, const struct store_task *task,
                    const struct store_turn *turn, const struct agent *agent, bool *is_forgotten, char **transcript,
                    struct error *error)
{
        auto_store_turn_before before = {0};

        *is_forgotten = false;
        *transcript = NULL;
        if (agent->is_script || !store_turn_find_before(db, task->rid, turn->ordinal, &before, error))
                return agent->is_script;
        if (before.ordinal && before.ordinal == before.latest)
                return true;
        bool is_same = before.ordinal && !strcmp(before.agent, turn->agent);
        if (is_same && agent->conversations && before.conversation_files)
                return conversation_files_restore(services, task->id, agent, before.conversation_files, error);
        *is_forgotten = true;
        return write_transcript(db, turn, transcript, error);
}
