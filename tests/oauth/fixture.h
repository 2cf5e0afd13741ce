/* A server with OAuth switched on, and what a client and a person's browser do with it. */
#ifndef TESTS_OAUTH_FIXTURE_H
#define TESTS_OAUTH_FIXTURE_H

#include "tests/rest/fixture.h"

#include "server/base/document.h"

#define SITE "https://longshore.example"
#define CALLBACK "https://client.example/callback"
#define LOOPBACK "http://127.0.0.1:7777/callback"
#define PASSWORD "correct horse"
/* RFC 7636, appendix B. */
#define VERIFIER "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
#define CHALLENGE "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
#define FORM_TYPE "Content-Type: application/x-www-form-urlencoded\r\n"

/* *state is a struct rest_fixture; a user vera with the role Viewer and PASSWORD is there, and MCP and OAuth are on
 * under SITE. */
int oauth_set_up(void **state);
int oauth_tear_down(void **state);

/* Sets or (NULL) removes a setting. */
void oauth_set(struct rest_fixture *fixture, const char *name, const char *value);
/* Runs SQL on the store's file, for what time would do. */
void oauth_sql(struct rest_fixture *fixture, const char *sql);

/* Registers a client with the redirect URIs as they stand in a JSON list; its id on the heap. */
char *oauth_register_client(struct rest_fixture *fixture, const char *redirect_uris);
/* The path and query of an authorization request: the usual parameters, and `more` ("&a=b"), on the heap. */
char *oauth_authorize_path(const char *client, const char *redirect_uri, const char *more);

/* Signs a user in with the page's form for this request; the cookie's header line on the heap. */
char *oauth_browser(struct rest_fixture *fixture, const char *user);
struct reply *oauth_get(struct rest_fixture *fixture, const char *path, const char *header_lines);
struct reply *oauth_post(struct rest_fixture *fixture, const char *path, const char *header_lines, const char *form);
/* The value of a hidden field of a page, unescaped, on the heap. */
char *oauth_field(const struct reply *page, const char *name);
/* The form that the consent page of the request asks for, with the decision, on the heap. */
char *oauth_consent_form(struct rest_fixture *fixture, const char *path, const char *cookie, const char *decision);
/* A parameter of the query of an URL, decoded, on the heap; NULL when it is absent. */
char *oauth_parameter(const char *url, const char *name);

/* Goes the whole way to a code. */
char *oauth_code(struct rest_fixture *fixture, const char *client, const char *redirect_uri, const char *user);
/* Posts to the token endpoint and checks the status; the answer. */
json_t *oauth_token_answer(struct rest_fixture *fixture, int status, const char *form);
json_t *oauth_exchange(struct rest_fixture *fixture, const char *client, const char *code, int status);
json_t *oauth_refresh(struct rest_fixture *fixture, const char *client, const char *token, int status);
/* A client, its consent and its tokens at once: the client's id on the heap, and the answer. */
char *oauth_signed_in(struct rest_fixture *fixture, const char *user, json_t **tokens);
/* The status of a call of the MCP endpoint with that bearer. */
int oauth_mcp(struct rest_fixture *fixture, const char *token);

int run_flow_tests(void);
int run_replay_tests(void);
int run_discovery_tests(void);
int run_redirect_tests(void);
int run_oauth_refusal_tests(void);
int run_page_tests(void);
int run_registration_tests(void);
int run_document_tests(void);

#endif
