/* Stream readers: raw bytes of an agent's output in, normalised events out.
 *
 * A reader is fed pieces of any size; a line of any length, any bytes and a cut anywhere never end a run. Its memory is
 * bounded. Events carry the raw offset up to which they account for the stream, so that a reader can be started again
 * behind the last event that was kept. */
#ifndef SERVICES_STREAM_H
#define SERVICES_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/text.h"

/* The longest text of one event, in bytes; a longer one is several events, never cut. */
#define STREAM_EVENT_BYTES 8192

/* What a turn has used. Some programs count over the whole conversation and not over the turn. */
struct stream_usage {
        int64_t input, output, cache_read, cache_write; /* tokens; input without what the cache held */
        int64_t cost_micros;                            /* millionths of a US dollar */
        bool is_conversation, is_cost_of_conversation;
};

/* Borrowed; valid during the callback only. Text is valid UTF-8 without NUL. What is not told is NULL or 0. */
struct stream_event {
        const char *role; /* assistant, tool, system, user */
        const char *type; /* text, thinking, tool_call, tool_result, usage, error, stderr, raw; NULL: not for the log */
        const char *text;
        size_t length;
        uint64_t offset; /* raw bytes of the stream accounted for, this event included... */
        unsigned part;   /* ...and so many events behind them, of a line that has more; 0: it is the last of its line */
        const char *tool, *tool_use_id, *command;
        const json_t *paths; /* strings */
        const struct stream_usage *usage;
        const char *category;   /* of an error: auth, rate_limit, timeout, unknown */
        const char *error_type; /* the provider's own word */
        const char *session;    /* the conversation's id */
        int64_t resets_at;      /* when a limit ends, ms since the epoch */
        bool is_error;          /* a tool call that failed */
        bool is_fatal;          /* an error that the turn failed of */
        bool is_end;            /* the program says that the turn is over, or may have said so */
        bool is_block;          /* a text that stands by itself and does not go on with the one before */
};

typedef void stream_sink(const struct stream_event *event, void *context);

/* Where a reader begins: its first byte is the stream's byte `offset`; the first `part` events behind it were taken. */
struct stream_start {
        const char *role, *type; /* of plain text */
        uint64_t offset;
        unsigned part;
        stream_sink *sink;
        void *context;
};

struct stream_format {
        const char *name;
        /* The caller frees the reader with `free`. */
        void *(*begin)(const struct stream_start *start);
        void (*feed)(void *reader, const char *bytes, size_t length);
        /* The stream has ended: what is held back comes out. */
        void (*end)(void *reader);
        void (*free)(void *reader);
};

/* What a plain command prints is its text, as it is. */
extern const struct stream_format stream_format_text;
/* JSON lines: Claude Code's stream-json, Codex's exec --json, Gemini CLI's stream-json, and chat messages as Kimi CLI
 * prints them. Lines that are none of theirs become raw events. */
extern const struct stream_format stream_format_claude, stream_format_codex, stream_format_gemini, stream_format_chat;

/* "text", "claude-json", "codex-json", "gemini-json", "chat-json"; every other name, and NULL, is text. */
const struct stream_format *stream_format_find(const char *name);

#endif
