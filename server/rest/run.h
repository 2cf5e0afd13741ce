/* Runs operations for HTTP requests. */
#ifndef REST_RUN_H
#define REST_RUN_H

#include "server/base/pool.h"
#include "server/rest/operation.h"

/* Outlives the HTTP server and the pool's work. */
struct rest_door {
        struct services *services;
        struct pool *pool;
};

/* Reads the arguments, runs the operation where it has to and answers, at once or later. */
void rest_run(const struct rest_door *door, struct http_request *request, const struct rest_operation *operation);

#endif
