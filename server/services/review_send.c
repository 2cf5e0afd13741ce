#include "server/services/review_send.h"

#include "server/base/document.h"
#include "server/services/changes.h"
#include "server/services/review_actor.h"
#include "server/services/task.h"
#include "server/store/saved_change.h"
#include "server/store/task.h"

struct sending {
        const struct services *services;
        const struct review_actor *owner;
        struct store_review_loop *loop;
        const struct task_follow_up_input *input;
        const json_t *arguments;
};

static bool send_work(struct store_db *db, void *context, struct error *error)
{
        const struct sending *sending = context;
        struct call call = review_actor_call(sending->services, db, sending->owner, sending->loop->source);
        auto_store_task task = {0};
        auto_json *result = NULL;
        bool is_done, is_found;

        call.arguments = sending->arguments;
        if (!task_follow_up(&call, sending->input, &result, error) ||
            !store_task_find_rid(db, sending->loop->task, 0, &task, &is_found, error))
                return false;
        sending->loop->turn = task.turn;
        return store_review_loop_step(db, sending->loop, &is_done, error) &&
               (is_done || error_set(error, ERROR_CANCELLED, "The loop was changed meanwhile."));
}

bool review_send(struct services *services, struct store_db *db, struct store_review_loop *loop, struct error *error)
{
        auto_review_actor owner = {0};
        auto_free char *key = text_format("%s-%lld", loop->id, (long long)loop->round);
        struct task_follow_up_input input = {.taskId = loop->task_id,
                                             .instructions = loop->feedback,
                                             .idempotencyKey = key,
                                             .pullLatest = loop->pulls_latest};
        auto_json *arguments = json_pack("{s:s, s:s, s:s, s:b}", "taskId", loop->task_id, "instructions",
                                         loop->feedback, "idempotencyKey", key, "pullLatest", loop->pulls_latest);

        if (!review_actor_open(db, loop->owner, &owner, error))
                return false;
        struct call call = review_actor_call(services, db, &owner, loop->source);
        call.arguments = arguments;
        struct sending sending = {services, &owner, loop, &input, arguments};
        bool is_done = (!task_follow_up_is_prepared_first(&input) || task_follow_up_prepare(&call, &input, error)) &&
                       store_write(services->store, send_work, &sending, error);
        task_prepared_free(services, input.prepared, is_done);
        return is_done;
}

/* Without repositories there is nothing to tell changes by; what was not saved whole may have changed. */
static bool is_known(const struct store_saved_changes *changes)
{
        for (size_t i = 0; i < changes->count; i++)
                if (changes->items[i].reason || !changes->items[i].is_whole)
                        return false;
        return changes->count > 0;
}

bool review_fingerprint(const struct services *services, struct store_db *db, const struct store_review_loop *loop,
                        char **fingerprint, struct error *error)
{
        auto_store_saved_changes changes = {0};

        *fingerprint = NULL;
        if (!store_saved_change_list(db, loop->task, &changes, error))
                return false;
        if (!is_known(&changes))
                return true;
        *fingerprint = changes_fingerprint(services, loop->task_id, error);
        return *fingerprint != NULL;
}
