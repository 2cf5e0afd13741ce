/* Members of a message as a table, from which it is both read and printed. */
#ifndef RUNNER_FIELD_H
#define RUNNER_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

enum field_type {
        FIELD_BUFFER, /* a string copied into a char array of `most` bytes */
        FIELD_TEXT,   /* a string of at most `most` bytes, stored as const char * that the JSON document owns */
        FIELD_NUMBER, /* an int64_t from `least` to `most`; a nullable one is least - 1 when it is null */
        FIELD_CHOICE, /* one of `most` `names`, stored as an enum */
        FIELD_OTHER,  /* must be there; read and printed by the caller */
};

struct field {
        const char *name;
        enum field_type type;
        size_t offset;
        int64_t least, most;
        bool is_nullable;
        bool (*is_valid)(const char *text); /* of a string, NULL: any */
        const char *shape;                  /* what is_valid wants, in words */
        const char *const *names;
};

/* Reads every field of the table from the object into the struct at `into`; members that the table does not have are
 * refused, but for "version". Fields before a bad one have been written. */
MUST_CHECK bool field_read(const struct field *fields, size_t count, const json_t *object, void *into,
                           struct error *error);
/* An object with "version" and every field of the table from the struct at `from`. Owned by the caller. */
json_t *field_print(const struct field *fields, size_t count, const void *from);

#endif
