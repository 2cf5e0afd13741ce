/* Inside docker/ only: the driver's state and its keep-alive connections. */
#ifndef DOCKER_POOL_H
#define DOCKER_POOL_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "docker/client.h"

/* Idle connections that are kept; more requests than that may run at once. */
#define DOCKER_IDLE_MAXIMUM 8

/* A transfer and the connection cache that belongs to it. */
struct docker_handle {
        CURL *easy;
        CURLM *multi;
};

struct docker {
        char *socket; /* path of the engine's socket, owned */
        atomic_int_fast64_t timeout;
        pthread_mutex_t mutex; /* guards everything below */
        struct docker_handle idle[DOCKER_IDLE_MAXIMUM];
        size_t idle_count;
        bool has_version;
        struct docker_version version;
};

/* Sets a transfer up for the engine's socket. */
void docker_pool_prepare(const struct docker *docker, CURL *easy);
/* Takes an idle handle, or a new one, set up for the engine's socket; give it back with docker_pool_put. */
struct docker_handle docker_pool_take(struct docker *docker);
void docker_pool_put(struct docker *docker, struct docker_handle handle);
/* Closes all idle connections. */
void docker_pool_clear(struct docker *docker);

#endif
