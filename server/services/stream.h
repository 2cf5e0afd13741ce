/* Stream readers: raw bytes of an agent's output in, normalised events out.
 *
 * A reader is fed pieces of any size; a line of any length, any bytes and a cut anywhere never end a run. Its memory is
 * bounded. Events carry the raw offset up to which they account for the stream, so that a reader can be started again
 * behind the last event that was kept. */
#ifndef SERVICES_STREAM_H
#define SERVICES_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/text.h"

/* The longest text of one event, in bytes; a longer one is several events, never cut. */
#define STREAM_EVENT_BYTES 8192

/* Borrowed; valid during the callback only. Text is valid UTF-8 without NUL. */
struct stream_event {
        const char *role; /* assistant, tool, system, user */
        const char *type; /* text, thinking, tool_call, tool_result, usage, error, stderr, raw */
        const char *text;
        size_t length;
        uint64_t offset; /* raw bytes of the stream accounted for, this event included */
};

typedef void stream_sink(const struct stream_event *event, void *context);

struct stream_format {
        const char *name;
        /* A reader whose first byte is the stream's byte `offset`. The caller frees it with `free`. */
        void *(*begin)(const char *role, const char *type, uint64_t offset, stream_sink *sink, void *context);
        void (*feed)(void *reader, const char *bytes, size_t length);
        /* The stream has ended: what is held back comes out. */
        void (*end)(void *reader);
        void (*free)(void *reader);
};

/* What a plain command prints is its text, as it is. */
extern const struct stream_format stream_format_text;

#endif
