#include "server/services/redact.h"

#include <string.h>

#include "server/base/document.h"

/* The longest userinfo of a URL that is looked for. */
#define USERINFO_MAXIMUM 1024

void redactor_clear(struct redactor *redactor)
{
        secret_values_clear(&redactor->values);
}

bool redactor_init(struct redactor *redactor, const struct services *services, struct error *error)
{
        return credential_values(services, &redactor->values, error);
}

/* Length of the login of a URL that begins right behind "://" at `bytes`, 0 when there is none: up to the last @ of the
 * authority. A user without a password counts from the length on that a token can have. */
static size_t userinfo_length(const char *bytes, size_t length)
{
        bool has_colon = false;
        size_t end = 0;

        for (size_t i = 0; i < length && i < USERINFO_MAXIMUM && !strchr("/?# \t\r\n\"'<>\\`", bytes[i]); i++) {
                has_colon = has_colon || bytes[i] == ':';
                if (bytes[i] == '@')
                        end = i;
        }
        return has_colon || end >= SECRET_VALUE_MINIMUM ? end : 0;
}

/* Which bytes of a text must not be shown; NULL when there are none. What a byte's mark is depends on no more of the
 * text than redact_reach on both sides, so that every part of a text that has that much around it is marked alike. */
static void mark(char **marks, size_t length, size_t from, size_t count)
{
        if (!*marks)
                *marks = memory_new(length);
        memset(*marks + from, 1, count);
}

static void mark_value(char **marks, const char *bytes, size_t length, const char *value)
{
        size_t wanted = strlen(value), marked = 0;
        const char *hit = bytes;

        while ((hit = memmem(hit, length - (size_t)(hit - bytes), value, wanted))) {
                size_t at = (size_t)(hit - bytes), start = at < marked ? marked : at;
                marked = at + wanted;
                mark(marks, length, start, marked - start);
                hit++;
        }
}

static void mark_logins(char **marks, const char *bytes, size_t length)
{
        const char *hit = bytes;

        while ((hit = memmem(hit, length - (size_t)(hit - bytes), "://", 3))) {
                hit += 3;
                size_t from = (size_t)(hit - bytes), found = userinfo_length(hit, length - from);
                if (found)
                        mark(marks, length, from, found);
        }
}

static char *marks_of(const struct redactor *redactor, const char *bytes, size_t length)
{
        char *marks = NULL;

        if (!length)
                return NULL;
        for (size_t i = 0; i < redactor->values.count; i++)
                mark_value(&marks, bytes, length, redactor->values.items[i]);
        mark_logins(&marks, bytes, length);
        return marks;
}

void redact_append_from(const struct redactor *redactor, struct text *out, const char *bytes, size_t length,
                        size_t from)
{
        auto_free char *marks = marks_of(redactor, bytes, length);

        for (size_t at = from, end; at < length; at = end) {
                bool is_marked = marks && marks[at];
                const char *next = marks ? memchr(marks + at, !is_marked, length - at) : NULL;
                end = next ? (size_t)(next - marks) : length;
                if (is_marked)
                        text_append_string(out, REDACTED);
                else
                        text_append(out, bytes + at, end - at);
        }
}

void redact_append(const struct redactor *redactor, struct text *out, const char *bytes, size_t length)
{
        redact_append_from(redactor, out, bytes, length, 0);
}

json_t *redact_string(const struct redactor *redactor, const char *string)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (!string)
                return json_null();
        redact_append(redactor, &text, string, strlen(string));
        return document_text(text_string(&text), text.length);
}

void redact_mask(const struct redactor *redactor, char *bytes, size_t length)
{
        auto_free char *marks = marks_of(redactor, bytes, length);

        for (size_t i = 0; marks && i < length; i++)
                if (marks[i])
                        bytes[i] = '*';
}

size_t redact_reach(const struct redactor *redactor)
{
        size_t reach = USERINFO_MAXIMUM + 3;

        for (size_t i = 0; i < redactor->values.count; i++)
                if (strlen(redactor->values.items[i]) > reach)
                        reach = strlen(redactor->values.items[i]);
        return reach;
}
