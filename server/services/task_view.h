/* Rendering: one function of task and viewer for every door. Documents are the caller's. */
#ifndef SERVICES_TASK_VIEW_H
#define SERVICES_TASK_VIEW_H

#include "server/services/redact.h"
#include "server/store/turn.h"

/* Characters of a reply that the store keeps: as many as one result can ever carry, and a margin behind which a managed
 * value that the cut went through is left out. */
#define REPLY_KEPT_CHARACTERS 520000
#define REPLY_MARGIN_CHARACTERS 8192

/* What every answer about one task begins with: the task that the call's actor may view, and the redaction of its
 * texts. ERROR_TASK_NOT_FOUND, ERROR_UNAVAILABLE; what was filled is the caller's to clear either way. */
MUST_CHECK bool task_open(struct call *call, const char *task_id, struct store_task *task, struct redactor *redactor,
                          struct error *error);
/* The task object of get_task, list_tasks and creation results. */
json_t *task_view(const struct call *call, const struct store_task *task, const struct redactor *redactor);
/* The address of a task's page. The caller frees it. */
char *task_url(const struct services *services, const char *task_id);
/* The server's address as people reach it: SITE_URL, else where it listens. The caller frees it. */
char *site_url(const struct services *services);

/* A text cut to its last `maximum` characters, marker included: sets *is_cut. The caller frees it. */
char *text_tail(const char *text, size_t length, size_t maximum, int64_t total, bool *is_cut);
/* A text cut to its first `maximum` characters, marker included: sets *is_cut. The caller frees it. */
char *text_head(const char *text, size_t length, size_t maximum, bool *is_cut);

/* The redacted reply of a turn (its kept end) on the heap; *total gets the characters of the whole. */
char *reply_text(const struct redactor *redactor, const struct store_reply *reply, int64_t *total);

/* The failure object, NULL when the task did not fail. */
json_t *task_failure(const struct call *call, const struct store_task *task, const struct store_turn *turn,
                     const struct redactor *redactor);

#endif
