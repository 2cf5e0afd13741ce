#include "server/services/stream_line.h"

#include <string.h>

#include "server/base/document.h"

struct stream_lines {
        struct stream_start
                start; /* `offset` is where the line at hand begins, `part` how many of its events are known */
        stream_line_read *read;
        struct text line;
        void *raw; /* reads the rest of a line that is too long */
        unsigned count;
        bool flag;
        bool has_pending;
        struct stream_event pending; /* held back until it is known whether it is the line's last */
        struct text kept;            /* addresses of texts that live as long as the line */
        json_t *paths;               /* and arrays that do */
        struct stream_usage usage;
};

void *stream_lines_begin(const struct stream_start *start, stream_line_read *read)
{
        struct stream_lines *lines = memory_new(sizeof *lines);

        *lines = (struct stream_lines){.start = *start,
                                       .read = read,
                                       .line = TEXT_WITH_MAXIMUM(STREAM_LINE_MAXIMUM),
                                       .kept = TEXT_WITH_MAXIMUM(SIZE_MAX / 2)};
        return lines;
}

static void let_go(struct stream_lines *lines)
{
        for (size_t i = 0; i < lines->kept.length; i += sizeof(char *)) {
                char *owned;
                memcpy(&owned, lines->kept.data + i, sizeof owned);
                free(owned);
        }
        text_clear(&lines->kept);
        json_decref(lines->paths);
        lines->paths = NULL;
}

const json_t *stream_line_keep(struct stream_lines *lines, json_t *paths)
{
        lines->paths = lines->paths ? lines->paths : json_array();
        json_array_append_new(lines->paths, paths);
        return json_array_size(paths) ? paths : NULL;
}

const struct stream_usage *stream_line_usage(struct stream_lines *lines, const struct stream_usage *usage)
{
        lines->usage = *usage;
        return &lines->usage;
}

static char *keep(struct stream_lines *lines, char *owned)
{
        text_append(&lines->kept, &owned, sizeof owned);
        return owned;
}

/* Gives out the event held back, unless an earlier reader has. */
static void release(struct stream_lines *lines, bool is_last, uint64_t end)
{
        if (!lines->has_pending)
                return;
        lines->has_pending = false;
        lines->count++;
        lines->pending.part = is_last ? 0 : lines->count;
        lines->pending.offset = is_last ? end : lines->start.offset;
        if (is_last || lines->count > lines->start.part)
                lines->start.sink(&lines->pending, lines->start.context);
}

/* Where to end an event's text: behind the last newline within the maximum, else behind a whole character. */
static size_t piece_length(const char *text, size_t length)
{
        size_t step = STREAM_EVENT_BYTES;

        if (length <= step)
                return length;
        const char *newline = memrchr(text, '\n', step);
        if (newline)
                return (size_t)(newline - text) + 1;
        while (((unsigned char)text[step] & 0xc0) == 0x80)
                step--;
        return step;
}

void stream_line_emit(struct stream_lines *lines, const struct stream_event *event)
{
        size_t at = 0;

        if (!event->type) {
                lines->start.sink(event, lines->start.context);
                return;
        }
        do {
                release(lines, false, 0);
                lines->pending = *event;
                lines->pending.text = event->text ? event->text + at : NULL;
                lines->pending.length = event->text ? piece_length(event->text + at, event->length - at) : 0;
                lines->pending.is_block = event->is_block && at == 0;
                lines->has_pending = true;
                at += lines->pending.length;
        } while (at < event->length);
}

void stream_line_take(struct stream_lines *lines, struct stream_event event, char *text)
{
        event.text = keep(lines, text);
        event.length = strlen(text);
        stream_line_emit(lines, &event);
}

void stream_line_text(struct stream_lines *lines, struct stream_event event, const json_t *text)
{
        const char *string = json_string_value(text);
        size_t length = json_string_length(text);

        if (!string || !length)
                return;
        if (memchr(string, '\0', length)) {
                auto_text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                for (size_t i = 0; i < length; i++)
                        text_append(&clean, string[i] ? &string[i] : "\xef\xbf\xbd", string[i] ? 1 : 3);
                stream_line_take(lines, event, text_take(&clean));
                return;
        }
        event.text = string;
        event.length = length;
        stream_line_emit(lines, &event);
}

void stream_line_failure(struct stream_lines *lines, struct stream_event event, const json_t *text)
{
        if (json_string_length(text))
                stream_line_text(lines, event, text);
        else
                stream_line_take(lines, event, text_copy("The agent told of a failure without saying which."));
}

void stream_line_over(struct stream_lines *lines)
{
        stream_line_emit(lines, &(struct stream_event){.role = "system", .is_end = true});
}

void stream_line_session(struct stream_lines *lines, const char *session)
{
        if (session && *session)
                stream_line_emit(lines, &(struct stream_event){.role = "system", .session = session});
}

bool *stream_line_flag(struct stream_lines *lines)
{
        return &lines->flag;
}

static void *raw_begin(struct stream_lines *lines)
{
        struct stream_start start = lines->start;

        start.role = "system";
        start.type = "raw";
        return stream_format_text.begin(&start);
}

static void raw_end(struct stream_lines *lines)
{
        stream_format_text.end(lines->raw);
        stream_format_text.free(lines->raw);
        lines->raw = NULL;
}

static bool is_blank(const struct text *line)
{
        return !line->length || strspn(line->data, " \t\r\n") == line->length;
}

/* The line's object. Agents print what they were given, so that bytes which are not UTF-8 do not make a line
 * unreadable. */
static json_t *parse(const struct text *line)
{
        auto_text clean = TEXT_WITH_MAXIMUM(3 * (size_t)STREAM_LINE_MAXIMUM);
        const struct text *good = line;

        if (!utf8_is_valid(line->data, line->length)) {
                utf8_append_clean(&clean, line->data, line->length);
                good = &clean;
        }
        return json_loadb(good->data, good->length, JSON_ALLOW_NUL, NULL);
}

static void read_line(struct stream_lines *lines, uint64_t end)
{
        auto_json *line = is_blank(&lines->line) ? NULL : parse(&lines->line);

        lines->count = 0;
        if (json_is_object(line) && lines->read(lines, line)) {
                release(lines, true, end);
        } else if (!is_blank(&lines->line)) {
                lines->has_pending = false;
                lines->raw = raw_begin(lines);
                stream_format_text.feed(lines->raw, lines->line.data, lines->line.length);
                raw_end(lines);
        }
        let_go(lines);
        lines->start.part = 0;
}

/* Takes bytes of one line; `is_whole` says that they end it. */
static void feed_line(struct stream_lines *lines, const char *bytes, size_t length, bool is_whole)
{
        if (!lines->raw && lines->line.length + length > STREAM_LINE_MAXIMUM) {
                /* What it would have said is not known. */
                stream_line_over(lines);
                lines->raw = raw_begin(lines);
                lines->start.part = 0;
                stream_format_text.feed(lines->raw, text_string(&lines->line), lines->line.length);
                lines->start.offset += lines->line.length;
                text_clear(&lines->line);
        }
        if (lines->raw) {
                stream_format_text.feed(lines->raw, bytes, length);
                lines->start.offset += length;
                if (is_whole)
                        raw_end(lines);
                return;
        }
        text_append(&lines->line, bytes, length);
        if (!is_whole)
                return;
        uint64_t end = lines->start.offset + lines->line.length;
        read_line(lines, end);
        lines->start.offset = end;
        text_clear(&lines->line);
}

void stream_lines_feed(void *context, const char *bytes, size_t length)
{
        while (length > 0) {
                const char *newline = memchr(bytes, '\n', length);
                size_t step = newline ? (size_t)(newline - bytes) + 1 : length;
                feed_line(context, bytes, step, newline != NULL);
                bytes += step;
                length -= step;
        }
}

void stream_lines_end(void *context)
{
        struct stream_lines *lines = context;

        if (lines->raw || lines->line.length)
                feed_line(lines, "", 0, true);
}

void stream_lines_free(void *context)
{
        struct stream_lines *lines = context;

        if (lines->raw)
                stream_format_text.free(lines->raw);
        let_go(lines);
        text_clear(&lines->line);
        free(lines);
}
