/* Forms: application/x-www-form-urlencoded (WHATWG URL, section 5). */
#ifndef BASE_FORM_H
#define BASE_FORM_H

#include <jansson.h>

#include "server/base/error.h"
#include "server/base/text.h"

#define FORM_PARAMETER_MAXIMUM 64

/* The parameters as an object of strings. NULL with ERROR_INVALID_INPUT for one that is given more than once, for bytes
 * that are no UTF-8 or NUL, and for more than FORM_PARAMETER_MAXIMUM parameters. */
json_t *form_parse(const char *bytes, size_t length, struct error *error);
/* Adds one decoded parameter to such an object. */
MUST_CHECK bool form_put(json_t *form, const char *name, const char *value, struct error *error);
/* Appends "name=value", encoded, after an '&' unless `out` is empty or ends in '?' or '&'. */
void form_append(struct text *out, const char *name, const char *value);
/* The parameters of an object of strings as a form. */
void form_print(json_t *form, struct text *out);

#endif
