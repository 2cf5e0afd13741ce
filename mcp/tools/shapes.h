/* Output tables that several tools share. */
#ifndef MCP_TOOLS_SHAPES_H
#define MCP_TOOLS_SHAPES_H

#include "server/services/task_shapes.h"

#endif
