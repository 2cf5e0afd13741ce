#include "server/services/task_paths.h"

#include <inttypes.h>

char *task_path_folder(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s", data_folder, task_id);
}

char *task_path_workspace(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s/workspace", data_folder, task_id);
}

char *task_path_output(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s/output", data_folder, task_id);
}

char *task_path_control(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s/control", data_folder, task_id);
}

char *task_path_secrets(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s/secrets", data_folder, task_id);
}

char *task_path_home(const char *data_folder, const char *task_id)
{
        return text_format("%s/tasks/%s/home", data_folder, task_id);
}

char *task_path_records(const char *data_folder, const char *task_id)
{
        return text_format("%s/records/%s", data_folder, task_id);
}

char *task_path_mirrors(const char *data_folder)
{
        return text_format("%s/mirrors", data_folder);
}

char *turn_path_output(int64_t ordinal)
{
        return text_format("raw/turn-%" PRId64 ".out", ordinal);
}

char *turn_path_errors(int64_t ordinal)
{
        return text_format("raw/turn-%" PRId64 ".err", ordinal);
}

char *turn_run_id(int64_t ordinal)
{
        return text_format(TURN_RUN_PREFIX "%" PRId64, ordinal);
}
