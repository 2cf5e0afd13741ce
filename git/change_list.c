#include <stdio.h>
#include <string.h>

#include "git/change.h"
#include "git/change_place.h"
#include "server/base/document.h"

/* All bytes of files that lines of one change are counted in. */
#define COMPARED_MAXIMUM (256 * 1024 * 1024)

/* Bytes of a side's content; a submodule has none. */
static int64_t size_of(git_odb *objects, const git_diff_file *file)
{
        git_object_t kind;
        size_t size = 0;

        if (git_oid_is_zero(&file->id) || file->mode == GIT_FILEMODE_COMMIT)
                return 0;
        return git_odb_read_header(&size, &kind, objects, &file->id) ? 0 : (int64_t)size;
}

static void set_path(json_t *entry, const char *name, const char *bytes_name, const char *path)
{
        size_t length = strlen(path);
        auto_text hex = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        json_object_set_new(entry, name, document_text(path, length));
        if (utf8_is_valid(path, length))
                return;
        for (size_t i = 0; i < length; i++)
                text_printf(&hex, "%02x", (unsigned char)path[i]);
        json_object_set_new(entry, bytes_name, json_string(text_string(&hex)));
}

static void set_mode(json_t *entry, const char *name, const git_diff_file *file)
{
        char mode[8];

        snprintf(mode, sizeof mode, "%06o", file->mode);
        json_object_set_new(entry, name, file->mode ? json_string(mode) : json_null());
}

/* Lines of one file; false when they cannot be told. */
static bool count_lines(git_diff *diff, size_t at, bool *is_binary, size_t *additions, size_t *deletions)
{
        auto_patch *patch = NULL;

        *is_binary = false;
        if (git_patch_from_diff(&patch, diff, at))
                return false;
        const git_diff_delta *delta = git_diff_get_delta(diff, at);
        *is_binary = patch && git_patch_get_delta(patch)->flags & GIT_DIFF_FLAG_BINARY;
        if (!patch)
                *is_binary = delta->flags & GIT_DIFF_FLAG_BINARY;
        *additions = *deletions = 0;
        return !*is_binary && (!patch || !git_patch_line_stats(NULL, additions, deletions, patch));
}

static void set_lines(json_t *entry, struct change_totals *totals, bool is_known, size_t additions, size_t deletions)
{
        json_object_set_new(entry, "additions", is_known ? json_integer((json_int_t)additions) : json_null());
        json_object_set_new(entry, "deletions", is_known ? json_integer((json_int_t)deletions) : json_null());
        if (!is_known) {
                totals->additions = totals->deletions = -1;
        } else if (totals->additions >= 0) {
                totals->additions += (int64_t)additions;
                totals->deletions += (int64_t)deletions;
        }
}

static json_t *entry_make(git_odb *objects, git_diff *diff, size_t at, int64_t *compared, struct change_totals *totals)
{
        const git_diff_delta *delta = git_diff_get_delta(diff, at);
        bool is_deleted = delta->status == GIT_DELTA_DELETED, is_added = delta->status == GIT_DELTA_ADDED;
        int64_t size = size_of(objects, &delta->new_file), old_size = size_of(objects, &delta->old_file);
        bool is_large = size > REPOSITORY_PATCH_MAXIMUM || old_size > REPOSITORY_PATCH_MAXIMUM, is_binary = false;
        size_t additions = 0, deletions = 0;
        json_t *entry = json_object();

        set_path(entry, "path", "bytes", is_deleted ? delta->old_file.path : delta->new_file.path);
        if (!is_added && !is_deleted && strcmp(delta->old_file.path, delta->new_file.path))
                set_path(entry, "oldPath", "oldBytes", delta->old_file.path);
        json_object_set_new(entry, "status", json_string(change_status_name(delta->status)));
        set_mode(entry, "mode", &delta->new_file);
        set_mode(entry, "oldMode", &delta->old_file);
        json_object_set_new(entry, "size", json_integer(size));
        json_object_set_new(entry, "oldSize", json_integer(old_size));
        *compared += size + old_size;
        bool is_known =
                !is_large && *compared <= COMPARED_MAXIMUM && count_lines(diff, at, &is_binary, &additions, &deletions);
        json_object_set_new(entry, "binary", json_boolean(is_binary));
        if (is_large)
                json_object_set_new(entry, "omitted", json_string("too_large"));
        set_lines(entry, totals, is_known, additions, deletions);
        return entry;
}

json_t *change_list_make(git_repository *repository, git_diff *diff, struct change_totals *totals, struct error *error)
{
        size_t count = git_diff_num_deltas(diff), listed = count;
        json_t *list = json_array();
        git_odb *objects = NULL;
        int64_t compared = 0;

        *totals = (struct change_totals){.files = (int64_t)count, .is_whole = count <= REPOSITORY_CHANGE_FILES_MAXIMUM};
        if (!totals->is_whole) {
                listed = REPOSITORY_CHANGE_FILES_MAXIMUM;
                totals->additions = totals->deletions = -1;
        }
        if (git_repository_odb(&objects, repository)) {
                change_fail(error, "the objects cannot be read");
                json_decref(list);
                return NULL;
        }
        for (size_t i = 0; i < listed; i++)
                json_array_append_new(list, entry_make(objects, diff, i, &compared, totals));
        git_odb_free(objects);
        return list;
}
