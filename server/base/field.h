/* Field tables: one constant table describes an input once and gives its JSON Schema, its strict validation, the filled
 * struct and its reference documentation. Tool arguments, REST bodies, environment files and settings all use it; the
 * same rows without an offset (the OUT_* macros) describe outputs.
 *
 * The macros pick the member's offset through _Generic, so that a member of another type does not compile. */
#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/base/text.h"

enum field_type {
        FIELD_STRING,  /* const char *, borrowed from the document, NULL when absent */
        FIELD_INTEGER, /* int64_t */
        FIELD_BOOLEAN, /* bool */
        FIELD_FLAG,    /* int: -1 absent, 0 false, 1 true */
        FIELD_STRINGS, /* struct field_strings */
        FIELD_MAP,     /* json_t *, borrowed: an object whose values are strings; NULL when absent */
        FIELD_OBJECT,  /* pointer to the nested struct, NULL when absent */
        FIELD_OBJECTS, /* struct field_objects */
        FIELD_ANY,     /* json_t *, borrowed */
};

struct field_table;

struct field {
        const char *name;
        const char *help;
        enum field_type type;
        bool is_required;
        bool is_nullable;    /* null is accepted and reads as absent; in outputs: may be null */
        bool is_late;        /* settings: a change acts at the next start */
        bool is_list_of_any; /* outputs: an array whose items are not described further */
        size_t offset;
        int64_t minimum;                     /* strings: characters; integers: value; lists and maps: items */
        int64_t maximum;                     /* the same; 0 for none */
        int64_t preset;                      /* default of an integer or boolean */
        const char *text_preset;             /* default of a string */
        const char *const *choices;          /* NULL-ended list of the accepted strings */
        bool (*is_valid)(const char *value); /* further check of a string, or of a map's names */
        const char *shape;                   /* what is_valid wants, in words: "a UUID" */
        const char *format;                  /* JSON Schema format name, when there is one */
        const struct field_table *nested;
};

struct field_table {
        const char *name;
        const struct field *rows;
        size_t count;
        size_t size; /* of the struct that the rows fill; 0 for outputs */
};

struct field_strings {
        const char **items;
        size_t count;
};

struct field_objects {
        void *items;
        size_t count;
};

#define FIELD_ROW(S, member, wanted, kind, ...)                                                                        \
        {                                                                                                              \
                .name = #member, .type = (kind),                                                                       \
                .offset = _Generic(((S *)0)->member, wanted                                                            \
                                   : offsetof(S, member)),                                                             \
                __VA_ARGS__                                                                                            \
        }
#define STRING_FIELD(S, member, ...) FIELD_ROW(S, member, const char *, FIELD_STRING, __VA_ARGS__)
#define INTEGER_FIELD(S, member, ...) FIELD_ROW(S, member, int64_t, FIELD_INTEGER, __VA_ARGS__)
#define BOOLEAN_FIELD(S, member, ...) FIELD_ROW(S, member, bool, FIELD_BOOLEAN, __VA_ARGS__)
#define FLAG_FIELD(S, member, ...) FIELD_ROW(S, member, int, FIELD_FLAG, __VA_ARGS__)
#define STRINGS_FIELD(S, member, ...) FIELD_ROW(S, member, struct field_strings, FIELD_STRINGS, __VA_ARGS__)
#define MAP_FIELD(S, member, ...) FIELD_ROW(S, member, json_t *, FIELD_MAP, __VA_ARGS__)
#define ANY_FIELD(S, member, ...) FIELD_ROW(S, member, json_t *, FIELD_ANY, __VA_ARGS__)
#define OBJECT_FIELD(S, member, T, table, ...)                                                                         \
        FIELD_ROW(S, member, const T *, FIELD_OBJECT, .nested = &(table), __VA_ARGS__)
#define OBJECTS_FIELD(S, member, table, ...)                                                                           \
        FIELD_ROW(S, member, struct field_objects, FIELD_OBJECTS, .nested = &(table), __VA_ARGS__)

#define OUT_STRING(text, ...)                                                                                          \
        {                                                                                                              \
                .name = text, .type = FIELD_STRING, __VA_ARGS__                                                        \
        }
#define OUT_INTEGER(text, ...)                                                                                         \
        {                                                                                                              \
                .name = text, .type = FIELD_INTEGER, __VA_ARGS__                                                       \
        }
#define OUT_BOOLEAN(text, ...)                                                                                         \
        {                                                                                                              \
                .name = text, .type = FIELD_BOOLEAN, __VA_ARGS__                                                       \
        }
#define OUT_STRINGS(text, ...)                                                                                         \
        {                                                                                                              \
                .name = text, .type = FIELD_STRINGS, __VA_ARGS__                                                       \
        }
#define OUT_MAP(text, ...)                                                                                             \
        {                                                                                                              \
                .name = text, .type = FIELD_MAP, __VA_ARGS__                                                           \
        }
#define OUT_ANY(text, ...)                                                                                             \
        {                                                                                                              \
                .name = text, .type = FIELD_ANY, __VA_ARGS__                                                           \
        }
#define OUT_OBJECT(text, table, ...)                                                                                   \
        {                                                                                                              \
                .name = text, .type = FIELD_OBJECT, .nested = &(table), __VA_ARGS__                                    \
        }
#define OUT_OBJECTS(text, table, ...)                                                                                  \
        {                                                                                                              \
                .name = text, .type = FIELD_OBJECTS, .nested = &(table), __VA_ARGS__                                   \
        }

#define FIELD_TABLE(S, list)                                                                                           \
        {                                                                                                              \
                .name = #S, .rows = (list), .count = COUNT_OF(list), .size = sizeof(S)                                 \
        }
#define OUTPUT_TABLE(text, list)                                                                                       \
        {                                                                                                              \
                .name = (text), .rows = (list), .count = COUNT_OF(list)                                                \
        }

/* Memory that a filled struct points into, released at once. Zero-initialised is empty. */
struct field_memory {
        void *first;
};
void field_memory_clear(struct field_memory *memory);
#define auto_field_memory CLEANUP(field_memory_clear) struct field_memory

/* Fills the struct at `out` (zeroed first, presets applied) from the object. Strings are borrowed from `document`,
 * lists and nested structs live in `memory`. ERROR_INVALID_INPUT names the field by its path ("limits.memory"), what
 * was wrong and what would be right; an unknown member names the nearest known one. */
MUST_CHECK bool field_read(const struct field_table *table, json_t *document, struct field_memory *memory, void *out,
                           struct error *error);
/* Checks one value against a row. */
MUST_CHECK bool field_check(const struct field *row, const char *path, json_t *value, struct error *error);
/* The row called `name`, NULL when there is none. */
const struct field *field_find(const struct field_table *table, const char *name);
/* Reads a value written as text (environment variable, flag): integers and booleans are parsed, strings taken as they
 * are. NULL with ERROR_INVALID_INPUT when it does not fit the row. The caller owns it. */
json_t *field_value_of_text(const struct field *row, const char *text, struct error *error);

/* JSON Schema (2020-12 vocabulary) of the table: closed for inputs, open for outputs. The caller owns it. */
json_t *field_schema(const struct field_table *table, bool is_output);
/* Markdown table of the rows, nested ones with their path. */
void field_document(const struct field_table *table, struct text *out);

/* The entry of `names` nearest to `name` by edit distance, NULL when none is near. */
const char *field_nearest(const char *name, const char *const *names, size_t count);

#endif
