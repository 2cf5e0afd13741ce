/* What an environment's image is built from: its folder's Dockerfile or setup.sh, and the folder build/ beside it. */
#ifndef SERVICES_BUILD_CONTEXT_H
#define SERVICES_BUILD_CONTEXT_H

#include "server/base/secret.h"
#include "server/services/environment.h"

#define BUILD_DOCKERFILE "Dockerfile"
#define BUILD_SETUP "setup.sh"
#define BUILD_FILES "build"

#define BUILD_CONTEXT_MAXIMUM (256LL * 1024 * 1024)
#define BUILD_CONTEXT_ENTRIES_MAXIMUM 10000
#define BUILD_CONTEXT_DEPTH_MAXIMUM 32

/* A context for the engine. `file` is owned. */
struct build_context {
        int file;                                   /* the tar, at its beginning */
        const char *source;                         /* BUILD_DOCKERFILE or BUILD_SETUP; constant */
        char inputs_hash[2 * SECRET_HASH_SIZE + 1]; /* of all that goes into the build, in hexadecimal */
};
static inline void build_context_clear(struct build_context *context)
{
        cleanup_fd(&context->file);
}
#define auto_build_context CLEANUP(build_context_clear) struct build_context

/* Which of the two files the folder `name` ("": itself) below the open folder has: a Dockerfile counts before a
 * setup.sh, anything of that name counts, so that what is no file is reported by a build. NULL when it has neither. */
const char *build_source_find(int folder, const char *name);

/* Gathers the files into an archive without a name below `scratch`. A Dockerfile is taken as it is; it finds setup.sh
 * and build/ beside itself. Otherwise setup.sh gets one: from the environment's image, as root, with build/ in its
 * working folder; the image's `user` ("": none) stays. Links are taken as links and never followed.
 * ERROR_BUILD_NOTHING, ERROR_TOO_LARGE beyond the maxima above, ERROR_INVALID_INPUT for what is neither file, folder
 * nor link. */
MUST_CHECK bool build_context_make(const char *environments_folder, const struct environment *environment,
                                   const char *user, const char *scratch, struct build_context *context,
                                   struct error *error);

#endif
