/* How entries of a follow-up queue are shown to one viewer. */
#ifndef SERVICES_FOLLOW_UP_VIEW_H
#define SERVICES_FOLLOW_UP_VIEW_H

#include "server/services/redact.h"
#include "server/store/follow_up.h"
#include "server/store/task.h"

struct queue_viewer {
        struct call *call;               /* borrowed */
        const struct redactor *redactor; /* borrowed, of the task */
        bool may_change, is_paused;
        struct store_queue_pause pause;
};
MUST_CHECK bool queue_viewer_open(struct queue_viewer *viewer, struct call *call, const struct store_task *task,
                                  const struct redactor *redactor, struct error *error);
void queue_viewer_clear(struct queue_viewer *viewer);

/* One entry. `position` and `turn` are 0 when they cannot be told. The caller owns it. */
json_t *queue_entry_view(const struct queue_viewer *viewer, const struct store_follow_up *item, int64_t position,
                         int64_t turn);

#endif
