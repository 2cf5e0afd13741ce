/* JSON-RPC 2.0 messages: what arrived, and the frames of answers. */
#ifndef MCP_ENVELOPE_H
#define MCP_ENVELOPE_H

#include <jansson.h>

#include "server/base/text.h"

/* Error codes: JSON-RPC 2.0, section 5.1, and MCP's own. */
enum envelope_code {
        ENVELOPE_PARSE_ERROR = -32700,
        ENVELOPE_INVALID_REQUEST = -32600,
        ENVELOPE_METHOD_NOT_FOUND = -32601,
        ENVELOPE_INVALID_PARAMS = -32602,
        ENVELOPE_INTERNAL = -32603,
        ENVELOPE_UNSUPPORTED_VERSION = -32022,
};

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_RESPONSE, MESSAGE_INVALID };

/* Borrows from the document. */
struct message {
        enum message_kind kind;
        const json_t *id; /* a string or a number; NULL when there is none that can be answered to */
        const char *method;
        json_t *params;    /* an object or NULL */
        const char *fault; /* of an invalid message: what is wrong */
};

/* Says what the document is. A null id, and one that is neither string nor number, makes it invalid. */
void message_read(json_t *document, struct message *message);

/* Appends the beginning of a successful answer, up to and without its result; envelope_end closes it. The id is written
 * as it came. */
void envelope_begin(struct text *out, const json_t *id);
void envelope_end(struct text *out);
/* Appends a whole answer with a result that is JSON text already. */
void envelope_result(struct text *out, const json_t *id, const char *result, size_t length);
/* Appends a whole error answer; `id` NULL is written as null. `data` is borrowed and may be NULL. */
void envelope_error(struct text *out, const json_t *id, enum envelope_code code, const char *sentence,
                    const json_t *data);

#endif
