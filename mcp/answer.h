/* Results of tools as JSON-RPC answers.
 *
 * A result is written once as bounded JSON and stands in the answer twice: as text, for every client, and raw as
 * structuredContent. The latter is sent to clients of every revision, since those that do not know it ignore it. */
#ifndef MCP_ANSWER_H
#define MCP_ANSWER_H

#include "mcp/tool.h"

/* The request that is answered; borrowed. */
struct asked {
        const struct tool *tool;
        const json_t *id;
        const char *uri; /* of the resource that was asked for, NULL otherwise */
        bool is_stateless;
        const char *request_id; /* for the log */
};

/* Appends the answer of a tool that succeeded. False when the result cannot be bounded (nothing was appended). */
MUST_CHECK bool answer_result(struct text *out, const struct asked *asked, const json_t *result, struct error *error);
/* Appends the answer of a tool that refused or failed: isError, and {error, message, details?} as text. What a tool
 * that reads tells is one of a fixed list, without details; the error is logged here when it is the server's fault. */
void answer_refusal(struct text *out, const struct asked *asked, const struct error *error);
/* Appends the answer to arguments that the tool's input table does not accept. */
void answer_invalid(struct text *out, const json_t *id, bool is_stateless, const char *message);

/* The code that a tool that reads tells instead of `code`. */
enum error_code answer_read_code(enum error_code code);

#endif
