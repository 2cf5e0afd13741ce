/* What the files of the driver share. Nothing outside server/http includes this.
 *
 * libmicrohttpd's daemons, connections and their requests are touched only by their worker's thread. The one crossing
 * point is a worker's `lock`: under it a suspended request gets its answer from another thread, or is abandoned because
 * the server stops. An abandoned request is shared by the connection, which sends the 503, and whoever owns it; the
 * second of the two to let go frees it, and the last abandoned request of a closed worker frees the worker. */
#ifndef HTTP_INTERNAL_H
#define HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "server/http/request.h"
#include "server/http/router.h"
#include "server/http/server.h"

#define REQUEST_METHOD_SIZE 16
#define REQUEST_ID_SIZE 40
#define REQUEST_HEADER_MAXIMUM 12

struct http_header {
        const char *name;
        char *value; /* heap */
};

struct http_request {
        struct worker *worker;
        struct MHD_Connection *connection;
        struct client *client;
        const struct http_route *route; /* NULL while refused by the router */
        int64_t began;                  /* microseconds */

        char *body; /* heap, NUL-terminated */
        size_t body_length, body_capacity;
        size_t dropped; /* bytes of the body that nobody will read */

        struct MHD_Response *response; /* NULL until answered */
        unsigned status;
        struct http_header headers[REQUEST_HEADER_MAXIMUM];
        unsigned header_count;
        bool has_own_sniffing, has_own_caching;

        void *user;
        void (*user_release)(void *user);

        bool is_handled;       /* the handler has run, or will not */
        bool is_suspended;     /* written by the worker's thread only */
        bool is_abandoned;     /* written by the worker's thread, under its lock */
        atomic_bool is_let_go; /* one of the two that share an abandoned request has done with it */
        LIST_ENTRY(http_request) suspended;
        SLIST_ENTRY(http_request) next; /* answered and to be resumed, or free */

        char id[REQUEST_ID_SIZE];
        char method[REQUEST_METHOD_SIZE];
        char path[ROUTER_PATH_SIZE];
        struct router_match match;
};

/* A connection, as the worker sees it. */
struct client {
        LIST_ENTRY(client) all;
        int socket;
        int64_t deadline; /* for the request that is arriving or awaited, monotonic ms; INT64_MAX for none */
};

LIST_HEAD(request_list, http_request);
SLIST_HEAD(request_stack, http_request);
LIST_HEAD(client_list, client);

struct worker {
        struct http_server *server; /* gone once the worker is closed */
        struct MHD_Daemon *daemon;
        unsigned number;
        void *context; /* thread_begin's */
        pthread_t thread;
        bool has_thread;
        sem_t told; /* posted when started, and when it no longer accepts */
        bool has_begun;
        struct error begin_error;

        int epoll, wake;
        int64_t now; /* monotonic ms, of this turn of the loop */
        struct client_list clients;
        int64_t next_sweep;
        struct request_stack spare; /* cleared requests for reuse */
        unsigned spare_count;
        size_t in_flight;
        uint64_t request_count;
        atomic_bool is_stopping;

        pthread_mutex_t lock;
        struct request_list suspended;
        struct request_stack answered;
        size_t abandoned;
        bool is_closed;
};

struct http_server {
        struct http_server_options options;
        int socket;
        uint16_t port;
        char id_prefix[12];
        atomic_uint suspended;
        unsigned worker_count;
        struct worker *workers[];
};

/* listen.c: a listening, exclusive, non-blocking socket. */
MUST_CHECK bool listen_open(const char *host, uint16_t port, int *socket, uint16_t *bound, struct error *error);

/* worker.c: a worker and its daemon, its thread, its end; worker_await waits until it no longer accepts. */
MUST_CHECK bool worker_new(struct http_server *server, unsigned number, struct worker **out, struct error *error);
MUST_CHECK bool worker_start(struct worker *worker, struct error *error);
void worker_stop(struct worker *worker);
void worker_await(struct worker *worker);
/* Joins the thread and frees the worker, unless abandoned requests still need it. */
void worker_free(struct worker *worker);
void worker_release(struct worker *worker);

/* client.c */
void client_notify(void *worker, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode code);
void client_set_deadline(struct worker *worker, struct client *client, int64_t deadline);
/* Cuts off clients whose deadline has passed. */
void client_sweep(struct worker *worker);

/* serve.c: libmicrohttpd's callbacks for requests. */
enum MHD_Result serve_request(void *worker, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context);
void serve_completed(void *worker, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code);

/* admission.c: what is decided with only the headers; a refusal leaves a response. */
void admission_decide(struct http_request *request);

/* request.c */
struct http_request *request_new(struct worker *worker, struct MHD_Connection *connection, const char *method,
                                 const char *path);
/* The connection has done with the request: gives up what it holds, and itself to the worker's spare ones. */
void request_release(struct http_request *request);
/* Frees what the request holds. */
void request_clear(struct http_request *request);

/* suspend.c */
/* Keeps an answer to a suspended request, from any thread. */
void suspend_answer(struct http_request *request, unsigned status, struct MHD_Response *response);
/* The connection's part in an abandoned request is over. */
void suspend_let_go(struct http_request *request);
/* Lets libmicrohttpd go on with those that were answered. */
void suspend_resume_answered(struct worker *worker);
/* Answers 503 for those that never were. */
void suspend_abandon_all(struct worker *worker);

#endif
