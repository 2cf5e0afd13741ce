/* The MCP door: what the table of HTTP routes needs.
 *
 * The server's rows and callbacks hand their request on, with the calling thread's store reader:
 *
 *   {"POST", "/mcp", HTTP_ACCESS_OTHER + n, HTTP_BODY_JSON, MCP_BODY_MAXIMUM, ...}   calls mcp_post
 *   {"*", "/mcp", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, ...}                        calls mcp_other_method
 *   the authenticate callback, for the first row's access                            calls mcp_authenticate
 *   the admit callback, for every request                                            calls origin_check
 *
 * Answers are JSON, but for a tool that reports how far it is to a caller who asked for that (mcp/streamed.h), and
 * nothing is remembered between requests: Mcp-Session-Id is not looked at. */
#ifndef MCP_DOOR_H
#define MCP_DOOR_H

#include "mcp/exchange.h"
#include "mcp/origin.h"
#include "server/base/pool.h"
#include "server/http/request.h"

#define MCP_BODY_MAXIMUM EXCHANGE_BODY_MAXIMUM

/* Outlives the HTTP server and the pool's work. */
struct mcp_door {
        struct services *services;
        struct pool *pool; /* for tools that block, and batches that change something */
};

/* Lets the request in, or has answered: 404 while MCP is switched off, 401 with a challenge. */
MUST_CHECK bool mcp_authenticate(const struct mcp_door *door, struct http_request *request, struct store_db *reader);
/* Answers a POST, at once or later. */
void mcp_post(const struct mcp_door *door, struct http_request *request, struct store_db *reader);
/* Answers every other method: 404 while MCP is switched off, 204 for OPTIONS, else 405; both with Allow. */
void mcp_other_method(struct http_request *request);

#endif
