/* The methods of the protocol. */
#ifndef MCP_METHOD_H
#define MCP_METHOD_H

#include "mcp/exchange.h"

/* Answers a request at once, or leaves its tool in the item. */
void method_dispatch(struct exchange *exchange, struct exchange_item *item);

#endif
