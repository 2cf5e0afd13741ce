#include "server/services/value_set.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/secret.h"

/* The window of the search: the shortest value there can be. */
#define WINDOW SECRET_VALUE_MINIMUM
#define BLOCKS 65536
#define BUCKET_BITS 12

struct value_set {
        struct value_pattern *patterns;
        size_t count, capacity, longest;
        uint8_t shifts[BLOCKS];                   /* by the last two bytes of the window */
        uint32_t buckets[(1 << BUCKET_BITS) + 1]; /* where the patterns of a window's hash begin */
        uint32_t *tails;                          /* the patterns by the hash of their last window */
        uint32_t tail_buckets[(1 << BUCKET_BITS) + 1];
};

struct value_set *value_set_new(void)
{
        return memory_new(sizeof(struct value_set));
}

static void pattern_free(struct value_pattern *pattern)
{
        secret_wipe(pattern->bytes, pattern->length);
        free(pattern->bytes);
        free(pattern->holders);
}

void value_set_free(struct value_set *set)
{
        for (size_t i = 0; set && i < set->count; i++)
                pattern_free(&set->patterns[i]);
        if (set) {
                free(set->patterns);
                free(set->tails);
        }
        free(set);
}

static void add_pattern(struct value_set *set, const char *bytes, size_t length, struct value_holder holder)
{
        struct value_pattern *pattern;

        /* Bytes first: a value that is not UTF-8 has none but bytes. */
        if (length < SECRET_VALUE_MINIMUM || length > SECRET_VALUE_MAXIMUM ||
            utf8_count(bytes, length) < SECRET_VALUE_MINIMUM)
                return;
        if (set->count == set->capacity) {
                set->capacity = set->capacity ? 2 * set->capacity : 64;
                set->patterns = memory_resize(set->patterns, set->capacity * sizeof *set->patterns);
        }
        pattern = &set->patterns[set->count++];
        pattern->bytes = memcpy(memory_new(length + 1), bytes, length);
        pattern->length = length;
        pattern->holders = memory_new(sizeof *pattern->holders);
        pattern->holders[0] = holder;
        pattern->holder_count = 1;
        set->longest = length > set->longest ? length : set->longest;
}

/* The bytes, and as they stand in JSON, which our own records are. */
static void add_forms(struct value_set *set, const char *bytes, size_t length, struct value_holder holder)
{
        auto_text quoted = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        add_pattern(set, bytes, length, holder);
        if (!utf8_is_valid(bytes, length))
                return;
        document_append_quoted(&quoted, bytes, length);
        if (quoted.length - 2 != length)
                add_pattern(set, quoted.data + 1, quoted.length - 2, holder);
        secret_wipe(quoted.data, quoted.length);
}

void value_set_add(struct value_set *set, const char *value, struct value_holder holder)
{
        size_t length = strlen(value);

        add_forms(set, value, length, holder);
        if (!memchr(value, '\n', length))
                return;
        for (const char *line = value; line; line = *line ? line + 1 : NULL) {
                size_t size = strcspn(line, "\n"), shown = size && line[size - 1] == '\r' ? size - 1 : size;
                add_forms(set, line, shown, holder);
                line += size;
        }
}

static uint32_t hash_of(const char *window)
{
        uint32_t head;
        uint16_t tail;

        memcpy(&head, window, sizeof head);
        memcpy(&tail, window + sizeof head, sizeof tail);
        return ((head ^ (uint32_t)tail * 40503u) * 2654435761u) >> (32 - BUCKET_BITS);
}

static unsigned block_of(const char *at)
{
        return (unsigned)(unsigned char)at[0] << 8 | (unsigned char)at[1];
}

static int by_bucket(const void *a, const void *b)
{
        const struct value_pattern *left = a, *right = b;
        uint32_t left_hash = hash_of(left->bytes), right_hash = hash_of(right->bytes);

        if (left_hash != right_hash)
                return left_hash < right_hash ? -1 : 1;
        if (left->length != right->length)
                return left->length > right->length ? -1 : 1;
        return memcmp(left->bytes, right->bytes, left->length);
}

/* Puts the holders of equal patterns together. */
static void merge(struct value_set *set)
{
        size_t kept = 0;

        for (size_t i = 0; i < set->count; i++) {
                struct value_pattern *pattern = &set->patterns[i], *last = kept ? &set->patterns[kept - 1] : NULL;
                if (!last || by_bucket(last, pattern)) {
                        set->patterns[kept++] = *pattern;
                        continue;
                }
                last->holders = memory_resize(last->holders, (last->holder_count + 1) * sizeof *last->holders);
                last->holders[last->holder_count++] = pattern->holders[0];
                pattern_free(pattern);
        }
        set->count = kept;
}

static uint32_t tail_hash(const struct value_pattern *pattern)
{
        return hash_of(pattern->bytes + pattern->length - WINDOW);
}

/* A counting sort of the patterns by their last window. */
static void sort_tails(struct value_set *set)
{
        uint32_t *starts = set->tail_buckets, end = 0;

        set->tails = memory_new(set->count * sizeof *set->tails);
        for (size_t i = 0; i < set->count; i++)
                starts[tail_hash(&set->patterns[i])]++;
        for (size_t hash = 0; hash <= 1 << BUCKET_BITS; hash++)
                starts[hash] = end += starts[hash];
        for (size_t i = set->count; i > 0; i--)
                set->tails[--starts[tail_hash(&set->patterns[i - 1])]] = (uint32_t)(i - 1);
}

void value_set_sort(struct value_set *set)
{
        size_t at = 0;

        if (set->count)
                qsort(set->patterns, set->count, sizeof *set->patterns, by_bucket);
        merge(set);
        memset(set->shifts, WINDOW - 1, sizeof set->shifts);
        for (size_t i = 0; i < set->count; i++)
                for (unsigned j = 0; j + 2 <= WINDOW; j++) {
                        uint8_t *shift = &set->shifts[block_of(set->patterns[i].bytes + j)];
                        *shift = *shift < WINDOW - 2 - j ? *shift : (uint8_t)(WINDOW - 2 - j);
                }
        for (uint32_t hash = 0; hash < 1u << BUCKET_BITS; hash++) {
                set->buckets[hash] = (uint32_t)at;
                while (at < set->count && hash_of(set->patterns[at].bytes) == hash)
                        at++;
        }
        set->buckets[1 << BUCKET_BITS] = (uint32_t)at;
        sort_tails(set);
}

/* The next place from `at` on where a value may begin; `length` when there is none. */
static size_t next_place(const struct value_set *set, const char *bytes, size_t length, size_t at)
{
        uint8_t shift;

        while (at + WINDOW <= length && (shift = set->shifts[block_of(bytes + at + WINDOW - 2)]))
                at += shift;
        return at + WINDOW <= length ? at : length;
}

void value_set_search(const struct value_set *set, const char *bytes, size_t length, value_found *found, void *context)
{
        if (!set->count)
                return;
        for (size_t at = 0; (at = next_place(set, bytes, length, at)) < length; at++) {
                uint32_t hash = hash_of(bytes + at);
                for (uint32_t i = set->buckets[hash]; i < set->buckets[hash + 1]; i++) {
                        const struct value_pattern *pattern = &set->patterns[i];
                        if (pattern->length <= length - at && !memcmp(pattern->bytes, bytes + at, pattern->length))
                                found(at, pattern->length, pattern, context);
                }
        }
}

void value_set_search_end(const struct value_set *set, const char *bytes, size_t length, value_found *found,
                          void *context)
{
        size_t at = length > set->longest ? length - set->longest : 0;

        if (!set->count)
                return;
        for (; (at = next_place(set, bytes, length, at)) < length; at++) {
                uint32_t hash = hash_of(bytes + at);
                for (uint32_t i = set->buckets[hash]; i < set->buckets[hash + 1]; i++) {
                        const struct value_pattern *pattern = &set->patterns[i];
                        if (pattern->length > length - at && !memcmp(pattern->bytes, bytes + at, length - at))
                                found(at, length - at, pattern, context);
                }
        }
}

void value_set_search_begin(const struct value_set *set, const char *bytes, size_t length, value_found *found,
                            void *context)
{
        for (size_t size = WINDOW; size <= length && size < set->longest; size++) {
                uint32_t hash = hash_of(bytes + size - WINDOW);
                for (uint32_t i = set->tail_buckets[hash]; i < set->tail_buckets[hash + 1]; i++) {
                        const struct value_pattern *pattern = &set->patterns[set->tails[i]];
                        if (pattern->length > size && !memcmp(pattern->bytes + pattern->length - size, bytes, size))
                                found(0, size, pattern, context);
                }
        }
}

size_t value_set_longest(const struct value_set *set)
{
        return set->longest;
}
