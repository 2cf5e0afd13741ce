#include <string.h>

#include "server/base/clock.h"
#include "server/services/follow_up.h"
#include "server/services/prompt.h"
#include "server/services/slot.h"
#include "server/store/turn.h"

/* As much as one submission may have. */
#define BATCH_BYTES_MAXIMUM 800000

void follow_up_batch_clear(struct follow_up_batch *batch)
{
        for (size_t i = 0; i < FOLLOW_UP_BATCH_MAXIMUM; i++) {
                store_follow_up_clear(&batch->items[i]);
                store_attachments_clear(&batch->files[i]);
        }
        batch->count = batch->bytes = 0;
}

static bool has_file(const struct follow_up_batch *batch, const char *filename)
{
        for (size_t i = 0; i < batch->count; i++)
                for (size_t j = 0; j < batch->files[i].count; j++)
                        if (!strcmp(batch->files[i].items[j].filename, filename))
                                return true;
        return false;
}

static bool is_same(const char *a, const char *b)
{
        return a && b ? !strcmp(a, b) : a == b;
}

/* Whether the one behind the batch can be part of the same turn. */
static bool goes_along(const struct follow_up_batch *batch, const struct store_follow_up *next,
                       const struct store_attachments *files)
{
        const struct store_follow_up *first = &batch->items[0];

        if (!batch->count)
                return true;
        if (batch->count == FOLLOW_UP_BATCH_MAXIMUM || batch->bytes + strlen(next->instructions) > BATCH_BYTES_MAXIMUM)
                return false;
        if (next->sender != first->sender || strcmp(next->kind, first->kind) || !is_same(next->by_task, first->by_task))
                return false;
        if (next->model || next->reasoning_effort || next->speed)
                return false;
        for (size_t i = 0; i < files->count; i++)
                if (has_file(batch, files->items[i].filename))
                        return false;
        return true;
}

bool follow_up_batch_take(struct store_db *db, int64_t task, int64_t after, struct follow_up_batch *batch,
                          struct error *error)
{
        for (int64_t place = after;;) {
                auto_store_follow_up next = {0};
                auto_store_attachments files = {0};
                bool is_found;
                if (!store_follow_up_next(db, task, place, &next, &is_found, error))
                        return false;
                if (!is_found)
                        return true;
                if (next.attachments && !store_follow_up_attachments(db, next.rid, &files, error))
                        return false;
                if (!goes_along(batch, &next, &files))
                        return true;
                place = next.place;
                batch->bytes += strlen(next.instructions);
                batch->files[batch->count] = files;
                batch->items[batch->count++] = next;
                next = (struct store_follow_up){0};
                files = (struct store_attachments){0};
        }
}

/* The texts of a batch. */
struct texts {
        struct prompt prompts[FOLLOW_UP_BATCH_MAXIMUM];
        struct text shown, given;
        bool is_given_other;
};

static void texts_clear(struct texts *texts)
{
        for (size_t i = 0; i < FOLLOW_UP_BATCH_MAXIMUM; i++)
                prompt_clear(&texts->prompts[i]);
        text_clear(&texts->shown);
        text_clear(&texts->given);
}

/* The list of files as the prompt wants it; borrowed names. */
static void list_files(const struct store_attachments *files, struct upload *upload)
{
        for (size_t i = 0; i < files->count && i < COUNT_OF(upload->files); i++)
                upload->files[upload->count++] = (struct upload_file){files->items[i].filename, files->items[i].size};
}

/* What a task sent is headed with who and when, for the agent that gets it. */
static char *heading_of(const struct store_task *task, const struct store_follow_up *item, bool is_script)
{
        char set_at[CLOCK_ISO_SIZE], due_at[CLOCK_ISO_SIZE];

        if (!item->by_task || !item->deliver_at)
                return NULL;
        clock_format(item->submitted_at, set_at);
        clock_format(item->deliver_at, due_at);
        if (!strcmp(item->by_task, task->id))
                return text_format("%sScheduled wake-up you set at %s for %s", is_script ? "# " : "", set_at, due_at);
        return text_format("%sScheduled message from the %s task, set at %s for %s", is_script ? "# " : "",
                           item->by_task, set_at, due_at);
}

static void append(struct text *out, const char *text)
{
        if (out->length && *text)
                text_append_string(out, "\n\n");
        text_append_string(out, text);
}

/* What the agent gets of one item when it is not what people are shown; on the heap. */
static char *given_of(const struct store_task *task, const struct store_follow_up *item, const struct prompt *prompt,
                      const struct agent *agent)
{
        auto_free char *heading = heading_of(task, item, agent && agent->is_script);
        struct prompt own = *prompt;

        if (item->given)
                own.parts[PROMPT_INSTRUCTIONS] = item->given;
        char *given = prompt_given(&own, agent);
        if (!given && (item->given || heading))
                given = prompt_shown(&own);
        if (!heading)
                return given;
        auto_free char *body = given;
        return text_format("%s\n\n%s", heading, body);
}

static void write_texts(const struct store_task *task, const struct follow_up_batch *batch, struct texts *texts)
{
        const struct agent *agent = agent_find_known(task->agent);

        for (size_t i = 0; i < batch->count; i++) {
                const struct store_follow_up *item = &batch->items[i];
                auto_free struct upload *files = memory_new(sizeof *files);
                list_files(&batch->files[i], files);
                texts->prompts[i] = (struct prompt){
                        .parts = {[PROMPT_INSTRUCTIONS] = *item->instructions ? item->instructions : NULL}};
                prompt_generate(&texts->prompts[i], NULL, files);
                auto_free char *shown = prompt_shown(&texts->prompts[i]),
                               *given = given_of(task, item, &texts->prompts[i], agent);
                append(&texts->shown, shown);
                append(&texts->given, given ? given : shown);
                texts->is_given_other = texts->is_given_other || given;
        }
}

static bool hand_over(struct store_db *db, struct follow_up_batch *batch, const struct texts *texts, int64_t turn,
                      struct error *error)
{
        for (size_t i = 0; i < batch->count; i++) {
                bool is_done;
                if (!prompt_keep(db, &texts->prompts[i], turn, error) ||
                    !store_follow_up_deliver(db, batch->items[i].rid, turn, &is_done, error))
                        return false;
                if (!is_done)
                        return error_set(error, ERROR_INTERNAL, "a follow-up of the task was delivered before");
        }
        return true;
}

static bool start_staged(const struct services *services, struct store_db *db, const struct store_task *task,
                         struct follow_up_batch *batch, struct texts *texts, int64_t now, struct error *error)
{
        const char *status, *given = texts->is_given_other ? text_string(&texts->given) : NULL;

        return (!texts->shown.length || store_turn_append(db, task->turn, text_string(&texts->shown), given, error)) &&
               hand_over(db, batch, texts, task->turn, error) &&
               slot_start(services, db, task->rid, task->turn, 0, now, &status, error);
}

static bool start_next(const struct services *services, struct store_db *db, const struct store_task *task,
                       struct follow_up_batch *batch, struct texts *texts, int64_t now, struct error *error)
{
        const struct store_follow_up *first = &batch->items[0];
        struct store_turn_new turn = {.task = task->rid,
                                      .sender = first->sender,
                                      .kind = first->kind,
                                      .origin = first->origin,
                                      .state = "waiting",
                                      .agent = task->agent,
                                      .shown = text_string(&texts->shown),
                                      .given = texts->is_given_other ? text_string(&texts->given) : NULL,
                                      .submitted_at = now};
        int64_t rid, ordinal;
        const char *status;

        return store_turn_add(db, &turn, &rid, &ordinal, error) && hand_over(db, batch, texts, rid, error) &&
               slot_start(services, db, task->rid, rid, 1, now, &status, error);
}

bool follow_up_batch_start(const struct services *services, struct store_db *db, const struct store_task *task,
                           struct follow_up_batch *batch, int64_t now, struct error *error)
{
        const struct store_follow_up *first = &batch->items[0];
        struct texts texts = {.shown = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), .given = TEXT_WITH_MAXIMUM(SIZE_MAX / 2)};

        write_texts(task, batch, &texts);
        bool is_started =
                store_task_choose(db, task->rid, first->model, first->reasoning_effort, first->speed, error) &&
                (!strcmp(task->status, "staged") ? start_staged(services, db, task, batch, &texts, now, error)
                                                 : start_next(services, db, task, batch, &texts, now, error));
        texts_clear(&texts);
        return is_started;
}
