/* The routes as an OpenAPI 3.1 document. */
#ifndef SERVER_OPENAPI_H
#define SERVER_OPENAPI_H

#include <jansson.h>
#include <stddef.h>

/* Made once from the tables of routes and fields; the bytes live as long as the process. On any thread. */
const char *openapi_bytes(size_t *length);
/* The same, made anew. The caller owns it. */
json_t *openapi_document(void);

#endif
