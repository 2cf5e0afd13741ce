#include "server/services/judge_diffs.h"

#include <dirent.h>
#include <fcntl.h>

#include "server/base/path.h"
#include "server/services/changes.h"

/* Of all repositories together. */
#define DIFFS_BYTES ((size_t)32 * 1024 * 1024)

/* Writes the diff anew without what must not leave; the folder is ours alone. */
static bool redact_file(const struct redactor *redactor, const char *folder, const char *name, struct error *error)
{
        auto_free char *path = path_join(folder, name);
        auto_text raw = TEXT_WITH_MAXIMUM(SIZE_MAX / 2), text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (!path_read(path, 2 * DIFFS_BYTES, &raw, NULL, error))
                return false;
        redact_append(redactor, &text, text_string(&raw), raw.length);
        return path_write(path, text_string(&text), text.length, 0644, error);
}

static bool redact_all(const struct redactor *redactor, const char *folder, struct error *error)
{
        DIR *listing = opendir(folder);
        struct dirent *entry;
        bool is_done = true;

        while (is_done && listing && (entry = readdir(listing)))
                if (entry->d_name[0] != '.')
                        is_done = redact_file(redactor, folder, entry->d_name, error);
        if (listing)
                closedir(listing);
        return is_done;
}

bool judge_diffs_write(const struct services *services, const struct store_task *task, const struct redactor *redactor,
                       const char *folder, struct error *error)
{
        auto_fd opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (opened < 0)
                return error_set(error, ERROR_INTERNAL, "the folder of a judge's diffs cannot be opened");
        return changes_write_patches(services, task->id, opened, DIFFS_BYTES, error) &&
               redact_all(redactor, folder, error);
}
