#include "server/services/judge_diffs.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "server/base/path.h"
#include "server/services/output_files.h"
#include "server/services/task_paths.h"

#define PATCHES_FOLDER "patches"
#define PATCH_SUFFIX ".patch"
#define PATCH_BYTES (16 * 1024 * 1024)
#define PATCHES_MAXIMUM 100

static bool is_plain_name(const char *name, size_t length)
{
        return length && *name != '.' &&
               strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") >= length;
}

/* Length of the repository's name in the name of a patch, 0 when it is none. */
static size_t repository_length(const char *name)
{
        size_t length = strlen(name), suffix = sizeof PATCH_SUFFIX - 1;

        if (length <= suffix || strcmp(name + length - suffix, PATCH_SUFFIX))
                return 0;
        return is_plain_name(name, length - suffix) ? length - suffix : 0;
}

static bool copy_patch(const struct services *services, const struct store_task *task, const struct redactor *redactor,
                       const char *name, const char *folder, struct error *error)
{
        auto_free char *from = text_format(PATCHES_FOLDER "/%s", name),
                       *to = text_format("%s/%.*s.diff", folder, (int)repository_length(name), name);
        auto_text raw = TEXT_WITH_MAXIMUM(PATCH_BYTES), text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        int64_t size;
        auto_fd file = output_file_open(services, task->id, from, &size, NULL, &ignored);

        if (file < 0 || !output_file_read(file, 0, PATCH_BYTES, &raw, &ignored))
                return true;
        redact_append(redactor, &text, text_string(&raw), raw.length);
        if (size > PATCH_BYTES)
                text_append_string(&text, "\n[... the rest is too large ...]\n");
        return path_write(to, text_string(&text), text.length, 0644, error);
}

bool judge_diffs_write(const struct services *services, const struct store_task *task, const struct redactor *redactor,
                       const char *folder, struct error *error)
{
        auto_free char *output = task_path_output(services->data_folder, task->id),
                       *patches = path_join(output, PATCHES_FOLDER);
        int opened = open(patches, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *listing = opened < 0 ? NULL : fdopendir(opened);
        struct dirent *entry;
        bool is_done = true;

        for (size_t count = 0; is_done && listing && count < PATCHES_MAXIMUM && (entry = readdir(listing));)
                if (repository_length(entry->d_name)) {
                        is_done = copy_patch(services, task, redactor, entry->d_name, folder, error);
                        count++;
                }
        if (listing)
                closedir(listing);
        return is_done;
}
