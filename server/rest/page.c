#include "server/rest/page.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"

#define CURSOR_PREFIX "after:"
/* A page ends before it has more, so that what bounds the answer need not leave entries out that no page shows. */
#define PAGE_BYTES 1000000

struct entry {
        const char *key;
        json_t *item;
};

static int compare(const void *a, const void *b)
{
        return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static const char *after_of(const char *cursor)
{
        size_t length = strlen(CURSOR_PREFIX);

        return !strncmp(cursor, CURSOR_PREFIX, length) ? cursor + length : NULL;
}

/* The list's entries in order, on the heap. */
static struct entry *sorted(const struct rest_page *page, json_t *list, size_t *count)
{
        *count = json_array_size(list);
        struct entry *entries = memory_new((*count + 1) * sizeof *entries);
        for (size_t i = 0; i < *count; i++) {
                json_t *item = json_array_get(list, i);
                const char *key = document_get_string(item, page->key);
                entries[i] = (struct entry){key ? key : "", item};
        }
        qsort(entries, *count, sizeof *entries, compare);
        return entries;
}

bool rest_page_cut(const struct rest_page *page, const struct rest_page_input *input, json_t *result,
                   struct error *error)
{
        const char *after = input->cursor ? after_of(input->cursor) : NULL;
        json_t *next = json_null();
        size_t count, first = 0;

        if (input->cursor && !after)
                return error_set(error, ERROR_INVALID_CURSOR, NULL);
        auto_free struct entry *entries = sorted(page, json_object_get(result, page->items), &count);
        while (after && first < count && strcmp(entries[first].key, after) <= 0)
                first++;
        auto_json *shown = json_array();
        for (size_t i = first, bytes = 0; i < count && i - first < (size_t)input->limit; i++) {
                bytes += json_dumpb(entries[i].item, NULL, 0, JSON_COMPACT);
                if (bytes > PAGE_BYTES && i > first)
                        break;
                json_array_append(shown, entries[i].item);
        }
        size_t end = first + json_array_size(shown);
        if (end < count) {
                auto_free char *cursor = text_format(CURSOR_PREFIX "%s", entries[end - 1].key);
                next = json_string(cursor);
        }
        json_object_set(result, page->items, shown);
        json_object_set_new(result, "nextCursor", next);
        return true;
}
