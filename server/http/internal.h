/* What the files of the driver share. Nothing outside server/http includes this.
 *
 * libmicrohttpd's daemons, connections and their requests are touched only by their worker's thread. The one crossing
 * point is a worker's `lock`: under it a suspended request gets its answer from another thread, or is abandoned because
 * the server stops. An abandoned request is shared by the connection, which sends the 503, and whoever owns it; the
 * second of the two to let go frees it, and the last abandoned request of a closed worker frees the worker. */
#ifndef HTTP_INTERNAL_H
#define HTTP_INTERNAL_H

#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "server/http/address.h"
#include "server/http/request.h"
#include "server/http/router.h"
#include "server/http/server.h"
#include "server/http/stream.h"

#define REQUEST_METHOD_SIZE 16
#define REQUEST_ID_SIZE 40
#define REQUEST_HEADER_MAXIMUM 24

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
        size_t body_maximum; /* once it is admitted */
        size_t body_counted; /* bytes of memory that are counted as the server's for it */
        size_t dropped;      /* bytes of the body that nobody will read */
        struct spool *spool; /* of a body that goes to a file */

        struct MHD_Response *response; /* NULL until answered */
        unsigned status;
        struct http_header headers[REQUEST_HEADER_MAXIMUM];
        unsigned header_count;
        bool has_own_sniffing, has_own_caching;
        struct http_stream *stream; /* what it is answered with */
        char *range, *if_range;     /* headers, copied when it was suspended */
        bool is_secure;             /* found out then */

        void *user;
        void (*user_release)(void *user);

        void (*finish)(void *context); /* makes the answer before the request is resumed; NULL when there is one */
        void *finish_context;

        bool is_ambiguous;     /* by its headers: where it ends cannot be told */
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

/* An answer that goes on. Its lock comes before its worker's; what stands above it is the worker's thread's alone. */
struct http_stream {
        struct MHD_Connection *connection;
        int socket;
        int64_t beat_at; /* when it is to be looked at again, monotonic ms */
        TAILQ_ENTRY(http_stream) beats;
        const struct http_stream_calls *calls;
        void *context;
        size_t maximum;
        atomic_int holders;

        pthread_mutex_t lock;
        struct worker *worker; /* NULL once it is over */
        char *bytes;           /* that wait, `taken` of them gone already */
        size_t length, taken, capacity;
        unsigned stuck; /* heartbeats in which the connection took nothing */
        bool is_suspended, is_closing, is_cut, wants_drained;
        bool is_queued; /* in the worker's `ready`, which is under the worker's lock */
        TAILQ_ENTRY(http_stream) ready;
};

/* A connection, as the worker sees it. */
struct client {
        LIST_ENTRY(client) all;
        struct worker *worker;
        int socket;
        struct address address;
        bool is_counted;  /* among the connections of its address */
        int64_t deadline; /* for the request that is arriving or awaited, monotonic ms; INT64_MAX for none */
};

LIST_HEAD(request_list, http_request);
SLIST_HEAD(request_stack, http_request);
LIST_HEAD(client_list, client);
TAILQ_HEAD(stream_queue, http_stream);

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

        int epoll, wake, peers; /* peers: an epoll of streams whose clients may hang up */
        int64_t now;            /* monotonic ms, of this turn of the loop */
        struct client_list clients;
        int64_t next_sweep;
        struct request_stack spare; /* cleared requests for reuse */
        unsigned spare_count;
        size_t in_flight;
        uint64_t request_count;
        atomic_bool is_stopping;
        struct stream_queue streams; /* by their beat_at */
        bool has_more;               /* streams are to be served at once */

        pthread_mutex_t lock;
        struct request_list suspended;
        struct request_stack answered;
        struct stream_queue ready;
        size_t abandoned;
        bool is_closed;
};

struct http_server {
        struct http_server_options options;
        struct address_list *proxies;
        struct address_counts *connections; /* by address, of clients that are limited */
        int socket;
        uint16_t port;
        char id_prefix[12];
        atomic_uint suspended, streams, spools;
        atomic_size_t body_memory; /* bytes of bodies that are in memory */
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
/* libmicrohttpd's question whether a connection from this address is taken. */
enum MHD_Result client_accept(void *worker, const struct sockaddr *address, socklen_t size);
void client_notify(void *worker, struct MHD_Connection *connection, void **socket_context,
                   enum MHD_ConnectionNotificationCode code);
/* Nobody is waited for beyond the deadline. It also ends the client whose end of stream libmicrohttpd 0.9.75 overlooks
 * because it came together with the last bytes that were read. */
void client_set_deadline(struct worker *worker, struct client *client, int64_t deadline);
/* So many bytes of the body have come: a client that keeps up the least rate gets as long as it takes. */
void client_note_bytes(struct worker *worker, struct client *client, size_t length);
/* Cuts off clients whose deadline has passed. */
void client_sweep(struct worker *worker);

/* tls.c: GnuTLS's question for certificate and key of a handshake. */
gnutls_certificate_retrieve_function2 tls_choose;
/* TLS 1.2 (RFC 9325) and 1.3 with GnuTLS's own choice of ciphers. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"
/* Credentials for sessions of our own that show what `tls` has at the time; the session's pointer must be `tls`. */
MUST_CHECK bool tls_credentials(gnutls_certificate_credentials_t *credentials, struct error *error);

/* serve.c: libmicrohttpd's callbacks for requests. */
enum MHD_Result serve_request(void *worker, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context);
void serve_completed(void *worker, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code);

/* admission.c: what is decided with only the headers; a refusal leaves a response. */
void admission_decide(struct http_request *request);

/* once.c: refuses a request with two of a header of which there is one, and one with two lengths. */
MUST_CHECK bool once_check(struct http_request *request, struct error *error);

/* request.c */
struct http_request *request_new(struct worker *worker, struct MHD_Connection *connection, const char *method,
                                 const char *path);
/* The connection has done with the request: gives up what it holds, and itself to the worker's spare ones. */
void request_release(struct http_request *request);
/* Frees what the request holds. */
void request_clear(struct http_request *request);

/* respond.c: answers with a response of any kind, which it takes. */
void respond_with(struct http_request *request, unsigned status, const char *content_type,
                  struct MHD_Response *response);

/* stream.c */
/* Serves the streams that have something to send, whose heartbeat is due, or (`has_hangups`) whose client hung up. */
void stream_serve(struct worker *worker, bool has_hangups);
/* The stream's connection is over. */
void stream_over(struct http_stream *stream);
/* Ends every stream of the worker, `is_cut` without sending what waits. */
void stream_end_all(struct worker *worker, bool is_cut);

/* body.c */
/* Takes a piece of a body that is read, into memory or a file; false when it has been refused. */
MUST_CHECK bool body_take(struct http_request *request, const char *bytes, size_t length);
/* The connection has done with the request: its body counts no longer. */
void body_end(struct http_request *request);

/* spool.c */
/* Begins the file of a body; false when it has been refused. */
MUST_CHECK bool spool_begin(struct http_request *request);
/* Takes a piece; false when it has been refused. */
MUST_CHECK bool spool_write(struct http_request *request, const char *bytes, size_t length);
/* The connection has done with the request: another body may take its place. Nothing for one without a file. */
void spool_end(struct http_request *request);
void spool_free(struct spool *spool);

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
