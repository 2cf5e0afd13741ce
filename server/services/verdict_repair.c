#include "server/services/verdict_repair.h"

#include <string.h>

/* A walk through JSON that need not be valid. */
struct scan {
        const char *at, *end;
        bool is_string, is_escaped;
        size_t depth;
};

/* Takes the next byte into account; before it, at a quote, `is_string` is as it was. */
static void step(struct scan *scan)
{
        char c = *scan->at++;

        if (scan->is_escaped) {
                scan->is_escaped = false;
        } else if (scan->is_string) {
                scan->is_escaped = c == '\\';
                scan->is_string = c != '"';
        } else if (c == '"') {
                scan->is_string = true;
        } else if (c == '{' || c == '[') {
                scan->depth++;
        } else if ((c == '}' || c == ']') && scan->depth) {
                scan->depth--;
        }
}

/* The end of the object that begins at `start`, NULL when it has none. */
static const char *object_end(const char *start, const char *end)
{
        struct scan scan = {.at = start, .end = end};

        do
                step(&scan);
        while (scan.at < end && scan.depth);
        return scan.depth || scan.is_string || scan.at[-1] != '}' ? NULL : scan.at;
}

/* Whether the comma at `at` stands before a closing bracket. */
static bool is_trailing(const char *at, const char *end)
{
        for (at++; at < end && strchr(" \t\r\n", *at); at++)
                continue;
        return at < end && (*at == '}' || *at == ']');
}

static void append_character(const struct scan *scan, struct text *out)
{
        unsigned char c = (unsigned char)*scan->at;

        if (scan->is_string && c < 0x20 && !scan->is_escaped)
                text_printf(out, "\\u%04x", c);
        else if (scan->is_string || c != ',' || !is_trailing(scan->at, scan->end))
                text_append(out, scan->at, 1);
}

bool verdict_repair(const char *bytes, size_t length, struct text *out)
{
        auto_text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        utf8_append_clean(&clean, bytes, length);
        for (size_t i = 0; i < clean.length; i++)
                if (!clean.data[i])
                        clean.data[i] = ' ';
        const char *text = text_string(&clean), *end = text + clean.length, *start = strchr(text, '{'),
                   *close = start ? object_end(start, end) : NULL;
        if (!close || strchr(close, '{'))
                return false;
        for (struct scan scan = {.at = start, .end = close}; scan.at < close; step(&scan))
                append_character(&scan, out);
        return true;
}
