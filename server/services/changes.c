#include "server/services/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "git/change.h"
#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/services/changes_parts.h"
#include "server/services/reader.h"

static bool find(const struct services *services, const char *task_id, struct store_saved_changes *changes,
                 struct error *error)
{
        struct store_db *db = services_reader(services, error);
        auto_store_task task = {0};
        bool is_found;

        if (!db || !store_task_find(db, task_id, 0, &task, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        return store_saved_change_list(db, task.rid, changes, error);
}

void changes_append_state(const struct store_saved_change *change, struct text *text)
{
        const char *const parts[] = {change->repository, change->state, change->reason,
                                     change->from,       change->to,    change->left_out};

        for (size_t i = 0; i < COUNT_OF(parts); i++)
                text_printf(text, "%s\n", parts[i] ? parts[i] : "");
}

void changes_hash(const struct text *text, char fingerprint[CHANGES_FINGERPRINT_SIZE])
{
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(text_string(text), text->length, hash);
        for (size_t i = 0; i < CHANGES_FINGERPRINT_SIZE / 2; i++)
                snprintf(fingerprint + 2 * i, 3, "%02x", hash[i]);
}

char *changes_fingerprint(const struct services *services, const char *task_id, struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        char fingerprint[CHANGES_FINGERPRINT_SIZE];
        auto_store_saved_changes changes = {0};

        if (!find(services, task_id, &changes, error))
                return NULL;
        for (size_t i = 0; i < changes.count; i++)
                changes_append_state(&changes.items[i], &text);
        changes_hash(&text, fingerprint);
        return text_copy(fingerprint);
}

static bool append_patch(const struct services *services, const char *task_id, const struct store_saved_change *change,
                         size_t maximum, struct text *patch, struct error *error)
{
        auto_free char *path = changes_path_repository(services->data_folder, task_id, change->repository);
        struct repository_change_range range = {
                .repository = path, .from = change->from, .to = change->to, .maximum = maximum};
        struct repository_limits limits = changes_limits();
        bool is_omitted = false;

        if (change->from && !repository_change_patch(&range, &limits, patch, &is_omitted, error))
                return false;
        if (is_omitted || change->left_out || !change->is_whole)
                text_printf(patch, "# Not all that was changed is here%s%s.\n", change->reason ? ": " : "",
                            change->reason ? change->reason : "");
        return true;
}

static bool write_whole(int folder, const char *name, const struct text *patch, struct error *error)
{
        auto_fd file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        ssize_t done = 0;

        for (size_t at = 0; file >= 0 && done >= 0 && at < patch->length; at += (size_t)done)
                done = write(file, patch->data + at, patch->length - at);
        return (file >= 0 && done >= 0) || error_set(error, error_code_of_errno(errno, ERROR_UNAVAILABLE),
                                                     "The patch %s cannot be written: %s", name, strerror(errno));
}

bool changes_write_patches(const struct services *services, const char *task_id, int folder_fd, size_t maximum_bytes,
                           struct error *error)
{
        auto_store_saved_changes changes = {0};

        if (!find(services, task_id, &changes, error))
                return false;
        for (size_t i = 0; i < changes.count; i++) {
                const struct store_saved_change *change = &changes.items[i];
                auto_free char *name = text_format("%s.diff", change->repository);
                auto_text patch = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                size_t maximum = maximum_bytes < REPOSITORY_PATCH_MAXIMUM ? maximum_bytes : REPOSITORY_PATCH_MAXIMUM;
                if (!changes_is_any(change))
                        continue;
                if (!append_patch(services, task_id, change, maximum, &patch, error) ||
                    !write_whole(folder_fd, name, &patch, error))
                        return false;
                maximum_bytes -= patch.length < maximum_bytes ? patch.length : maximum_bytes;
        }
        return true;
}
