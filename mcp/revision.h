/* The revisions of MCP that the door speaks. */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include <jansson.h>
#include <stdbool.h>

struct revision {
        const char *name;
        bool has_batches;  /* JSON-RPC batches came with 2025-03-26 and went with 2025-06-18 */
        bool is_stateless; /* since 2026-07-28: no handshake, every request says what it needs (mcp/stateless.h) */
};

/* The revision of that name, NULL when it is not spoken. */
const struct revision *revision_find(const char *name);
/* The newest revision without a handshake. */
const struct revision *revision_stateless(void);
/* What initialize answers to a client that asks for `wanted`: the same when it is spoken and has a handshake, else the
 * newest that has one. */
const struct revision *revision_negotiate(const char *wanted);
/* The revision of a request without an MCP-Protocol-Version header: 2025-03-26 (MCP, transports). */
const struct revision *revision_assumed(void);
/* The names of all revisions, newest first. The caller owns it. */
json_t *revision_names(void);
/* {supported: [...], requested} for the error about another revision. The caller owns it. */
json_t *revision_mismatch(const char *requested);

#endif
