#include <string.h>

#include "git/change.h"
#include "server/base/document.h"
#include "server/services/changes_files.h"
#include "server/services/changes_parts.h"
#include "server/services/changes_view.h"
#include "server/services/task_view.h"

/* A page in the making: what it may still take, in characters. */
struct page {
        const struct redactor *redactor;
        struct text text;
        size_t left;
        bool is_redacted, is_cut;
};

static void page_clear(struct page *page)
{
        text_clear(&page->text);
}

/* What one file's diff is made of: the header, then hunks. */
struct parts {
        const char *patch;
        size_t header;  /* bytes */
        size_t *starts; /* of the hunks; one more at the end */
        size_t count;
};

static void parts_clear(struct parts *parts)
{
        free(parts->starts);
}

static void parts_find(struct parts *parts, const struct text *patch)
{
        const char *whole = text_string(patch);
        size_t room = 16;

        parts->patch = whole;
        parts->starts = memory_new(room * sizeof *parts->starts);
        for (size_t at = 0; at < patch->length;) {
                const char *end = memchr(whole + at, '\n', patch->length - at);
                /* Every line of a hunk begins with something else. */
                if (!strncmp(whole + at, "@@ ", 3)) {
                        if (parts->count + 2 > room)
                                parts->starts = memory_resize(parts->starts, (room *= 2) * sizeof *parts->starts);
                        parts->starts[parts->count++] = at;
                }
                at = end ? (size_t)(end - whole) + 1 : patch->length;
        }
        parts->starts[parts->count] = patch->length;
        parts->header = parts->count ? parts->starts[0] : patch->length;
}

/* Takes a zero byte, which git calls no binary when it stands far enough from the beginning, for an invalid one: what
 * is behind it must be seen. */
static void append_clean(struct text *out, const struct text *told)
{
        const char *bytes = text_string(told);

        for (size_t at = 0; at < told->length; at++) {
                size_t length = strnlen(bytes + at, told->length - at);
                utf8_append_clean(out, bytes + at, length);
                at += length;
                if (at < told->length)
                        text_append_string(out, "\xef\xbf\xbd");
        }
}

/* Takes a piece on when it fits, or when it `must` be there: its beginning then, with a marker. */
static bool page_take(struct page *page, const char *bytes, size_t length, bool must)
{
        auto_text clean = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), told = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        bool is_cut;

        redact_append(page->redactor, &told, bytes, length);
        bool is_redacted = told.length != length || memcmp(text_string(&told), bytes, length);
        append_clean(&clean, &told);
        if (!must && utf8_count(text_string(&clean), clean.length) > page->left)
                return false;
        auto_free char *kept = text_head(text_string(&clean), clean.length, page->left, &is_cut);
        text_append_string(&page->text, kept);
        page->left -= utf8_count(kept, strlen(kept));
        page->is_cut = page->is_cut || is_cut;
        /* What was replaced behind the cut is not there. */
        page->is_redacted = page->is_redacted || (is_redacted && strstr(kept, REDACTED));
        return true;
}

/* The header leaves room for a hunk, however long the file's name is. */
static size_t fill(struct page *page, const struct parts *parts, size_t from, size_t maximum)
{
        size_t at = from;

        page->left = maximum / 2;
        page_take(page, parts->patch, parts->header, true);
        page->left = maximum - utf8_count(text_string(&page->text), page->text.length);
        for (; at < parts->count; at++)
                if (!page_take(page, parts->patch + parts->starts[at], parts->starts[at + 1] - parts->starts[at],
                               at == from))
                        break;
        return at;
}

struct reading {
        struct call *call;
        const struct changes_read_input *input;
        const struct redactor *redactor;
        json_t *result;
};

static void set(struct reading *reading, const char *name, json_t *value)
{
        json_object_set_new(reading->result, name, value);
}

static void set_status(struct reading *reading, const char *status, const char *reason)
{
        set(reading, "status", json_string(status));
        set(reading, "reason", document_string(reason));
}

static void set_diff(struct reading *reading, const struct text *patch, bool is_binary)
{
        CLEANUP(page_clear)
        struct page page = {.redactor = reading->redactor,
                            .text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2),
                            .is_redacted = json_is_true(json_object_get(reading->result, "redacted"))};
        CLEANUP(parts_clear) struct parts parts = {0};
        size_t from = (size_t)reading->input->hunkOffset;

        parts_find(&parts, patch);
        size_t next = fill(&page, &parts, from < parts.count ? from : parts.count, (size_t)reading->input->maxChars);
        set_status(reading, parts.count || is_binary ? "available" : "empty", NULL);
        set(reading, "diff", json_string(text_string(&page.text)));
        set(reading, "truncated", json_boolean(page.is_cut));
        set(reading, "hunks", json_integer((json_int_t)parts.count));
        set(reading, "nextHunkOffset", next < parts.count ? json_integer((json_int_t)next) : json_null());
        set(reading, "redacted", json_boolean(page.is_redacted));
}

static void omit(struct reading *reading, const char *reason)
{
        set_status(reading, "available", reason);
        set(reading, "omitted", json_true());
}

static char *bytes_of(const json_t *entry, const char *name, const char *bytes_name)
{
        const char *hex = document_get_string(entry, bytes_name), *text = document_get_string(entry, name);
        size_t length = hex ? strlen(hex) / 2 : 0;

        if (!hex)
                return text_copy(text);
        char *bytes = memory_new(length + 1);
        for (size_t i = 0; i < length; i++) {
                char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
                bytes[i] = (char)strtoul(digits, NULL, 16);
        }
        return bytes;
}

static bool read_patch(struct reading *reading, const struct store_saved_change *change, const json_t *entry,
                       const char *task_id, struct error *error)
{
        auto_free char *repository = changes_path_repository(reading->call->services->data_folder, task_id,
                                                             change->repository),
                       *path = bytes_of(entry, "path", "bytes"), *old_path = bytes_of(entry, "oldPath", "oldBytes");
        struct repository_change_range range = {repository, change->from, change->to,
                                                path,       old_path,     REPOSITORY_PATCH_MAXIMUM};
        struct repository_limits limits = changes_limits();
        auto_text patch = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error failure = {0};
        bool is_omitted;

        if (!repository_change_patch(&range, &limits, &patch, &is_omitted, &failure))
                return error_set(error, ERROR_UNAVAILABLE, "%s", failure.message);
        if (is_omitted)
                omit(reading, "too_large");
        else
                set_diff(reading, &patch, json_is_true(json_object_get(entry, "binary")));
        return true;
}

static void describe(struct reading *reading, const json_t *entry)
{
        auto_json *view = changes_file_view(reading->redactor, NULL, entry);

        json_object_set_new(view, "fileStatus", json_incref(json_object_get(view, "status")));
        json_object_del(view, "status");
        json_object_del(view, "omitted");
        json_object_update(reading->result, view);
}

/* A name is known as it is told: what was replaced in it too. */
static json_t *find_file(const struct reading *reading, json_t *files)
{
        const char *wanted = reading->input->filePath;
        json_t *entry;
        size_t i;

        json_array_foreach(files, i, entry)
        {
                const char *path = document_get_string(entry, "path");
                auto_json *told = redact_string(reading->redactor, path);
                if (!strcmp(path, wanted) || !strcmp(json_string_value(told), wanted))
                        return entry;
        }
        return NULL;
}

static bool read_file(struct reading *reading, const struct store_saved_change *change, const char *task_id,
                      struct error *error)
{
        auto_json *files = changes_files(reading->call->services, task_id, change, error);
        const json_t *entry = files ? find_file(reading, files) : NULL;
        const char *omitted = document_get_string(entry, "omitted");

        if (!files)
                return false;
        if (!entry && !strcmp(change->state, "unavailable")) {
                set_status(reading, "unavailable", change->reason);
                return true;
        }
        if (!entry)
                return error_set(error, ERROR_NOT_FOUND, "The file is not among the changed ones.");
        describe(reading, entry);
        if (!omitted)
                return read_patch(reading, change, entry, task_id, error);
        omit(reading, omitted);
        return true;
}

static bool read_changes(struct reading *reading, const struct store_task *task, struct error *error)
{
        auto_store_saved_changes changes = {0};

        if (!store_saved_change_list(reading->call->db, task->rid, &changes, error))
                return false;
        set(reading, "turn", changes.count ? json_integer(changes.conversation_index) : json_null());
        for (size_t i = 0; i < changes.count; i++)
                if (!strcmp(changes.items[i].repository, reading->input->repository))
                        return read_file(reading, &changes.items[i], task->id, error);
        return error_set(error, ERROR_NOT_FOUND, "Nothing was saved of a repository of this name.");
}

bool changes_read(struct call *call, const struct changes_read_input *input, json_t **result, struct error *error)
{
        auto_json *object =
                json_pack("{s:s, s:s, s:s, s:n, s:b, s:b, s:b, s:I, s:n, s:b}", "taskId", input->taskId, "repository",
                          input->repository, "filePath", input->filePath, "diff", "binary", 0, "omitted", 0,
                          "truncated", 0, "hunkOffset", (json_int_t)input->hunkOffset, "nextHunkOffset", "redacted", 0);
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        struct reading reading = {call, input, &redactor, object};
        auto_error opening = {0};

        if (task_open(call, input->taskId, &task, &redactor, &opening)) {
                if (!access_require_content(&task, error) || !read_changes(&reading, &task, error))
                        return false;
        } else if (panel_is_unreadable(&opening)) {
                set_status(&reading, "unavailable", "secret_values_unavailable");
        } else {
                return error_move(error, &opening);
        }
        *result = take(object);
        return true;
}
