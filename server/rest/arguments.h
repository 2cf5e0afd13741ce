/* Arguments of an operation: path, query and body brought together. */
#ifndef REST_ARGUMENTS_H
#define REST_ARGUMENTS_H

#include "server/rest/operation.h"

/* What an operation is called with. The arguments are the caller's document without the page's members. */
struct rest_arguments {
        json_t *query, *path; /* what the request's line says */
        json_t *document;
        struct field_memory memory;
        void *input;
        struct rest_page_input page;
        struct field_memory page_memory;
        json_t *page_document;
};
void rest_arguments_clear(struct rest_arguments *arguments);

/* Reads path and query, on the request's thread. rest_arguments_clear follows in any case. ERROR_INVALID_INPUT. */
MUST_CHECK bool rest_arguments_begin(const struct rest_operation *operation, struct http_request *request,
                                     struct rest_arguments *arguments, struct error *error);
/* Adds the body (nothing, or an object) and fills the input, on any thread. ERROR_INVALID_INPUT names the field. */
MUST_CHECK bool rest_arguments_end(const struct rest_operation *operation, const char *body, size_t length,
                                   struct rest_arguments *arguments, struct error *error);

#endif
