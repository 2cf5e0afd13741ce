#include "server/services/task_draft.h"

#include <dirent.h>

#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/changes_parts.h"
#include "server/services/task_paths.h"

static char *marker_path(const char *data_folder, const char *id)
{
        return text_format("%s/forks/%s", data_folder, id);
}

static void remove_tree(const char *path)
{
        auto_error error = {0};

        if (!path_remove_tree(path, &error))
                log_warning("what a copy left could not be removed", "reason", error.message);
}

static void remove_files(const char *data_folder, const char *id)
{
        auto_free char *folder = task_path_folder(data_folder, id), *records = task_path_records(data_folder, id),
                       *changes = changes_path(data_folder, id);

        remove_tree(folder);
        remove_tree(records);
        remove_tree(changes);
}

bool task_draft_begin(const char *data_folder, const char *id, struct error *error)
{
        auto_free char *marker = marker_path(data_folder, id), *folder = task_path_folder(data_folder, id),
                       *records = path_join(data_folder, "records"), *changes = path_join(data_folder, "changes");

        remove_files(data_folder, id);
        return path_make_folder(marker, 0700, error) && path_make_folder(folder, 0755, error) &&
               path_make_folder(records, 0700, error) && path_make_folder(changes, 0700, error);
}

void task_draft_end(const char *data_folder, const char *id, bool is_made)
{
        auto_free char *marker = marker_path(data_folder, id);

        if (!is_made)
                remove_files(data_folder, id);
        remove_tree(marker);
}

void task_draft_sweep(const struct services *services, struct store_db *db)
{
        auto_free char *folder = path_join(services->data_folder, "forks");
        DIR *listing = opendir(folder);
        struct dirent *entry;

        while (listing && (entry = readdir(listing))) {
                auto_store_task task = {0};
                auto_error error = {0};
                bool is_found = true;
                if (id_is_task(entry->d_name) && store_task_find(db, entry->d_name, 0, &task, &is_found, &error))
                        task_draft_end(services->data_folder, entry->d_name, is_found);
        }
        if (listing)
                closedir(listing);
}
