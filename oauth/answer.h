/* Answers for clients: JSON, and OAuth's form of an error (RFC 6749, section 5.2). */
#ifndef OAUTH_ANSWER_H
#define OAUTH_ANSWER_H

#include "oauth/asked.h"

/* Takes the document. */
void answer_document(struct http_request *request, unsigned status, json_t *document);
/* {error, error_description}. */
void answer_refuse(const struct asked *asked, const struct error *error);
/* The same for a request that was not read. */
void answer_error(struct http_request *request, const struct error *error);

#endif
