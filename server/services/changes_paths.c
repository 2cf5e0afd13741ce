#include "server/services/changes_parts.h"

#include <string.h>

#define MEGABYTE (1024 * 1024)

char *changes_path(const char *data_folder, const char *task_id)
{
        return text_format("%s/changes/%s", data_folder, task_id);
}

char *changes_path_repository(const char *data_folder, const char *task_id, const char *repository)
{
        return text_format("%s/changes/%s/%s.git", data_folder, task_id, repository);
}

struct repository_limits changes_limits(void)
{
        const struct settings *settings = settings_current();

        return (struct repository_limits){settings->git_timeout_seconds * 1000,
                                          settings->git_memory_megabytes * MEGABYTE};
}

bool changes_is_any(const struct store_saved_change *change)
{
        return change->from || change->left_out || !change->is_whole || !strcmp(change->state, "unavailable");
}
