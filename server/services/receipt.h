/* Receipts: the same request id with the same arguments gives the same outcome, also at the same instant and after a
 * crash. Scoped to the person and the tool. The receipt is written in the transaction that does what was asked for, so
 * there is no outcome that cannot be told. */
#ifndef SERVICES_RECEIPT_H
#define SERVICES_RECEIPT_H

#include "server/base/secret.h"
#include "server/services/services.h"

/* The fingerprint of the call's arguments: with it as `call->fingerprint`, a piece of work need not go through large
 * arguments again. */
void receipt_fingerprint(const struct call *call, uint8_t hash[SECRET_HASH_SIZE]);

/* Looks the request up, before validation and policy. *task_id is the earlier outcome (the caller frees it): the id of
 * its task, or whatever else the tool keeps; NULL when the request is new. ERROR_IDEMPOTENCY_CONFLICT when the id was
 * used with other arguments. A NULL request id is always new. */
MUST_CHECK bool receipt_find(struct call *call, const char *tool, const char *request_id, char **task_id,
                             struct error *error);
/* Keeps the outcome. Nothing for a NULL request id. */
MUST_CHECK bool receipt_keep(struct call *call, const char *tool, const char *request_id, const char *task_id,
                             struct error *error);

#endif
