/* The first byte seeds where the stream is cut into pieces. What comes out must be clean text that accounts for every
 * byte, and the same however it is cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/services/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define START 1000

/* Everything that came out, and how far it accounts for the stream. */
struct collected {
        struct text text;
        uint64_t offset;
};

static void check(bool is_true)
{
        if (!is_true)
                abort();
}

static void collect(const struct stream_event *event, void *context)
{
        struct collected *collected = context;

        check(!strcmp(event->role, "assistant") && !strcmp(event->type, "text"));
        check(event->length > 0 && event->length <= 3 * STREAM_EVENT_BYTES);
        check(!memchr(event->text, '\0', event->length) && !event->text[event->length]);
        check(utf8_is_valid(event->text, event->length));
        check(event->offset > collected->offset && event->offset - collected->offset <= STREAM_EVENT_BYTES);
        collected->offset = event->offset;
        text_append(&collected->text, event->text, event->length);
}

/* The length of the next piece: now and then one byte, or nothing, mostly short, at times all that is left. */
static size_t next_piece(uint32_t *seed, size_t left)
{
        *seed = *seed * 1664525 + 1013904223;
        uint32_t draw = *seed >> 16;
        size_t piece = draw % 8 == 0 ? left : draw % 8 == 1 ? 0 : draw % 8 < 5 ? 1 : draw % 20000;
        return piece < left ? piece : left;
}

static void *begin(uint64_t offset, struct collected *collected)
{
        return stream_format_text.begin(&(struct stream_start){
                .role = "assistant", .type = "text", .offset = offset, .sink = collect, .context = collected});
}

/* Feeds the bytes in pieces that the seed chooses; a seed of 0 is one piece. */
static void run(const char *bytes, size_t length, uint32_t seed, struct collected *collected)
{
        void *reader = begin(START, collected);

        collected->offset = START;
        for (size_t at = 0, piece; at < length; at += piece) {
                piece = seed ? next_piece(&seed, length - at) : length;
                stream_format_text.feed(reader, bytes + at, piece);
                check(collected->offset + 3 >= START + at + piece);
        }
        stream_format_text.end(reader);
        stream_format_text.free(reader);
        check(collected->offset == START + length);
}

/* A reader that begins behind an event goes on as the first one did. */
static void run_halves(const char *bytes, size_t length, struct collected *collected)
{
        void *first = begin(START, collected);

        collected->offset = START;
        stream_format_text.feed(first, bytes, length / 2);
        stream_format_text.free(first);
        size_t kept = collected->offset - START;
        void *second = begin(collected->offset, collected);
        stream_format_text.feed(second, bytes + kept, length - kept);
        stream_format_text.end(second);
        stream_format_text.free(second);
        check(collected->offset == START + length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct collected whole = {.text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2)}, cut = whole, halves = whole;
        auto_text input = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (size < 3)
                return 0;
        /* Repeated, so that short inputs reach the longest event too. */
        for (size_t i = 0; i <= data[1]; i++)
                text_append(&input, data + 2, size - 2);
        run(input.data, input.length, 0, &whole);
        run(input.data, input.length, 1 + data[0], &cut);
        run_halves(input.data, input.length, &halves);
        check(whole.text.length == cut.text.length && !memcmp(whole.text.data, cut.text.data, cut.text.length));
        check(whole.text.length == halves.text.length &&
              !memcmp(whole.text.data, halves.text.data, halves.text.length));
        text_clear(&whole.text);
        text_clear(&cut.text);
        text_clear(&halves.text);
        return 0;
}
