/* JSON that clients send. */
#ifndef SERVICES_BODY_H
#define SERVICES_BODY_H

#include "server/base/document.h"

/* Parses the body of a request within the limits of the settings (JSON_DEPTH_MAXIMUM, JSON_VALUES_MAXIMUM,
 * JSON_NAME_MAXIMUM), which are checked before anything is made of it. NULL with ERROR_INVALID_INPUT that says what is
 * wrong. */
json_t *body_parse(const char *bytes, size_t length, struct error *error);

#endif
