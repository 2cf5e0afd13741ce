/* The door behind a real HTTP server on loopback, and a plain client. */
#ifndef TESTS_MCP_FIXTURE_H
#define TESTS_MCP_FIXTURE_H

#include "tests/cmocka.h"
#include "tests/mcp/stub.h"

#include "server/base/document.h"
#include "server/base/text.h"

struct reply {
        int status;
        char head[2048];
        char *body;   /* heap */
        json_t *json; /* of the body, NULL when it is none */
};
void reply_clear(struct reply *reply);
#define auto_reply CLEANUP(reply_clear) struct reply

/* For a group of tests: the store, the pool and the server. */
int fixture_open(void **state);
int fixture_close(void **state);
/* For each test. */
int fixture_reset(void **state);

/* Sends a request with the given header lines (each ended by CRLF, or NULL) and reads the reply. */
struct reply ask(const char *method, const char *header_lines, const char *body);
/* POST with the right token. */
struct reply post(const char *body);
struct reply post_with(const char *header_lines, const char *body);
/* At the endpoint's URL with this query ("?..."). */
struct reply ask_at(const char *query, const char *header_lines, const char *body);
/* tools/call; `arguments` is JSON text. */
struct reply call_tool(const char *name, const char *arguments);
/* The text of a tool result. */
const char *result_text(const struct reply *reply);
/* The member of error or result. */
json_t *result_of(const struct reply *reply);
int error_code_of(const struct reply *reply);
/* The value of a header, NULL when it is missing; valid until the next call. */
const char *reply_header(const struct reply *reply, const char *name);

/* Sends the POST and hangs up without waiting for the answer once `entered` was posted. */
void hang_up_after(const char *body);

/* Opens a connection and sends the POST on it, with the right token; hangs up when told so. */
int begin_post(const char *header_lines, const char *body);

/* A request of revision 2026-07-28 with the right headers; `params` are members, without braces, before _meta. */
struct reply ask_stateless(const char *method, const char *name, const char *params);
/* The same with header lines of one's own instead. */
struct reply ask_stateless_with(const char *header_lines, const char *method, const char *params);

int run_envelope_tests(void);
int run_stateless_tests(void);
int run_scope_tests(void);
int run_streamed_tests(void);
int run_resource_tests(void);
int run_error_tests(void);
int run_transport_tests(void);
int run_tool_tests(void);
int run_bound_tests(void);
int run_origin_tests(void);

#endif
