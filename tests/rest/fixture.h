/* A server with the program's own routes on an empty store. */
#ifndef TESTS_REST_FIXTURE_H
#define TESTS_REST_FIXTURE_H

#include "server/routes.h"
#include "server/services/runtime_parts.h"
#include "tests/http/fixture.h"

struct rest_fixture {
        char root[64];
        struct services services;
        struct runtime runtime; /* no thread of it runs */
        struct routes_context context;
        struct http_server *server;
        struct connection *connection;
        char *administrator; /* a key of a server administrator */
};

/* Without any user. */
int rest_set_up_empty(void **state);
int rest_set_up(void **state);
int rest_tear_down(void **state);

/* A new user with the role at the server (NULL for none) and a key of theirs, on the heap. */
char *rest_key(struct rest_fixture *fixture, const char *user, const char *role);

char *rest_key_in(struct rest_fixture *fixture, const char *user, const char *role, const char *environment);
/* Writes an environment of that name, without repositories, and has it read. */
void rest_environment(struct rest_fixture *fixture, const char *name);
/* Sets an environment variable (NULL: unsets it) and loads the settings. */
void rest_set_variable(const char *name, const char *value);
/* The header lines of a JSON request with that key, on the heap. */
char *rest_bearer(const char *key);

/* Changes the store behind the server's back: time that passed, mostly. */
void rest_sql(struct rest_fixture *fixture, const char *sql);
/* Puts a setting in force, as the administrator; NULL: the default again. */
void rest_setting(struct rest_fixture *fixture, const char *name, const char *value);

/* What a stream begins with, until its first event with the text `first` is whole, on a connection of its own;
 * `headers` are the request's. On the heap. */
struct reply *rest_open_stream(struct rest_fixture *fixture, const char *path, const char *first, const char *headers);

int run_planted_tests(void);
int run_route_tests(void);
int run_session_tests(void);
int run_device_tests(void);
int run_oidc_tests(void);
int run_setup_tests(void);
int run_totp_tests(void);
int run_page_tests(void);
int run_matrix_tests(void);
int run_group_matrix_tests(void);
int run_refusal_tests(void);
int run_cors_tests(void);
int run_request_limit_tests(void);
int run_ingress_tests(void);
int run_body_size_tests(void);
int run_bound_tests(void);
int run_reference_tests(void);
int run_upload_tests(void);

#endif
