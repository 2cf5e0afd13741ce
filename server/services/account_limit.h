/* Accounts whose provider gives no more for now: after a turn that ended at a usage limit nothing further is started on
 * its account until the limit ends. A limit whose end the provider told ends then. After one that it did not tell, a
 * single turn is tried when the wait is over; each further limit doubles the wait. */
#ifndef SERVICES_ACCOUNT_LIMIT_H
#define SERVICES_ACCOUNT_LIMIT_H

#include "server/services/environment.h"

struct account_hold {
        bool is_held;
        bool is_probing; /* not held, but only one turn at a time may run on the account */
        int64_t until;   /* ms, when it is held */
};

/* What an agent's turns of that owner (rid, 0 for nobody) in that environment run with: the name of its account, for
 * the functions below. *name is the caller's; NULL when the agent needs none or there is none. */
MUST_CHECK bool account_limit_name(struct store_db *db, const struct environment *environment, int64_t owner,
                                   const char *agent, char **name, struct error *error);
/* Whether there is any limit, so that names need not be looked up. */
MUST_CHECK bool account_limit_exists(struct store_db *db, bool *exists, struct error *error);
MUST_CHECK bool account_limit_look(struct store_db *db, const char *name, int64_t now, struct account_hold *hold,
                                   struct error *error);
/* In a piece of work: a turn ended at a limit; `resets_at` is when it ends as the provider told, 0 when it did not. */
MUST_CHECK bool account_limit_reached(struct store_db *db, const char *name, int64_t resets_at, int64_t now,
                                      struct error *error);
/* In a piece of work: a turn on the account ended well. */
MUST_CHECK bool account_limit_over(struct store_db *db, const char *name, struct error *error);
/* In a piece of work: the account of that rid has a new credential, or is gone. */
MUST_CHECK bool account_limit_forget(struct store_db *db, int64_t account, struct error *error);

#endif
