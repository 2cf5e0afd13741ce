/* Redaction of what leaves the server: exact managed values and the credentials of URLs, before any cut, for every door
 * alike. */
#ifndef SERVICES_REDACT_H
#define SERVICES_REDACT_H

#include "server/services/credential.h"

#define REDACTED "[redacted]"

/* What is looked for in one answer. */
struct redactor {
        struct secret_values values;
};
void redactor_clear(struct redactor *redactor);
#define auto_redactor CLEANUP(redactor_clear) struct redactor

MUST_CHECK bool redactor_init(struct redactor *redactor, const struct services *services, struct error *error);
/* Appends the text with every managed value and URL userinfo replaced by REDACTED; those that touch or overlap by one.
 */
void redact_append(const struct redactor *redactor, struct text *out, const char *bytes, size_t length);
/* The same of the part from `from` on; what reaches into it from before is replaced as a whole. */
void redact_append_from(const struct redactor *redactor, struct text *out, const char *bytes, size_t length,
                        size_t from);
/* A JSON string of the redacted text, null for NULL. */
json_t *redact_string(const struct redactor *redactor, const char *string);
/* Overwrites every managed value and URL userinfo in place with as many asterisks, so that sizes and pages stay exact.
 */
void redact_mask(const struct redactor *redactor, char *bytes, size_t length);
/* How many bytes around a part of a text decide on what of it is redacted. */
size_t redact_reach(const struct redactor *redactor);

#endif
