/* Which of the tasks that wait gets a slot: nobody above a limit, and among the others whoever has the fewest tasks
 * running, then whoever waits longest. Internal to the slots. */
#ifndef SERVICES_ADMISSION_H
#define SERVICES_ADMISSION_H

#include "server/services/environment.h"
#include "server/store/queue.h"

/* Why tasks of a lane do not start now. */
enum admission_hold {
        ADMISSION_FREE,
        ADMISSION_USER,
        ADMISSION_ENVIRONMENT,
        ADMISSION_AGENT,
        ADMISSION_ACCOUNT,
        ADMISSION_USER_SPEND,
        ADMISSION_ENVIRONMENT_SPEND,
};

struct admission_lane {
        struct store_lane row;
        const struct environment *environment; /* a reference; NULL when it is gone */
        char *account;                         /* NULL: none, or nothing is limited */
        enum admission_hold hold;              /* by what does not change while slots are given away */
        int64_t until;                         /* of the hold, 0 when that cannot be told */
        bool is_probing;
};

struct admission {
        struct store_db *db;
        struct admission_lane *waiting, *running;
        size_t waiting_count, running_count;
        int64_t slots;                  /* that are free */
        struct admission_lane *started; /* the lane whose head was handed out last */
};
/* Reads who waits and who runs. `admission` is zeroed by the caller and cleared by admission_clear, also on error. */
MUST_CHECK bool admission_open(const struct services *services, struct store_db *db, int64_t now,
                               struct admission *admission, struct error *error);
void admission_clear(struct admission *admission);
#define auto_admission CLEANUP(admission_clear) struct admission

/* The task that starts next, counted as running from now on; 0 when none may. The caller starts it before it asks for
 * another. */
MUST_CHECK bool admission_next(struct admission *admission, int64_t *rid, struct error *error);
/* What holds the lane at present. */
enum admission_hold admission_hold_of(const struct admission *admission, const struct admission_lane *lane);

#endif
