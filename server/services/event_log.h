/* The event log of a turn: the raw output that the runner records becomes normalised events in debug-stream.jsonl.
 *
 * Every line carries the raw offset it accounts for, so that a server that died takes up where the last whole line
 * stands and nothing is written twice. One thread at a time. After a failure the log is to be closed and opened again:
 * only the file tells then how far it came. */
#ifndef SERVICES_EVENT_LOG_H
#define SERVICES_EVENT_LOG_H

#include "server/base/error.h"
#include "server/services/stream_summary.h"

struct event_log;

/* Opens the log of the task's records folder for a turn, taking up after what is there. NULL on error. */
struct event_log *event_log_open(const char *records, int64_t ordinal, const struct stream_format *format,
                                 struct error *error);
void event_log_close(struct event_log *log);
/* Writes the events of what the user said, once. */
MUST_CHECK bool event_log_user(struct event_log *log, const char *text, int64_t submitted_at, struct error *error);
/* Takes up what the raw files have grown by, a bounded piece of it: *is_more says that there is more already. */
MUST_CHECK bool event_log_ingest(struct event_log *log, bool *is_more, struct error *error);
/* Takes up all the rest of files that will not grow further. */
MUST_CHECK bool event_log_finish(struct event_log *log, struct error *error);
/* When the newest text that the agent said in the turn was taken up, 0 when it has said none. */
int64_t event_log_said_at(const struct event_log *log);
/* Writes an event of the server's own, for people to read. */
MUST_CHECK bool event_log_note(struct event_log *log, const char *message, struct error *error);
/* Writes the error event that a turn ends with, once. */
MUST_CHECK bool event_log_failure(struct event_log *log, const char *message, const char *category,
                                  struct error *error);

/* Reads the raw output of an ended turn into `summary` (initialised); *replied_at is when the output grew last, 0 when
 * there is none. */
MUST_CHECK bool event_log_summary(const char *records, int64_t ordinal, const struct stream_format *format,
                                  struct stream_summary *summary, int64_t *replied_at, struct error *error);

#endif
