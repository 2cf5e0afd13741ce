#include "server/services/judge_request.h"

#include <string.h>

#include "server/base/secret.h"
#include "server/services/judge_created.h"
#include "server/services/judge_pending.h"
#include "server/services/receipt.h"
#include "server/services/runtime.h"
#include "server/services/write.h"

/* What a request is known by while it is being worked on. */
static int64_t number_of(const struct call *call, const struct judge_request *request)
{
        auto_free char *text = text_format("%s %s %s", call->actor->user_id, request->tool, request->id);
        uint8_t hash[SECRET_HASH_SIZE];
        int64_t number;

        secret_hash(text, strlen(text), hash);
        memcpy(&number, hash, sizeof number);
        return number;
}

bool judge_request_begin(struct call *call, struct judge_request *request, json_t **result, bool *is_answered,
                         struct error *error)
{
        auto_free char *outcome = NULL;

        if (request->id) {
                runtime_lock_request(call->services->runtime, number_of(call, request));
                request->is_held = true;
        }
        if (!receipt_find(call, request->tool, request->id, &outcome, error))
                return false;
        *is_answered = outcome != NULL;
        return !outcome || judge_created_render(call, outcome, result, error);
}

/* A run that is recorded, with the loop that it begins. */
struct keeping {
        const struct judge_request *request;
        const struct review_loop_start *start; /* NULL: no loop */
};

static char *outcome_of(const struct keeping *keeping, const struct judge_launched *launched)
{
        return judge_created_outcome(launched, keeping->start ? keeping->start->id : NULL);
}

static bool keep(struct call *call, const struct judge_launched *launched, const void *context, struct error *error)
{
        const struct keeping *keeping = context;
        auto_free char *outcome = outcome_of(keeping, launched);

        return receipt_keep(call, keeping->request->tool, keeping->request->id, outcome, error) &&
               (!keeping->start || review_loop_recorded(call, launched, keeping->start, error));
}

static bool check_loop(struct call *call, const struct judge_order *order, struct error *error)
{
        auto_judge_plan plan = {0};

        return judge_plan_make(call, order, &plan, error) && review_loop_check(call, &plan, error);
}

bool judge_request_launch(struct call *call, const struct judge_request *request, struct judge_order *order,
                          json_t **result, struct error *error)
{
        char loop_id[ID_SIZE];
        struct review_loop_start start = {.order = order, .id = loop_id};
        struct keeping keeping = {request, request->loop ? &start : NULL};
        struct judge_launched launched;

        if (request->loop) {
                if (!check_loop(call, order, error))
                        return false;
                review_loop_new_id(loop_id);
                start.options = *request->loop;
                order->loop = loop_id;
                order->round = 1;
        }
        order->recorded = keep;
        order->context = &keeping;
        if (!judge_launch(call, order, &launched, error))
                return false;
        auto_free char *outcome = outcome_of(&keeping, &launched);
        return judge_created_render(call, outcome, result, error);
}

struct saving {
        const struct judge_request *request;
        const struct judge_order *order;
};

static bool save_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct saving *saving = context;
        const struct judge_pending_new new = {
                .order = saving->order, .loop = saving->request->loop, .origin = REQUEST_BY_PERSON};
        char id[ID_SIZE];

        if (!judge_pending_add(call, &new, id, error))
                return false;
        auto_free char *outcome = judge_pending_outcome(id);
        return receipt_keep(call, saving->request->tool, saving->request->id, outcome, error) &&
               judge_pending_show(call, id, result, error);
}

bool judge_request_save(struct call *call, const struct judge_request *request, const struct judge_order *order,
                        json_t **result, struct error *error)
{
        struct saving saving = {request, order};

        return call_write(call, save_work, &saving, result, error);
}

void judge_request_end(struct call *call, struct judge_request *request)
{
        if (request->is_held)
                runtime_unlock_request(call->services->runtime, number_of(call, request));
        request->is_held = false;
}
