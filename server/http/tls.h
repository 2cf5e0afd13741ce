/* The certificate and key that a server shows, and their replacement while it runs. */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <stdint.h>

#include "server/base/error.h"

struct http_tls;

/* Reads a certificate with its chain (PEM, the server's own first) and its key (PEM, not encrypted). The result goes
 * into the options of any number of servers, outlives them and is closed by the caller. NULL with ERROR_INVALID_INPUT
 * naming the file, or saying that the two do not belong together. */
struct http_tls *http_tls_open(const char *certificate_file, const char *key_file, struct error *error);
void http_tls_close(struct http_tls *tls);
/* Reads both files anew. Connections that are open go on, new ones see the new pair; one that is not good changes
 * nothing. One call at a time. */
MUST_CHECK bool http_tls_load(struct http_tls *tls, const char *certificate_file, const char *key_file,
                              struct error *error);
/* When the certificate in use ends, in ms since the epoch. */
int64_t http_tls_expires_at(const struct http_tls *tls);

#endif
