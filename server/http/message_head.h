/* The head of an HTTP/1.1 message (RFC 9112) that is carried on, read strictly: what two readers might understand
 * differently is refused. Internal to the driver, but for what the tests of it look at. */
#ifndef HTTP_MESSAGE_HEAD_H
#define HTTP_MESSAGE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/cleanup.h"
#include "server/base/text.h"

#define HEAD_MAXIMUM 65536
#define HEAD_FIELDS_MAXIMUM 128

struct head_field {
        const char *name, *value;
};

enum head_body {
        HEAD_BODY_NONE,
        HEAD_BODY_LENGTH,
        HEAD_BODY_CHUNKED,
        HEAD_BODY_UNTIL_CLOSE, /* of a response */
};

/* Borrows from the bytes it was read from. */
struct message_head {
        const char *method, *target; /* of a request */
        int status;                  /* of a response */
        const char *reason;
        struct head_field fields[HEAD_FIELDS_MAXIMUM];
        size_t count;
        enum head_body body;
        uint64_t length;
        bool is_upgrade; /* asks for, or grants, the protocol websocket (RFC 6455) */
        bool keeps;      /* the connection may be used again */
};

/* How long the head at the bytes' beginning is, its last empty line included; 0 when it is not whole. */
size_t head_length(const char *bytes, size_t length);
/* Reads a request's head of that length in place. False when it is not one: the answer is 400. */
MUST_CHECK bool head_read_request(char *bytes, size_t length, struct message_head *head);
/* The same of a response to a request of the method. */
MUST_CHECK bool head_read_response(char *bytes, size_t length, const char *method, struct message_head *head);
/* The value of the first field of the name (in any case), NULL when there is none; *is_repeated when there are more. */
const char *head_find(const struct message_head *head, const char *name, bool *is_repeated);
/* The value of a cookie of the request, on the heap; NULL when there is none. */
char *head_cookie(const struct message_head *head, const char *name);

/* What a request gets on its way, and what it loses. */
struct head_forward {
        const char *client; /* address */
        const char *scheme; /* by which it came */
        bool is_told;       /* the client is a proxy whose own X-Forwarded-For and -Proto hold */
        bool (*is_own_cookie)(const char *name, size_t length); /* which are not the application's */
};
/* Appends the request as it goes on: without hop-by-hop fields, Authorization and the cookies that are not the
 * application's, and with X-Forwarded-For, -Proto and -Host. */
void head_write_request(const struct message_head *head, const struct head_forward *forward, struct text *out);
/* Appends the response as it goes back: without hop-by-hop fields, with cookies of its own name and host only. */
void head_write_response(const struct message_head *head, const struct head_forward *forward, bool keeps,
                         struct text *out);

#endif
