/* What answers each method; listed in mcp/method.c. */
#ifndef MCP_METHODS_METHODS_H
#define MCP_METHODS_METHODS_H

#include "mcp/method.h"

typedef void method_handler(struct exchange *exchange, struct exchange_item *item);

extern method_handler method_discover, method_initialize, method_ping;
extern method_handler method_tools_list, method_tools_call;
extern method_handler method_prompts_list, method_prompts_get;
extern method_handler method_resources_list, method_resource_templates_list, method_resources_read;
extern method_handler method_complete;

#endif
