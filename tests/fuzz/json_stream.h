/* Fuzzing of a reader of JSON lines; the including file names its FORMAT. The first byte seeds where the stream is cut.
 * However it is cut, and wherever an earlier reader stopped, the same events come out, and they account for the stream.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/services/stream_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct collected {
        struct text text; /* of all events, their fields between marks */
        uint64_t offset;
        unsigned part;
        size_t count, stop_after; /* 0: never */
        struct stream_summary summary;
};

static void check(bool is_true)
{
        if (!is_true)
                abort();
}

static void add(struct collected *collected, const char *field)
{
        text_append_string(&collected->text, field ? field : "-");
        text_append(&collected->text, "\x1f", 1);
}

static void collect(const struct stream_event *event, void *context)
{
        struct collected *collected = context;

        stream_summary_take(event, &collected->summary);
        if (!event->type || (collected->stop_after && collected->count >= collected->stop_after))
                return;
        collected->count++;
        check(event->offset > collected->offset ||
              (event->offset == collected->offset && event->part == collected->part + 1) ||
              (event->offset >= collected->offset && event->part == 1));
        check(event->length <= 3 * STREAM_EVENT_BYTES);
        check(!event->text || (!memchr(event->text, '\0', event->length) && utf8_is_valid(event->text, event->length)));
        collected->offset = event->offset;
        collected->part = event->part;
        add(collected, event->role);
        add(collected, event->type);
        add(collected, event->tool);
        add(collected, event->tool_use_id);
        add(collected, event->command);
        add(collected, event->category);
        text_append(&collected->text, event->text, event->length);
        text_append(&collected->text, "\x1e", 1);
}

static size_t next_piece(uint32_t *seed, size_t left)
{
        *seed = *seed * 1664525 + 1013904223;
        uint32_t draw = *seed >> 16;
        size_t piece = draw % 8 == 0 ? left : draw % 8 < 5 ? 1 : draw % 20000;
        return piece < left ? piece : left;
}

static void run(const char *bytes, size_t length, uint32_t seed, struct collected *collected)
{
        uint64_t offset = collected->offset;
        void *reader = FORMAT.begin(&(struct stream_start){.role = "assistant",
                                                           .type = "text",
                                                           .offset = offset,
                                                           .part = collected->part,
                                                           .sink = collect,
                                                           .context = collected});

        for (size_t at = offset, piece; at < length; at += piece) {
                piece = seed ? next_piece(&seed, length - at) : length - at;
                FORMAT.feed(reader, bytes + at, piece);
        }
        FORMAT.end(reader);
        FORMAT.free(reader);
}

static void init(struct collected *collected, size_t stop_after)
{
        *collected = (struct collected){.text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), .stop_after = stop_after};
        stream_summary_init(&collected->summary, 100);
}

static void clear(struct collected *collected)
{
        text_clear(&collected->text);
        stream_summary_clear(&collected->summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct collected whole, cut, resumed;
        const char *bytes = (const char *)data + 1;

        if (!size)
                return 0;
        init(&whole, 0);
        init(&cut, 0);
        run(bytes, size - 1, 0, &whole);
        run(bytes, size - 1, data[0] + 1u, &cut);
        check(whole.text.length == cut.text.length &&
              !memcmp(text_string(&whole.text), text_string(&cut.text), cut.text.length));
        check(whole.offset <= size - 1);
        /* What a reader state carries from line to line may be missing after a restart: only the count must be the
         * same. */
        init(&resumed, whole.count ? data[0] % (whole.count + 1) : 0);
        if (resumed.stop_after) {
                run(bytes, size - 1, 0, &resumed);
                resumed.stop_after = 0;
                run(bytes, size - 1, 0, &resumed);
                check(resumed.count == whole.count);
        }
        clear(&whole);
        clear(&cut);
        clear(&resumed);
        return 0;
}
