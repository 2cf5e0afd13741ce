/* Internal to the registry of environments: one environment, made from its folder. */
#ifndef SERVICES_ENVIRONMENT_FILE_H
#define SERVICES_ENVIRONMENT_FILE_H

#include "server/services/environment.h"

#define ENVIRONMENT_FILE_NAME "environment.json"
#define ENVIRONMENT_NAME_MAXIMUM 64

/* Whether a folder of this name can be an environment: [A-Za-z0-9][A-Za-z0-9._-]{0,63}. */
bool environment_name_is_allowed(const char *name);

/* Reads FOLDER/NAME/environment.json, following no link. Never NULL: what is wrong becomes the broken_reason. The
 * caller owns the one reference; rid and id are still empty. */
struct environment *environment_read(int folder, const char *name);
/* Gives the environment its identity, before anyone else sees it. */
void environment_identify(struct environment *environment, int64_t rid, const char *id);
/* One more reference to it. */
const struct environment *environment_keep(const struct environment *environment);

#endif
