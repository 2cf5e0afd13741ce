#include "mcp/more.h"

const struct more mcp_more = {0};
