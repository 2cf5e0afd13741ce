#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"

bool secret_files_remove(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *folder = task_path_secrets(services->data_folder, task_id);
        DIR *entries = opendir(folder);
        struct dirent *entry;
        bool is_good = true;

        if (!entries)
                return errno == ENOENT ||
                       error_set(error, ERROR_INTERNAL, "cannot open %s: %s", folder, strerror(errno));
        while (is_good && (entry = readdir(entries))) {
                auto_free char *path = path_join(folder, entry->d_name);
                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                    strcmp(entry->d_name, RUN_SECRETS) != 0)
                        is_good = path_remove_tree(path, error);
        }
        closedir(entries);
        return is_good;
}

static bool put(const char *folder, const struct turn_file *file, struct error *error)
{
        auto_free char *path = path_join(folder, file->path), *parent = text_copy(path);
        uid_t uid = (uid_t)settings_current()->agent_uid;

        *strrchr(parent, '/') = '\0';
        if (!path_make_folder(parent, 0755, error) ||
            !path_write(path, file->content, strlen(file->content), 0400, error))
                return false;
        return chown(path, uid, uid) == 0 ||
               error_set(error, ERROR_INTERNAL, "cannot give %s to the agent's user: %s", path, strerror(errno));
}

static bool put_all(const char *folder, const struct turn_secrets *secrets, struct error *error)
{
        for (size_t i = 0; i < secrets->file_count; i++)
                if (!put(folder, &secrets->files[i], error))
                        return error_prefix(error, "the secret %s", secrets->files[i].path);
        return true;
}

bool secret_files_put(const struct services *services, const char *task_id, const struct turn_secrets *secrets,
                      struct error *error)
{
        auto_free char *folder = task_path_secrets(services->data_folder, task_id);

        return secret_files_remove(services, task_id, error) && path_make_folder(folder, 0755, error) &&
               put_all(folder, secrets, error);
}

static char *run_folder(const struct services *services, const char *task_id, const char *run)
{
        auto_free char *folder = task_path_secrets(services->data_folder, task_id);

        return text_format("%s/%s/%s", folder, RUN_SECRETS, run);
}

bool run_secret_files_put(const struct services *services, const char *task_id, const char *run,
                          const struct turn_secrets *secrets, struct error *error)
{
        auto_free char *folder = run_folder(services, task_id, run);

        return !secrets->file_count || (path_make_folder(folder, 0755, error) && put_all(folder, secrets, error));
}

bool run_secret_files_remove(const struct services *services, const char *task_id, const char *run, struct error *error)
{
        auto_free char *folder = run_folder(services, task_id, run);

        return path_remove_tree(folder, error);
}
