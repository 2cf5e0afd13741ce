#include "server/services/receipt.h"

#include <string.h>

#include "server/base/document.h"
#include "server/store/work.h"

static void add_piece(const char *bytes, size_t length, void *hasher)
{
        secret_hash_add(hasher, bytes, length);
}

void receipt_fingerprint(const struct call *call, uint8_t hash[SECRET_HASH_SIZE])
{
        struct secret_hasher hasher;

        if (call->fingerprint) {
                memcpy(hash, call->fingerprint, SECRET_HASH_SIZE);
                return;
        }
        secret_hash_begin(&hasher);
        document_canonical_each(call->arguments, add_piece, &hasher);
        secret_hash_end(&hasher, hash);
}

bool receipt_find(struct call *call, const char *tool, const char *request_id, char **task_id, struct error *error)
{
        auto_store_receipt receipt = {0};
        uint8_t hash[SECRET_HASH_SIZE];
        bool is_found = false;

        *task_id = NULL;
        if (!request_id)
                return true;
        if (!store_receipt_find(call->db, call->actor->user, tool, request_id, &receipt, &is_found, error))
                return false;
        if (!is_found)
                return true;
        receipt_fingerprint(call, hash);
        if (!secret_is_equal(hash, receipt.fingerprint, sizeof hash))
                return error_set(
                        error, ERROR_IDEMPOTENCY_CONFLICT,
                        "This request id was used before with other arguments; generate a new one for a new request.");
        *task_id = take(receipt.task);
        return true;
}

bool receipt_keep(struct call *call, const char *tool, const char *request_id, const char *task_id, struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];

        if (!request_id)
                return true;
        receipt_fingerprint(call, hash);
        return store_receipt_add(call->db, call->actor->user, tool, request_id, hash, task_id, call->now, error);
}
