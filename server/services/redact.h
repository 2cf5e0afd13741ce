/* Redaction of what leaves the server: exact managed values, the logins of URLs and the credentials in their queries,
 * before any cut, for every door alike. */
#ifndef SERVICES_REDACT_H
#define SERVICES_REDACT_H

#include "server/base/document.h"
#include "server/services/services.h"

#define REDACTED "[redacted]"

struct managed_values;
struct redactor_scope;

/* What is looked for in one answer. It is of the moment: what goes on for longer makes a new one for every piece. */
struct redactor {
        const struct managed_values *values;
        struct redactor_scope *scope; /* NULL: every managed value counts */
        bool is_events;               /* the file that is masked is the events' */
};
void redactor_clear(struct redactor *redactor);
#define auto_redactor CLEANUP(redactor_clear) struct redactor

/* Every managed value counts until a task is named. `db` must outlive the redactor. ERROR_UNAVAILABLE with
 * {reason: "secret_values_unavailable"} when the values cannot be told. */
MUST_CHECK bool redactor_init(struct redactor *redactor, const struct services *services, struct store_db *db,
                              struct error *error);
/* From now on texts are of this task: what counts are git credentials, the server's accounts, the secrets of the task's
 * environment and of its owner, the owner's accounts, and all that the task was ever given. The secrets of others do
 * not: nobody can find out by trying what they are, or have a common word left out of others' texts. */
void redactor_set_task(struct redactor *redactor, struct store_db *db, const struct store_task *task);
/* From now on redact_mask is for this file of the task. The texts of the events are pieces of longer ones: in them it
 * masks, as redact_append_piece does, parts of a value too. */
void redactor_set_file(struct redactor *redactor, const char *path);
/* Appends the text with every managed value and URL credential replaced by REDACTED; those that touch or overlap by
 * one. */
void redact_append(const struct redactor *redactor, struct text *out, const char *bytes, size_t length);
/* The same of the part from `from` on; what reaches into it from before is replaced as a whole. */
void redact_append_from(const struct redactor *redactor, struct text *out, const char *bytes, size_t length,
                        size_t from);
/* The same of a text that may be a piece of a longer one: at its beginning and end parts of a managed value, of six
 * bytes or more, are replaced too. */
void redact_append_piece(const struct redactor *redactor, struct text *out, const char *bytes, size_t length);
/* A JSON string of the redacted text, null for NULL. */
json_t *redact_string(const struct redactor *redactor, const char *string);
/* Overwrites every managed value and URL credential in place with as many asterisks, so that sizes and pages stay
 * exact. */
void redact_mask(const struct redactor *redactor, char *bytes, size_t length);
/* How many bytes around a part of a text decide on what of it is redacted. */
size_t redact_reach(const struct redactor *redactor);

#endif
