/* One line of JSON over a socket. */
#ifndef ADMIN_LINE_H
#define ADMIN_LINE_H

#include <jansson.h>
#include <stdbool.h>

#include "server/base/error.h"

/* Reads up to the first newline; NULL with ERROR_INVALID_INPUT, ERROR_TOO_LARGE or ERROR_UNAVAILABLE. */
json_t *line_read(int socket, struct error *error);
MUST_CHECK bool line_write(int socket, const json_t *document, struct error *error);

#endif
