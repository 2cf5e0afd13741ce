/* Growable text with a maximum, and UTF-8 helpers.
 *
 * Bytes from outside (git blobs, file names, logs, agent output) need not be UTF-8; "characters" are Unicode code
 * points throughout, and no cut ever splits one. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/cleanup.h"

/* Owns `data`, which is NUL-terminated whenever it is not NULL. Appending beyond `maximum` bytes keeps what fits and
 * sets `is_cut`. Zero-initialised with only `maximum` set is an empty text. */
struct text {
        char *data;
        size_t length;
        size_t capacity;
        size_t maximum;
        bool is_cut;
};

#define TEXT_WITH_MAXIMUM(bytes) ((struct text){.maximum = (bytes)})
#define auto_text CLEANUP(text_clear) struct text

void text_clear(struct text *text);
void text_append(struct text *text, const void *bytes, size_t length);
/* Where `length` bytes may be written behind the content; NULL when the maximum leaves less room. */
char *text_room(struct text *text, size_t length);
/* Takes in so many bytes that were written there. */
void text_grow(struct text *text, size_t length);
void text_append_string(struct text *text, const char *string);
PRINTF_LIKE(2, 3) void text_printf(struct text *text, const char *format, ...);
PRINTF_LIKE(2, 0) void text_vprintf(struct text *text, const char *format, va_list arguments);
/* The content as a string, "" when empty. Owned by the text. */
const char *text_string(const struct text *text);
/* Hands the heap string out (never NULL) and empties the text. */
char *text_take(struct text *text);

/* printf into a new heap string. Memory exhaustion ends the process. */
PRINTF_LIKE(1, 2) char *text_format(const char *format, ...);
/* A heap copy of `string`, NULL for NULL. Memory exhaustion ends the process. */
char *text_copy(const char *string);
/* malloc, calloc and realloc that end the process when memory is exhausted. */
void *memory_new(size_t size);
void *memory_resize(void *pointer, size_t size);

/* Length in bytes of the valid UTF-8 character at `bytes` (RFC 3629: no surrogates, no overlong forms), 0 when it is
 * invalid; sets *is_partial when the bytes are a valid beginning that is merely cut by the end. */
size_t utf8_character(const char *bytes, size_t length, bool *is_partial);
bool utf8_is_valid(const char *bytes, size_t length);
/* Number of code points of valid UTF-8. */
size_t utf8_count(const char *bytes, size_t length);
/* Byte offset of the character that starts `count` characters before the end (0 when there are fewer). */
size_t utf8_tail_offset(const char *bytes, size_t length, size_t count);
/* Byte length of the first `count` characters (all of it when there are fewer). */
size_t utf8_head_length(const char *bytes, size_t length, size_t count);
/* Appends `bytes`, each invalid sequence replaced by U+FFFD. */
void utf8_append_clean(struct text *out, const char *bytes, size_t length);

#endif
