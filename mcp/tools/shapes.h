/* Output tables that several tools share. */
#ifndef MCP_TOOLS_SHAPES_H
#define MCP_TOOLS_SHAPES_H

#include "server/base/field.h"

/* A task, as lists and creation show it. */
extern const struct field_table task_shape;
/* The same with what get_task adds. */
extern const struct field_table task_details_shape;
extern const struct field_table failure_shape;
extern const struct field_table provenance_shape;

#endif
