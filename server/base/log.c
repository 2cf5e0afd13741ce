#include "server/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"

#define LOG_RECORD_MAXIMUM 16384

static const char *const level_names[] = {"debug", "info", "warning", "error"};
static enum log_level least = LOG_LEVEL_INFO;
static bool as_json;

void log_configure(enum log_level level, bool is_json)
{
        least = level;
        as_json = is_json;
}

bool log_level_parse(const char *name, enum log_level *level)
{
        for (size_t i = 0; i < COUNT_OF(level_names); i++)
                if (!strcmp(level_names[i], name)) {
                        *level = (enum log_level)i;
                        return true;
                }
        return false;
}

static void append_quoted(struct text *out, const char *value)
{
        auto_text clean = TEXT_WITH_MAXIMUM(LOG_RECORD_MAXIMUM / 2);

        utf8_append_clean(&clean, value, strlen(value));
        document_append_quoted(out, text_string(&clean), clean.length);
}

void log_write(enum log_level level, const char *message, ...)
{
        char iso[CLOCK_ISO_SIZE];
        const char *name;
        va_list pairs;

        if (level < least)
                return;
        auto_text record = TEXT_WITH_MAXIMUM(LOG_RECORD_MAXIMUM);
        clock_format(clock_now(), iso);
        if (as_json) {
                text_printf(&record, "{\"time\":\"%s\",\"level\":\"%s\",\"message\":", iso, level_names[level]);
                append_quoted(&record, message);
        } else {
                text_printf(&record, "%s %-7s %s", iso, level_names[level], message);
        }
        va_start(pairs, message);
        while ((name = va_arg(pairs, const char *))) {
                const char *value = va_arg(pairs, const char *);
                if (!value)
                        continue;
                text_printf(&record, as_json ? ",\"%s\":" : " %s=", name);
                append_quoted(&record, value);
        }
        va_end(pairs);
        text_append_string(&record, as_json ? "}\n" : "\n");
        fwrite(record.data, 1, record.length, stderr);
}
