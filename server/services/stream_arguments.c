#include "server/services/stream_line.h"

#include <string.h>

/* Members by which the tools of the known agents name a command, and files or folders. */
static const char *const command_names[] = {"command", "cmd", "script", NULL};
static const char *const path_names[] = {"file_path", "path",      "notebook_path", "absolute_path",
                                         "dir_path",  "file_name", "filename",      NULL};

char *stream_line_arguments(const json_t *arguments)
{
        char *printed = arguments ? json_dumps(arguments, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

        return printed ? printed : text_copy("{}");
}

const char *stream_line_command(const json_t *arguments)
{
        for (size_t i = 0; command_names[i]; i++) {
                const json_t *command = json_object_get(arguments, command_names[i]);
                if (json_is_string(command))
                        return json_string_value(command);
        }
        return NULL;
}

const json_t *stream_line_paths(struct stream_lines *lines, const json_t *arguments)
{
        json_t *paths = json_array();

        for (size_t i = 0; path_names[i]; i++) {
                json_t *path = json_object_get(arguments, path_names[i]);
                if (json_is_string(path) && json_string_length(path))
                        json_array_append(paths, path);
        }
        return stream_line_keep(lines, paths);
}
