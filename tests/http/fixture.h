/* A server with a handful of routes, and a plain client on real sockets. */
#ifndef TESTS_HTTP_FIXTURE_H
#define TESTS_HTTP_FIXTURE_H

#include "tests/cmocka.h"

#include <gnutls/gnutls.h>

#include "server/http/request.h"
#include "server/http/server.h"

#define REPLY_SIZE (1024 * 1024)

/* The options every test starts from: one worker, the fixture's routes, a free port. */
struct http_server_options fixture_options(void);
struct http_server *fixture_start(const struct http_server_options *options);
/* The next request that GET /wait suspended; fails the test after some seconds. */
struct http_request *fixture_next_parked(void);
/* How many requests the observer has heard of, and the last status. */
unsigned fixture_observed(unsigned *last_status);
/* Waits until the observer has heard of `count` requests. */
void fixture_await_observed(unsigned count);

/* From now on servers speak TLS, and connections too. */
void fixture_use_tls(void);
void connections_use_tls(void);
/* Writes a new self-signed certificate for `name` and its key; two heap paths. */
void fixture_make_pair(const char *name, char **certificate_file, char **key_file);

struct connection {
        int fd;
        struct gnutls_session_int *tls; /* NULL: plain */
        gnutls_certificate_credentials_t credentials;
        char bytes[REPLY_SIZE]; /* received and not yet read as a reply */
        size_t used;
};

struct reply {
        int status; /* 0: the server closed the connection before a whole reply */
        char head[4096];
        size_t length;
        char body[]; /* NUL-terminated */
};

struct connection *connection_open(const struct http_server *server);
/* The same from a loopback address of ours (NULL: 127.0.0.1); TLS may fail. */
struct connection *connection_open_from(const struct http_server *server, const char *from);
/* The same without TLS in any case, from a loopback address of ours (NULL: 127.0.0.1). */
struct connection *connection_open_plain(const struct http_server *server, const char *from);
/* Begins TLS on it; false when the server does not agree. */
bool connection_begin_tls(struct connection *connection, const char *priorities);
void connection_close(struct connection *connection);
void connection_send(struct connection *connection, const char *text);
void connection_send_bytes(struct connection *connection, const void *bytes, size_t length);
/* Reads one reply; `has_body` is false for one to HEAD. */
struct reply *connection_read(struct connection *connection, bool has_body);
/* Reads until what was received holds the text; returns where it stands. */
size_t connection_await(struct connection *connection, const char *text);
/* Reads and forgets what has come already, at least a part of it; the number of bytes. */
size_t connection_take_waiting(struct connection *connection);
/* Waits for more, whatever it is. */
void connection_await_more(struct connection *connection);
/* Reads and forgets until the server closes; the number of bytes. */
size_t connection_drain(struct connection *connection);
/* Whether the server has closed the connection, waiting for it some seconds. */
bool connection_is_closed(struct connection *connection);

/* Sends "METHOD path" with the given header lines and body on the connection and reads the reply (heap). */
struct reply *ask(struct connection *connection, const char *method, const char *path, const char *header_lines,
                  const char *body);
/* The value of a header of the reply, NULL when it is missing; valid until the next call. */
const char *reply_header(const struct reply *reply, const char *name);

#define auto_reply CLEANUP(cleanup_free) struct reply

int run_routing_tests(void);
int run_body_tests(void);
int run_suspend_tests(void);
int run_lifecycle_tests(void);
int run_load_tests(void);
int run_stream_tests(void);
int run_file_tests(void);
int run_address_tests(void);
int run_tls_tests(void);
int run_limit_tests(void);
int run_fetch_tests(void);
int run_gateway_tests(void);

#endif
