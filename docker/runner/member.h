/* Members of a message as a table, from which it is both read and printed into and from a struct of its own shape; the
 * static program needs no more than this. */
#ifndef RUNNER_MEMBER_H
#define RUNNER_MEMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"

enum member_type {
        MEMBER_BUFFER, /* a string copied into a char array of `most` bytes */
        MEMBER_TEXT,   /* a string of at most `most` bytes, stored as const char * that the JSON document owns */
        MEMBER_NUMBER, /* an int64_t from `least` to `most`; a nullable one is least - 1 when it is null */
        MEMBER_CHOICE, /* one of `most` `names`, stored as an enum */
        MEMBER_OTHER,  /* must be there; read and printed by the caller */
};

struct member {
        const char *name;
        enum member_type type;
        size_t offset;
        int64_t least, most;
        bool is_nullable;
        bool (*is_valid)(const char *text); /* of a string, NULL: any */
        const char *shape;                  /* what is_valid wants, in words */
        const char *const *names;
};

/* Reads every member of the table from the object into the struct at `into`; members that the table does not have are
 * refused, but for "version". Members before a bad one have been written. */
MUST_CHECK bool member_read(const struct member *members, size_t count, const json_t *object, void *into,
                            struct error *error);
/* An object with "version" and every member of the table from the struct at `from`. Owned by the caller. */
json_t *member_print(const struct member *members, size_t count, const void *from);

#endif
