/* Inside docker/ only: one request to the engine and its answer. */
#ifndef DOCKER_REQUEST_H
#define DOCKER_REQUEST_H

#include <jansson.h>

#include "docker/client.h"
#include "docker/failure.h"
#include "server/base/document.h"

/* Largest answer that is held in memory: the list of some thousand containers. */
#define DOCKER_ANSWER_MAXIMUM (16u << 20)

/* Gets pieces of a stream; returns false, with the error set, to end it. */
typedef bool docker_piece(const char *bytes, size_t length, void *context, struct error *error);

struct docker_request {
        const char *method;
        const char *path; /* after the API version, query included */
        enum docker_operation operation;
        const json_t *body; /* sent as JSON; NULL: none */
        bool has_upload;    /* the body is what `upload_fd` gives, a tar */
        int upload_fd;
        bool is_unversioned;
        int64_t extra_ms;          /* added to the driver's time limit */
        docker_piece *piece;       /* not NULL: the answer is a stream without time limit, and handed on */
        void (*connected)(void *); /* called when a stream's headers have come; may be NULL */
        void *context;             /* for both */
        const int *stop_fd;        /* NULL: none */
};

struct docker_answer {
        long status;
        struct text body; /* empty for a stream */
};

void docker_answer_clear(struct docker_answer *answer);
#define auto_docker_answer CLEANUP(docker_answer_clear) struct docker_answer

/* Does the request. True for the statuses 2xx and 304 with the whole answer there; everything else becomes a typed
 * error (docker/failure.h). `answer` may be NULL. ERROR_CANCELLED when `stop_fd` became readable. */
MUST_CHECK bool docker_request(struct docker *docker, const struct docker_request *request,
                               struct docker_answer *answer, struct error *error);

/* The same for an answer that is a JSON object or array, handed out; NULL on error. */
json_t *docker_request_json(struct docker *docker, const struct docker_request *request, struct error *error);

/* Gives the version prefix for paths, such as "/v1.41", after asking the engine when it is not known. */
MUST_CHECK bool docker_prefix(struct docker *docker, char prefix[24], struct error *error);
/* The version must be asked for again. */
void docker_forget_version(struct docker *docker);

#endif
