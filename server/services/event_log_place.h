/* How far an event log was written when it was last looked at, so that opening it reads only what came after, however
 * large it is. Kept in a file of its own beside the log. It is an aid: one that is missing, torn, or of another log
 * than the one that is there (cut, or written anew) says nothing, and then the whole log is read. */
#ifndef SERVICES_EVENT_LOG_PLACE_H
#define SERVICES_EVENT_LOG_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct event_log_place {
        uint64_t offset; /* bytes of the log that the rest accounts for, whole lines */
        int64_t ordinal; /* the turn that the rest is of */
        int64_t sequence;
        uint64_t output_offset, output_part, error_offset, error_part, user_offset;
        uint64_t has_failure;
        int64_t said_at; /* event_log_said_at() */
};

/* Whether `path` tells of the open log. */
bool event_log_place_read(const char *path, int log, struct event_log_place *place);
/* Replaces what it told. Not flushed, and a failure is no harm. */
void event_log_place_write(const char *path, int log, const struct event_log_place *place);

#endif
