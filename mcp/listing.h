/* The answer of tools/list, made once and kept as bytes. */
#ifndef MCP_LISTING_H
#define MCP_LISTING_H

#include <stddef.h>

/* {"tools":[...]} of all tools, in their order. On any thread; the bytes live as long as the process. */
const char *listing_bytes(size_t *length);
/* The same, made anew on the heap. */
char *listing_build(void);

#endif
