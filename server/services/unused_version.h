/* Versions of the runner, and of the agents' programs that lie in the data folder, that are no longer current and that
 * no container uses. The link `current` beside them says which is, and its own time since when. A folder of agents'
 * programs elsewhere (AGENTS_FOLDER) may be another server's too, and is left alone. */
#ifndef SERVICES_UNUSED_VERSION_H
#define SERVICES_UNUSED_VERSION_H

#include "server/services/services.h"

/* `kind` is runner or agent_program; borrowed. */
typedef void unused_version_told(const char *kind, const char *folder, void *context);
/* Tells the folders of those that ceased to be current before `before` (ms). */
MUST_CHECK bool unused_version_each(const struct services *services, struct store_db *db, int64_t before,
                                    unused_version_told *told, void *context, struct error *error);
/* Makes `version` the current one of the folder, unless it is. */
MUST_CHECK bool version_set_current(const char *folder, const char *version, struct error *error);

#endif
