/* Whether the server can do its work. */
#ifndef SERVICES_HEALTH_H
#define SERVICES_HEALTH_H

#include "server/services/services.h"

/* {status, version, engine: {reachable, version?, message?}, store: {writable, diskLow}}; `status` is "ok" or
 * "degraded". Never waits for the engine or the store. The caller owns it. */
json_t *health_report(const struct services *services);

#endif
