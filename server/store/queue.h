/* Who waits for a slot and who holds one, by lanes; limits of provider accounts; what was spent. */
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include "server/store/store.h"

/* What decides alike for all of its tasks: by rid, 0 for nobody. */
struct store_lane {
        int64_t user;  /* who asked for the turn */
        int64_t owner; /* of the task, whose account it runs with */
        int64_t environment;
        char *agent;
        int64_t since; /* ms; when the task that waits longest began to; 0 in a list of running ones */
        int64_t count; /* of running tasks; 0 in a list of waiting ones */
};
struct store_lanes {
        struct store_lane *items; /* owned, with their strings */
        size_t count;
};
void store_lanes_clear(struct store_lanes *lanes);
#define auto_store_lanes CLEANUP(store_lanes_clear) struct store_lanes

/* Every lane in which a task waits; one seek a lane. */
MUST_CHECK bool store_lane_list_waiting(struct store_db *db, struct store_lanes *lanes, struct error *error);
/* Every lane in which tasks run. */
MUST_CHECK bool store_lane_list_running(struct store_db *db, struct store_lanes *lanes, struct error *error);
/* The task of the lane that waits longest among those that have cost less than `cost_maximum` micro-dollars, and since
 * when; *rid is 0 when there is none. */
MUST_CHECK bool store_lane_head(struct store_db *db, const struct store_lane *lane, int64_t cost_maximum, int64_t *rid,
                                int64_t *since, struct error *error);

/* That the provider of an account gives no more until then. */
struct store_account_limit {
        int64_t resets_at; /* ms */
        bool is_told;      /* the provider told the time */
        int64_t attempts;  /* limits in a row whose end it did not tell */
};
MUST_CHECK bool store_account_limit_find(struct store_db *db, const char *account, struct store_account_limit *limit,
                                         bool *is_found, struct error *error);
MUST_CHECK bool store_account_limit_put(struct store_db *db, const char *account,
                                        const struct store_account_limit *limit, struct error *error);
MUST_CHECK bool store_account_limit_delete(struct store_db *db, const char *account, struct error *error);
/* The first time after `after` at which a limit ends, 0 for none. */
MUST_CHECK bool store_account_limit_next(struct store_db *db, int64_t after, int64_t *resets_at, struct error *error);

/* What the user or environment ("user", "environment") of that id has cost since the day (UTC, days since the epoch),
 * in micro-dollars. */
MUST_CHECK bool store_spending_since(struct store_db *db, const char *scope, const char *id, int64_t day,
                                     int64_t *cost_micros, struct error *error);

#endif
