/* The process log: one record a call, as text or JSON lines, to standard error. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "server/base/error.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

/* Sets the least level that is written, and the form. Call before other threads start. */
void log_configure(enum log_level level, bool is_json);
/* Reads "debug", "info", "warning" or "error". */
MUST_CHECK bool log_level_parse(const char *name, enum log_level *level);

/* Writes a record: a short sentence, then name/value string pairs, ended by NULL. A NULL value leaves its pair out. */
void log_write(enum log_level level, const char *message, ...) __attribute__((sentinel));

#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__, NULL)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__, NULL)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__, NULL)
#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__, NULL)

#endif
