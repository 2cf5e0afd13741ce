#include "server/services/stream.h"

#include <string.h>

/* Longest UTF-8 character less one: what may be held back of a character that the end of a piece cuts. */
#define HELD_MAXIMUM 3

struct reader {
        const char *role, *type;
        stream_sink *sink;
        void *context;
        uint64_t offset;
        char held[HELD_MAXIMUM];
        size_t held_length;
};

static void *begin(const struct stream_start *start)
{
        struct reader *reader = memory_new(sizeof *reader);

        *reader = (struct reader){.role = start->role,
                                  .type = start->type,
                                  .sink = start->sink,
                                  .context = start->context,
                                  .offset = start->offset};
        return reader;
}

/* Clean text of the bytes: invalid sequences and NUL become U+FFFD. */
static void clean(struct text *out, const char *bytes, size_t length)
{
        const char *nul;

        while ((nul = memchr(bytes, '\0', length))) {
                utf8_append_clean(out, bytes, (size_t)(nul - bytes));
                text_append(out, "\xef\xbf\xbd", 3);
                length -= (size_t)(nul - bytes) + 1;
                bytes = nul + 1;
        }
        utf8_append_clean(out, bytes, length);
}

static void emit(struct reader *reader, const char *bytes, size_t length)
{
        auto_text text = TEXT_WITH_MAXIMUM(3 * STREAM_EVENT_BYTES);

        if (!length)
                return;
        clean(&text, bytes, length);
        reader->offset += length;
        reader->sink(&(struct stream_event){.role = reader->role,
                                            .type = reader->type,
                                            .text = text_string(&text),
                                            .length = text.length,
                                            .offset = reader->offset},
                     reader->context);
}

/* How many bytes at the end are a character that is not whole yet. */
static size_t partial_length(const char *bytes, size_t length)
{
        for (size_t back = 1; back <= HELD_MAXIMUM && back <= length; back++) {
                bool is_partial;
                if (((unsigned char)bytes[length - back] & 0xc0) == 0x80)
                        continue;
                utf8_character(bytes + length - back, back, &is_partial);
                return is_partial ? back : 0;
        }
        return 0;
}

/* Where to end an event within the first STREAM_EVENT_BYTES: behind the last newline, else behind a whole character. */
static size_t event_length(const char *bytes, size_t length)
{
        if (length <= STREAM_EVENT_BYTES)
                return length;
        const char *newline = memrchr(bytes, '\n', STREAM_EVENT_BYTES);
        if (newline)
                return (size_t)(newline - bytes) + 1;
        return STREAM_EVENT_BYTES - partial_length(bytes, STREAM_EVENT_BYTES);
}

static void feed_piece(struct reader *reader, const char *bytes, size_t length)
{
        size_t kept = partial_length(bytes, length), whole = length - kept;

        for (size_t step; whole > 0; bytes += step, whole -= step) {
                step = event_length(bytes, whole);
                emit(reader, bytes, step);
        }
        memcpy(reader->held, bytes, kept);
        reader->held_length = kept;
}

static void feed(void *context, const char *bytes, size_t length)
{
        struct reader *reader = context;

        if (!reader->held_length) {
                feed_piece(reader, bytes, length);
                return;
        }
        auto_text joined = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        text_append(&joined, reader->held, reader->held_length);
        text_append(&joined, bytes, length);
        reader->held_length = 0;
        feed_piece(reader, joined.data, joined.length);
}

static void end(void *context)
{
        struct reader *reader = context;

        emit(reader, reader->held, reader->held_length);
        reader->held_length = 0;
}

const struct stream_format stream_format_text = {"text", begin, feed, end, free};
