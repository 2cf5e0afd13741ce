/* Answers as an event stream: notifications of progress, then the answer (MCP, transports). */
#ifndef MCP_STREAMED_H
#define MCP_STREAMED_H

#include "mcp/door.h"

/* Whether the exchange is answered so: its tool reports how far it is, the caller gave a token for that and takes event
 * streams. */
bool streamed_is_wanted(struct exchange *exchange, const struct exchange_headers *headers);
/* Answers with a stream and has the exchange, which is taken over, run on the worker pool. A caller that goes away ends
 * nothing but the waiting: the tool learns of it (call_is_cancelled), and what it made stays. */
void streamed_begin(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                    struct exchange *exchange);

#endif
