/* Internal to the readers of JSON lines: lines of bounded length are parsed and given to the format's own function, all
 * else becomes raw events. */
#ifndef SERVICES_STREAM_LINE_H
#define SERVICES_STREAM_LINE_H

#include "server/services/stream.h"

/* A longer line is not parsed. */
#define STREAM_LINE_MAXIMUM (1024 * 1024)

struct stream_lines;

/* Makes events of one line's object with stream_line_emit; false when it is none of the format's. */
typedef bool stream_line_read(struct stream_lines *lines, const json_t *line);

void *stream_lines_begin(const struct stream_start *start, stream_line_read *read);
void stream_lines_feed(void *lines, const char *bytes, size_t length);
void stream_lines_end(void *lines);
void stream_lines_free(void *lines);

#define STREAM_LINES_FORMAT(constant, text, read)                                                                      \
        static void *begin(const struct stream_start *start)                                                           \
        {                                                                                                              \
                return stream_lines_begin(start, read);                                                                \
        }                                                                                                              \
        const struct stream_format constant = {text, begin, stream_lines_feed, stream_lines_end, stream_lines_free}

/* Gives out an event; what it points to must live as long as the line's object. A long text becomes several events. */
void stream_line_emit(struct stream_lines *lines, const struct stream_event *event);
/* The same with the text of a JSON string (NUL becomes U+FFFD); nothing when it is none, or empty. */
void stream_line_text(struct stream_lines *lines, struct stream_event event, const json_t *text);
/* The same with a text that is handed over. */
void stream_line_take(struct stream_lines *lines, struct stream_event event, char *text);
/* The same for an error's text: one that is none, or empty, is told in words of ours, for no failure may pass unseen. */
void stream_line_failure(struct stream_lines *lines, struct stream_event event, const json_t *text);
/* Tells that the program says the turn is over. */
void stream_line_over(struct stream_lines *lines);
/* Tells the conversation's id. */
void stream_line_session(struct stream_lines *lines, const char *session);
/* A flag of the format's own, kept from line to line; false at first. */
bool *stream_line_flag(struct stream_lines *lines);

/* Arguments of a tool call as its text: compact JSON on the heap. */
char *stream_line_arguments(const json_t *arguments);
/* The command and the paths that a tool call's arguments name, by the members that such tools use. They, and the copy
 * of the usage, live as long as the line; NULL for none. */
const char *stream_line_command(const json_t *arguments);
const json_t *stream_line_paths(struct stream_lines *lines, const json_t *arguments);
const struct stream_usage *stream_line_usage(struct stream_lines *lines, const struct stream_usage *usage);
/* Takes an array of paths over and gives it back to be used, NULL for an empty one. */
const json_t *stream_line_keep(struct stream_lines *lines, json_t *paths);

#endif
