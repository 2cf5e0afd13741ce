/* A prompt of the MCP door: a message that a person has a client say to its model.
 *
 * Each file in mcp/prompts/ ends in one constant `struct prompt`; mcp/prompts.c lists them. */
#ifndef MCP_PROMPT_H
#define MCP_PROMPT_H

#include "mcp/envelope.h"
#include "server/services/services.h"

struct prompt_argument {
        const char *name, *description;
        bool is_required;
        /* Appends strings that begin with `typed` to `values`; NULL when there is nothing to propose. Reads. */
        bool (*complete)(struct call *call, const char *typed, json_t *values, struct error *error);
};

struct prompt {
        const char *name, *title, *description;
        const struct prompt_argument *arguments; /* ended by one without a name; NULL: none */
        /* The members of a GetPromptResult, which the caller owns. `arguments` are strings, and those of the prompt.
         * Reads. ERROR_INVALID_INPUT is told as it is. */
        bool (*get)(struct call *call, const struct message *message, const json_t *arguments, json_t **result,
                    struct error *error);
};

size_t prompt_count(void);
const struct prompt *prompt_at(size_t index);
/* NULL when there is no such prompt. */
const struct prompt *prompt_find(const char *name);

#endif
