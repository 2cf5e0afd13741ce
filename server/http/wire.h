/* A client's connection, with or without TLS, that never blocks. Internal to the driver. */
#ifndef HTTP_WIRE_H
#define HTTP_WIRE_H

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/base/cleanup.h"

struct wire {
        int fd;
        gnutls_session_t session; /* NULL: without TLS */
};

struct http_tls;

/* Takes the socket. With `tls` it begins TLS, and waits for the handshake until `until` (monotonic ms). */
MUST_CHECK bool wire_open(struct wire *wire, int fd, const struct http_tls *tls,
                          gnutls_certificate_credentials_t credentials, int64_t until);
void wire_close(struct wire *wire);
/* Bytes read, 0 at the end; -1 with EAGAIN when there are none now, or another errno. */
ssize_t wire_read(struct wire *wire, void *bytes, size_t maximum);
/* Bytes taken; -1 with EAGAIN when none are now. After that the same bytes must come again. */
ssize_t wire_write(struct wire *wire, const void *bytes, size_t length);
/* Whether there is something to read that poll does not know of. */
bool wire_has_more(const struct wire *wire);

#endif
