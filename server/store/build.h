/* Builds of environments' images in the store. */
#ifndef STORE_BUILD_H
#define STORE_BUILD_H

#include "server/base/id.h"
#include "server/store/store.h"

/* One build. Owns its strings; those that are not known (yet) are NULL, such times and numbers 0. */
struct store_build {
        int64_t rid, environment;
        char *id;
        char *state; /* queued, running, succeeded, failed, cancelled */
        bool is_fresh;
        char *creator_id, *creator_name;
        int64_t created_at, started_at, ended_at;
        char *cancelled_by; /* name */
        int64_t cancelled_at;
        char *source, *base_image, *inputs_hash, *reference, *image;
        int64_t image_size;
        char *end_type, *message;
        bool has_exit_code;
        int64_t exit_code;
        bool is_image_gone;
        char *environment_name;
        bool is_environment_removed;
};
void store_build_clear(struct store_build *build);
#define auto_store_build CLEANUP(store_build_clear) struct store_build

/* Owns its items. */
struct store_builds {
        struct store_build *items;
        size_t count;
};
void store_builds_clear(struct store_builds *builds);
#define auto_store_builds CLEANUP(store_builds_clear) struct store_builds

/* Adds a queued build. The environment must not have one that is not over (store_build_unfinished). `creator` is 0 for
 * nobody. */
MUST_CHECK bool store_build_add(struct store_db *db, const char *id, int64_t environment, bool is_fresh,
                                int64_t creator, int64_t now, struct error *error);
MUST_CHECK bool store_build_find(struct store_db *db, const char *id, struct store_build *build, bool *is_found,
                                 struct error *error);
/* The build of the environment that is queued or running. */
MUST_CHECK bool store_build_unfinished(struct store_db *db, int64_t environment, struct store_build *build,
                                       bool *is_found, struct error *error);
/* The newest build of the environment that succeeded. */
MUST_CHECK bool store_build_newest_good(struct store_db *db, int64_t environment, struct store_build *build,
                                        bool *is_found, struct error *error);
/* The build that waits longest. */
MUST_CHECK bool store_build_next(struct store_db *db, struct store_build *build, bool *is_found, struct error *error);
/* Newest first, those before the rid `before` (0: from the newest), at most `limit`. */
MUST_CHECK bool store_build_list(struct store_db *db, int64_t environment, int64_t before, int64_t limit,
                                 struct store_builds *builds, struct error *error);
/* All that run. */
MUST_CHECK bool store_build_list_running(struct store_db *db, struct store_builds *builds, struct error *error);
/* Those whose image is of no more use, though it may be there still: of a build without success, of a removed
 * environment, or with `kept` newer successful ones. */
MUST_CHECK bool store_build_list_waste(struct store_db *db, int64_t kept, struct store_builds *builds,
                                       struct error *error);
/* Those that are over, have no image any more, and `kept` newer ones of their environment. */
MUST_CHECK bool store_build_list_old(struct store_db *db, int64_t kept, struct store_builds *builds,
                                     struct error *error);

/* From queued to running, with the reference that its image gets; *is_done is false when it is not queued any more. */
MUST_CHECK bool store_build_begin(struct store_db *db, int64_t rid, const char *reference, int64_t now, bool *is_done,
                                  struct error *error);
/* Records what a running build is made from. */
MUST_CHECK bool store_build_set_inputs(struct store_db *db, int64_t rid, const char *source, const char *base_image,
                                       const char *inputs_hash, struct error *error);
/* Notes who wants the end of an unfinished build; the first one counts. */
MUST_CHECK bool store_build_cancel(struct store_db *db, int64_t rid, const char *name, int64_t now,
                                   struct error *error);

struct store_build_end {
        const char *state, *type, *message, *image;
        int64_t image_size, exit_code;
        bool has_exit_code;
};
/* Ends an unfinished build. */
MUST_CHECK bool store_build_end(struct store_db *db, int64_t rid, const struct store_build_end *end, int64_t now,
                                struct error *error);
MUST_CHECK bool store_build_delete(struct store_db *db, int64_t rid, struct error *error);
MUST_CHECK bool store_build_set_image_gone(struct store_db *db, int64_t rid, struct error *error);

#endif
