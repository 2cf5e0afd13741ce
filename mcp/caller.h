/* Who calls, on the thread that works for them. */
#ifndef MCP_CALLER_H
#define MCP_CALLER_H

#include "mcp/tool.h"

struct caller {
        struct services *services;
        struct store_db *db;    /* of this thread */
        const char *token;      /* the bearer credential as sent; borrowed */
        const char *request_id; /* for the log; borrowed */
        struct actor actor;     /* filled by caller_authenticate, valid on the thread that called it */
};

/* The credential of an Authorization header with the Bearer scheme (RFC 6750, section 2.1), "" when it is none. */
const char *caller_token(const char *authorization);
/* Resolves the token with the caller's connection, each time anew. */
MUST_CHECK bool caller_authenticate(struct caller *caller, struct error *error);
/* Runs the tool for the authenticated caller. */
MUST_CHECK bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                           json_t **result, struct error *error);
/* Prepares the tool's input for the authenticated caller. */
MUST_CHECK bool caller_prepare(struct caller *caller, const struct tool *tool, void *input, const json_t *arguments,
                               struct error *error);

#endif
