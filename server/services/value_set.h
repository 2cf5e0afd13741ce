/* Many values looked for in a text at once, each with those it is to be kept from being shown for.
 *
 * A search jumps over the text by what two bytes can be part of (Wu and Manber 1994), so that hundreds of values cost
 * little more than one. A set is filled, sorted, and then never changed. */
#ifndef SERVICES_VALUE_SET_H
#define SERVICES_VALUE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECRET_VALUE_MINIMUM 6
#define SECRET_VALUE_MAXIMUM 8192

/* What makes a value matter in the answer about a task. */
enum value_holder_kind {
        HOLDER_SERVER,      /* everywhere */
        HOLDER_ENVIRONMENT, /* the task is in the environment `id` */
        HOLDER_USER,        /* the task's owner is the user `id` */
        HOLDER_TASK,        /* the task was given the value `id` */
};

struct value_holder {
        enum value_holder_kind kind;
        int64_t id;
};

struct value_pattern {
        char *bytes;
        size_t length;
        struct value_holder *holders;
        size_t holder_count;
};

struct value_set;

struct value_set *value_set_new(void);
void value_set_free(struct value_set *set);
/* Adds a value in the forms it is met in: as it is, each line of it, and both as they stand in JSON. What is shorter
 * than SECRET_VALUE_MINIMUM characters or longer than SECRET_VALUE_MAXIMUM bytes is left out. */
void value_set_add(struct value_set *set, const char *value, struct value_holder holder);
/* Ends the filling. */
void value_set_sort(struct value_set *set);

/* `count` bytes at `offset` are the pattern, or that part of it that the text has. */
typedef void value_found(size_t offset, size_t count, const struct value_pattern *pattern, void *context);

/* Calls `found` for every place where a value stands, by rising offset. */
void value_set_search(const struct value_set *set, const char *bytes, size_t length, value_found *found, void *context);
/* For a text that goes on elsewhere: the beginning of a value at its end, and the end of one at its beginning, of at
 * least SECRET_VALUE_MINIMUM bytes. */
void value_set_search_end(const struct value_set *set, const char *bytes, size_t length, value_found *found,
                          void *context);
void value_set_search_begin(const struct value_set *set, const char *bytes, size_t length, value_found *found,
                            void *context);
/* Length of the longest value, 0 when there is none. */
size_t value_set_longest(const struct value_set *set);

#endif
