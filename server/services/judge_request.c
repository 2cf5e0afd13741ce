#include "server/services/judge_request.h"

#include <string.h>

#include "server/base/secret.h"
#include "server/services/judge_created.h"
#include "server/services/receipt.h"
#include "server/services/runtime.h"

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

static bool keep(struct call *call, const struct judge_launched *launched, const void *context, struct error *error)
{
        const struct judge_request *request = context;
        auto_free char *outcome = judge_created_outcome(launched);

        return receipt_keep(call, request->tool, request->id, outcome, error);
}

bool judge_request_launch(struct call *call, const struct judge_request *request, struct judge_order *order,
                          json_t **result, struct error *error)
{
        struct judge_launched launched;

        order->recorded = keep;
        order->context = request;
        if (!judge_launch(call, order, &launched, error))
                return false;
        auto_free char *outcome = judge_created_outcome(&launched);
        return judge_created_render(call, outcome, result, error);
}

void judge_request_end(struct call *call, struct judge_request *request)
{
        if (request->is_held)
                runtime_unlock_request(call->services->runtime, number_of(call, request));
        request->is_held = false;
}
