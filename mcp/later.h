/* Requests that another thread than the HTTP server's answers. */
#ifndef MCP_LATER_H
#define MCP_LATER_H

#include "mcp/door.h"

/* Suspends the request and has its exchange, which is taken over, run where it has to; answers when that is done. */
void door_postpone(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                   struct exchange *exchange, const struct exchange_headers *headers);

/* A body too large to be read on the thread of its request. */
struct door_body {
        int file; /* where it is, -1 when it is in memory */
        uint64_t file_length;
        size_t length; /* in memory */
};
/* The same for a request with such a body, which is read on the worker pool; one that is in a file only when no other
 * one is. Takes the file. */
void door_postpone_whole(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                         const struct exchange_headers *headers, const struct door_body *body);

/* Answers with the exchange's answers (202 when there are none). */
void door_send(struct http_request *request, struct exchange *exchange);
/* Answers with an error that concerns the request as a whole; 401 carries a challenge. */
void door_refuse(struct http_request *request, const struct error *error);

#endif
