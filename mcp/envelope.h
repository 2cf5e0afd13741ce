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
        ENVELOPE_RESOURCE_NOT_FOUND = -32002, /* before 2026-07-28, which says ENVELOPE_INVALID_PARAMS */
        ENVELOPE_HEADER_MISMATCH = -32020,
        ENVELOPE_MISSING_CAPABILITY = -32021,
        ENVELOPE_UNSUPPORTED_VERSION = -32022,
};

/* Every code that an answer can carry, and when; ended by a row without a sentence. */
struct envelope_row {
        enum envelope_code code;
        const char *sentence;
};
extern const struct envelope_row envelope_rows[];

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

/* Appends a number that is no integer with as few digits as tell it from every other. */
void envelope_real(struct text *out, const json_t *real);

/* What a client may keep of a result, and for how long (2026-07-28, caching). */
struct cache_hint {
        int64_t ttl_ms;
        bool is_public; /* the same for every caller */
};

/* Appends the beginning of a successful answer, up to and without its result; envelope_end closes it. The id is written
 * as it came. */
void envelope_begin(struct text *out, const json_t *id);
/* Closes the answer behind the last member of its result, which has one at least. Since 2026-07-28 (`is_stateless`) a
 * result says what it is, from whom, and what of it may be kept (`hint`, NULL where nothing is said). */
void envelope_close(struct text *out, bool is_stateless, const struct cache_hint *hint);
/* Appends a whole answer; the result is an object with one member at least, borrowed. */
void envelope_result(struct text *out, const json_t *id, const json_t *result, bool is_stateless,
                     const struct cache_hint *hint);
/* Appends a whole error answer; `id` NULL is written as null. `data` is borrowed and may be NULL. */
void envelope_error(struct text *out, const json_t *id, enum envelope_code code, const char *sentence,
                    const json_t *data);

#endif
