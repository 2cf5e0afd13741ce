/* Limits on what agents may cost: of each user, each environment (both in the present day or month, UTC) and each task
 * as a whole. Nothing starts beyond them; what runs is not stopped by them. */
#ifndef SERVICES_SPEND_H
#define SERVICES_SPEND_H

#include "server/services/environment.h"

enum spend_scope { SPEND_NONE, SPEND_USER, SPEND_ENVIRONMENT, SPEND_TASK };

/* The limit of a task in micro-dollars, INT64_MAX for none. */
int64_t spend_task_limit(void);
/* Which limit the user (rid, 0 for nobody) or the environment (may be NULL) has reached, SPEND_NONE for neither. */
MUST_CHECK bool spend_reached(struct store_db *db, int64_t user, const struct environment *environment, int64_t now,
                              enum spend_scope *reached, struct error *error);
/* When the present day or month ends. */
int64_t spend_period_end(int64_t now);
/* Before a turn is asked for: ERROR_SPEND_LIMIT_REACHED with {limit: user, environment or task; limitUsd; until?} when
 * the acting person, the environment or the task, which has cost `task_micros`, is beyond a limit. */
MUST_CHECK bool spend_check(const struct call *call, const struct environment *environment, int64_t task_micros,
                            struct error *error);

/* {period, since, until, user: {spentUsd, limitUsd}, environments: [{environment, spentUsd, limitUsd}]}: of the acting
 * person and the environments whose details it may see. Reads. */
MUST_CHECK bool spend_get(struct call *call, json_t **result, struct error *error);

#endif
