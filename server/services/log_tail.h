/* The end of a log that grows, for people: bounded, redacted, beginning with a whole line. */
#ifndef SERVICES_LOG_TAIL_H
#define SERVICES_LOG_TAIL_H

#include "server/services/redact.h"

/* What is read of a log at most, in bytes. */
#define LOG_TAIL_BYTES 65536

struct log_tail {
        struct text text;  /* UTF-8, its marker of what was left out included */
        bool is_omitted;   /* the log has more before what was read */
        bool is_truncated; /* what was read had more characters than were wanted */
        bool is_redacted;  /* a value in the text was replaced */
};
void log_tail_clear(struct log_tail *tail);
#define auto_log_tail CLEANUP(log_tail_clear) struct log_tail

/* Reads the last LOG_TAIL_BYTES of the file and keeps the whole lines in its last `maximum` characters, marker
 * included; of a last line that is longer, its end. A file that is not there is an empty log. ERROR_UNAVAILABLE. */
MUST_CHECK bool log_tail_read(const char *path, const struct redactor *redactor, size_t maximum, struct log_tail *out,
                              struct error *error);
/* The same of bytes that were read. `before` is the byte in front of them, -1 when they are the whole log: a line that
 * begins behind it is whole, any other first line is left out. */
void log_tail_make(const char *bytes, size_t length, int before, const struct redactor *redactor, size_t maximum,
                   struct log_tail *out);

#endif
