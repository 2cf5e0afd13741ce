/* What the server holds for tasks in the engine and on disk, and what retention will do with it. */
#ifndef SERVICES_USAGE_H
#define SERVICES_USAGE_H

#include "server/base/field.h"
#include "server/services/services.h"

/* {containers: [{handle, kind, taskId, taskStatus, ready, pinned, stoppedAt, activeAt, idleMinutes, outOfMemory}]}:
 * every container and workspace. Reads; needs settings:view. */
MUST_CHECK bool usage_containers(struct call *call, json_t **result, struct error *error);

struct retention_preview_input {
        const char *at; /* ISO 8601; NULL: now */
};
extern const struct field_table retention_preview_table;
/* {at, measures: [{handle, kind, taskId, action}]}: what retention would do at that time if nothing else happened until
 * then. Reads; needs settings:view. */
MUST_CHECK bool retention_preview(struct call *call, const struct retention_preview_input *input, json_t **result,
                                  struct error *error);

#endif
