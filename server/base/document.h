/* JSON documents: what jansson does not offer itself. Values are owned unless a comment says otherwise. */
#ifndef BASE_DOCUMENT_H
#define BASE_DOCUMENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/base/text.h"

static inline void document_release(json_t **document)
{
        json_decref(*document);
}
#define auto_json CLEANUP(document_release) json_t

/* A JSON string of bytes that need not be UTF-8 (invalid sequences become U+FFFD). Never NULL. */
json_t *document_text(const char *bytes, size_t length);
/* A JSON string of a NUL-terminated string, JSON null for NULL. */
json_t *document_string(const char *string);
/* A time in ms since the epoch as ISO 8601 UTC with milliseconds, JSON null for 0. */
json_t *document_time(int64_t ms);
#define DOCUMENT_DEPTH_MAXIMUM 64
#define DOCUMENT_VALUES_MAXIMUM 1000000
/* Parses one JSON text (RFC 8259): duplicate member names, trailing bytes, NUL characters, nesting beyond
 * DOCUMENT_DEPTH_MAXIMUM and more than DOCUMENT_VALUES_MAXIMUM values (a small one takes twenty times its length) are
 * refused with ERROR_INVALID_INPUT. NULL on error. */
json_t *document_parse(const char *bytes, size_t length, struct error *error);
/* The same with limits of the caller's, which are checked before anything is made of the text. */
struct document_limits {
        size_t depth;  /* of nesting, at most DOCUMENT_DEPTH_MAXIMUM */
        size_t values; /* members of all objects and elements of all arrays */
        size_t name;   /* bytes of a member's name, as they are written */
};
json_t *document_parse_within(const char *bytes, size_t length, const struct document_limits *limits,
                              struct error *error);
/* Compact text on the heap, members in insertion order. */
char *document_print(const json_t *document);
/* Compact text with sorted member names, for fingerprints. */
char *document_canonical(const json_t *document);
/* The same text piece by piece, in the memory of one piece. */
void document_canonical_each(const json_t *document, void (*each)(const char *bytes, size_t length, void *context),
                             void *context);
/* Appends a JSON string literal, quotes included, of valid UTF-8. */
void document_append_quoted(struct text *out, const char *bytes, size_t length);
/* Appends the name of an object's member and its colon, behind a comma unless it is the first. */
void document_append_name(struct text *out, const char *name, size_t length, bool is_first);
/* Appends a number that is no integer with as few digits as tell it from every other. */
void document_append_real(struct text *out, const json_t *real);
/* String member `name` (borrowed), NULL when it is absent or no string. */
const char *document_get_string(const json_t *object, const char *name);
/* Integer member `name`, `fallback` when it is absent or no integer. */
int64_t document_get_integer(const json_t *object, const char *name, int64_t fallback);

#endif
