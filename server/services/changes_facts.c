#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/changes_save.h"

#define FIELDS_MAXIMUM 8
#define LEFT_OUT_MAXIMUM 400

void changes_set_clear(struct changes_set *set)
{
        for (size_t i = 0; i < set->count; i++) {
                store_saved_change_clear(&set->items[i]);
                json_decref(set->left_out[i]);
        }
        *set = (struct changes_set){0};
}

void changes_set_gone(struct store_saved_change *change, const char *reason)
{
        free(take(change->state));
        free(take(change->reason));
        free(take(change->from));
        free(take(change->to));
        change->state = text_copy("unavailable");
        change->reason = text_copy(reason);
        change->files = change->additions = change->deletions = -1;
        change->is_whole = false;
}

static bool is_id(const char *text)
{
        return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static bool read_number(const char *text, int64_t *number)
{
        char *end;

        errno = 0;
        *number = strtoll(text, &end, 10);
        return !errno && end != text && !*end && *number >= 0;
}

static bool find(const struct changes_set *set, const char *name, size_t *at)
{
        for (*at = 0; *at < set->count; ++*at)
                if (!strcmp(set->items[*at].repository, name))
                        return true;
        return false;
}

/* A commit that is known already is not the container's to tell. */
static void take_place(struct store_saved_change *change, const char *base, const char *branch)
{
        if (!change->base && is_id(base))
                change->base = text_copy(base);
        free(take(change->branch));
        if (*branch && utf8_is_valid(branch, strlen(branch)) && strlen(branch) <= 250)
                change->branch = text_copy(branch);
}

static void take_tree(struct changes_set *set, char *fields[FIELDS_MAXIMUM], int64_t *offset, int64_t packs_size)
{
        struct store_saved_change *change;
        int64_t size;
        size_t at;

        if (!find(set, fields[1], &at) || set->is_told[at] || !is_id(fields[4]) || !read_number(fields[6], &size) ||
            size > packs_size - *offset)
                return;
        change = &set->items[at];
        bool is_pack = !strcmp(fields[5], "pack"), is_same = !strcmp(fields[5], "same") && change->tree;
        if (!is_pack && !is_same && strcmp(fields[5], "base"))
                return;
        set->is_told[at] = true;
        take_place(change, fields[2], fields[3]);
        set->offsets[at] = *offset;
        set->sizes[at] = is_pack ? size : 0;
        *offset += size;
        change->is_whole = (!is_same || change->is_whole) && !strcmp(fields[7], "yes");
        if (is_same)
                return;
        free(take(change->tree));
        free(take(change->from));
        free(take(change->to));
        change->tree = text_copy(fields[4]);
        change->files = change->additions = change->deletions = 0;
}

static void take_gone(struct changes_set *set, char *fields[FIELDS_MAXIMUM])
{
        static const char *const reasons[] = {"missing", "broken", "too_large"};
        size_t at;

        if (!find(set, fields[1], &at) || set->is_told[at])
                return;
        for (size_t i = 0; i < COUNT_OF(reasons); i++)
                if (!strcmp(reasons[i], fields[4])) {
                        set->is_told[at] = true;
                        take_place(&set->items[at], fields[2], fields[3]);
                        free(take(set->items[at].tree));
                        changes_set_gone(&set->items[at], reasons[i]);
                }
}

static void take_left(struct changes_set *set, char *fields[FIELDS_MAXIMUM])
{
        const char *status = !strcmp(fields[2], "added") ? "added" : "modified";
        int64_t size;
        size_t at;

        if (!find(set, fields[1], &at) || set->is_told[at] || !read_number(fields[3], &size))
                return;
        if (!set->left_out[at])
                set->left_out[at] = json_array();
        if (json_array_size(set->left_out[at]) < LEFT_OUT_MAXIMUM)
                json_array_append_new(set->left_out[at],
                                      json_pack("{s:o, s:s, s:I}", "path", document_text(fields[4], strlen(fields[4])),
                                                "status", status, "size", (json_int_t)size));
}

void changes_facts_read(struct changes_set *set, char *text, int64_t packs_size)
{
        int64_t offset = 0;
        char *rest;

        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                char *fields[FIELDS_MAXIMUM] = {0}, *next = line;
                size_t maximum = !strncmp(line, "left\t", 5) ? 5 : FIELDS_MAXIMUM, count = 0;
                while (count < maximum - 1 && next && (fields[count] = strsep(&next, "\t")))
                        count++;
                if (next)
                        fields[count++] = next;
                if (count == 8 && !strcmp(fields[0], "tree"))
                        take_tree(set, fields, &offset, packs_size);
                if (count == 5 && !strcmp(fields[0], "gone"))
                        take_gone(set, fields);
                if (count == 5 && !strcmp(fields[0], "left"))
                        take_left(set, fields);
        }
}
