/* The methods of the protocol. */
#ifndef MCP_METHOD_H
#define MCP_METHOD_H

#include "mcp/exchange.h"

/* Answers a request at once, or leaves its tool in the item. */
void method_dispatch(struct exchange *exchange, struct exchange_item *item);

/* For the methods: */

/* Answers with an error about the params. */
void method_refuse(struct exchange_item *item, const char *sentence);
/* Answers with a result (borrowed) that has one member at least. */
void method_answer(const struct exchange *exchange, struct exchange_item *item, const json_t *result,
                   const struct cache_hint *hint);
/* Leaves a method that is run like a tool; its arguments are the params. */
void method_run(struct exchange_item *item, const struct tool *tool);

#endif
