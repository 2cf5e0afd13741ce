/* Builds of an environment's image from the Dockerfile or setup.sh in its folder: asked for, read, cancelled.
 *
 * A build is queued, running, succeeded, failed or cancelled; an environment has at most one that is not over. What the
 * newest successful one made is the image of the environment's tasks. The engine's output is kept in
 * DATA/builds/ID/log.txt. None of this is for a task's own credential. */
#ifndef SERVICES_BUILD_H
#define SERVICES_BUILD_H

#include "server/base/field.h"
#include "server/services/environment.h"

/* The file that holds the output, below build_path_folder. */
#define BUILD_LOG "log.txt"

struct build_start_input {
        const char *environment;
        bool fresh;
};
extern const struct field_table build_start_table;
/* Queues a build: {build}. Needs environments:build; waits for its own write. ERROR_BUILD_BUSY, with the buildId in the
 * details, while another one is not over; ERROR_BUILD_NOTHING when the folder has neither file. */
MUST_CHECK bool build_start(struct call *call, const struct build_start_input *input, json_t **result,
                            struct error *error);

/* `environment` may be NULL; otherwise the build must be of it. */
struct build_get_input {
        const char *buildId;
        const char *environment;
};
extern const struct field_table build_get_table;
/* {build}. Reads; needs environments:view_details or environments:build. ERROR_BUILD_NOT_FOUND. */
MUST_CHECK bool build_get(struct call *call, const struct build_get_input *input, json_t **result, struct error *error);

/* Ends a build that is not over: {build}. A running one may still run when this answers (cancelRequestedAt is set); one
 * that is over stays as it is. Needs environments:build; waits for its own write. */
MUST_CHECK bool build_cancel(struct call *call, const struct build_get_input *input, json_t **result,
                             struct error *error);

struct build_list_input {
        const char *environment;
        int64_t limit;
        const char *cursor;
};
extern const struct field_table build_list_table;
/* {builds: [...], nextCursor}, newest first. Reads; permissions as build_get. ERROR_INVALID_CURSOR. */
MUST_CHECK bool build_list(struct call *call, const struct build_list_input *input, json_t **result,
                           struct error *error);

struct build_output_input {
        const char *buildId;
        const char *environment;
        int64_t offset;
        int64_t maxBytes;
};
extern const struct field_table build_output_table;
/* A page of the output, as file_page_read gives it, managed values masked so that offsets stay exact, with
 * {buildId, status, isComplete}: not complete means that more may come at nextOffset, or at offset + bytesReturned when
 * that is null. Reads; permissions as build_get. */
MUST_CHECK bool build_output(struct call *call, const struct build_output_input *input, json_t **result,
                             struct error *error);

/* DATA/builds/ID, on the heap. */
char *build_path_folder(const char *data_folder, const char *build_id);

/* The image that a task of the environment gets, on the heap: what its newest successful build made, or the one that
 * environment.json names when there is nothing to build. NULL with ERROR_ENVIRONMENT_NOT_BUILT when there is something
 * to build and no build has succeeded. Reads. */
char *build_image(struct store_db *db, const struct environment *environment, struct error *error);

#endif
