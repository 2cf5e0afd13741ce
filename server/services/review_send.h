/* The follow-ups of loops, and whether they change anything. */
#ifndef SERVICES_REVIEW_SEND_H
#define SERVICES_REVIEW_SEND_H

#include "server/services/services.h"
#include "server/store/review_loop.h"

/* Sends the loop's feedback as its owner, by the ordinary service and with a key of the round, pulling before it when
 * the loop wants that; the same transaction takes the loop, as it is given, to its next phase, with the turn. `loop`
 * has the version that was read. ERROR_CANCELLED when it was changed meanwhile, and what follow_up_task has. Blocks. */
MUST_CHECK bool review_send(struct services *services, struct store_db *db, struct store_review_loop *loop,
                            struct error *error);
/* The variant's work as it was at the end of its latest turn, as a text that differs when the work does; NULL in
 * *fingerprint when that is not known. The caller frees it. */
MUST_CHECK bool review_fingerprint(const struct services *services, struct store_db *db,
                                   const struct store_review_loop *loop, char **fingerprint, struct error *error);

#endif
