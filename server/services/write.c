#include "server/services/write.h"

#include "server/base/document.h"

struct written {
        struct call call;
        call_work *work;
        const void *input;
        json_t *result;
};

static bool run(struct store_db *db, void *context, struct error *error)
{
        struct written *written = context;

        written->call.db = db;
        return written->work(&written->call, written->input, &written->result, error);
}

bool call_write(struct call *call, call_work *work, const void *input, json_t **result, struct error *error)
{
        struct written written = {.call = *call, .work = work, .input = input};

        if (!store_write(call->services->store, run, &written, error)) {
                json_decref(written.result);
                return false;
        }
        *result = written.result;
        return true;
}
