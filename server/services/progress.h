/* How a service that takes long tells whoever asked how far it is, and learns that nobody waits any more. */
#ifndef SERVICES_PROGRESS_H
#define SERVICES_PROGRESS_H

#include <stdatomic.h>

#include "server/services/services.h"

/* Made by a door; call->progress is NULL where nobody listens. */
struct progress {
        /* On the thread that works; must not block. `message` is borrowed and may be NULL, `total` 0 when unknown. */
        void (*report)(struct progress *progress, int64_t done, int64_t total, const char *message);
        atomic_bool is_cancelled; /* whoever asked has gone */
};

/* Says that `done` of `total` (0: unknown) is done; `done` must grow from report to report. */
static inline void call_report(const struct call *call, int64_t done, int64_t total, const char *message)
{
        if (call->progress)
                call->progress->report(call->progress, done, total, message);
}

/* Whether the caller has gone. What was made already stays; what has not begun need not begin. */
static inline bool call_is_cancelled(const struct call *call)
{
        return call->progress && atomic_load(&call->progress->is_cancelled);
}

#endif
