/* Internal to the services of builds: who may read one, and how it is told. */
#ifndef SERVICES_BUILD_VIEW_H
#define SERVICES_BUILD_VIEW_H

#include "server/services/build.h"
#include "server/services/redact.h"
#include "server/store/build.h"

/* ERROR_PERMISSION_DENIED for a task's own credential, ERROR_UNAVAILABLE where no server runs. */
MUST_CHECK bool build_check_caller(const struct call *call, struct error *error);
/* ERROR_PERMISSION_DENIED unless the actor may read builds of the environment (rid). */
MUST_CHECK bool build_check_read(const struct call *call, int64_t environment, const char *name, struct error *error);
/* Reads a build that the actor may read, of the environment when that is not NULL. ERROR_BUILD_NOT_FOUND. */
MUST_CHECK bool build_read(struct call *call, const char *id, const char *environment, struct store_build *build,
                           struct error *error);
/* The object that tells of a build. `used` is the id of the build whose image is in use, NULL for none. */
json_t *build_view(const struct call *call, const struct store_build *build, const char *used,
                   const struct redactor *redactor);
/* The id of the build whose image the environment's tasks get, on the heap; NULL for none. */
MUST_CHECK bool build_used(struct call *call, int64_t environment, char **id, struct error *error);
/* {build: {...}} */
MUST_CHECK bool build_view_result(struct call *call, const struct store_build *build, json_t **result,
                                  struct error *error);

#endif
