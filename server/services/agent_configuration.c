#include "server/services/agent_configuration.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/agent_extras.h"
#include "server/services/task_paths.h"

char *agent_configuration_folder(const struct services *services, const char *task_id)
{
        auto_free char *task = task_path_folder(services->data_folder, task_id);

        return path_join(task, "agent");
}

char *agent_configuration_path(int64_t ordinal)
{
        auto_free char *run = turn_run_id(ordinal);

        return path_join(CONTAINER_AGENT, run);
}

/* Only root and the agent's group may look into it: the folders above are root's on this side, and not there on the
 * other. */
static bool open_to_agent(const char *folder, struct error *error)
{
        gid_t gid = (gid_t)settings_current()->agent_uid;

        return path_own_tree(folder, 0, gid, error);
}

bool agent_configuration_prepare(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *folder = agent_configuration_folder(services, task_id);

        return path_make_folder(folder, 0750, error) && open_to_agent(folder, error);
}

static void close_listing(DIR **listing)
{
        if (*listing)
                closedir(*listing);
}

static bool empty(const char *folder, struct error *error)
{
        CLEANUP(close_listing) DIR *listing = opendir(folder);
        struct dirent *entry;

        if (!listing)
                return error_set(error, ERROR_INTERNAL, "the folder of the agent's configuration cannot be read: %s",
                                 strerror(errno));
        while ((entry = readdir(listing))) {
                auto_free char *path = path_join(folder, entry->d_name);
                if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && !path_remove_tree(path, error))
                        return false;
        }
        return true;
}

static bool write_file(const char *folder, const struct agent_file *file, struct error *error)
{
        auto_free char *path = path_join(folder, file->path), *parent = text_copy(path);

        *strrchr(parent, '/') = '\0';
        return path_make_folder(parent, 0750, error) &&
               path_write(path, file->content, strlen(file->content), 0640, error);
}

static char *environment_folder(const struct services *services, const struct environment *environment)
{
        const char *set = settings_current()->setup_folder;

        return text_format("%s%s/environments/%s", set ? set : services->data_folder, set ? "" : "/setup",
                           environment->name);
}

bool agent_configuration_write(const struct services *services, const char *task_id, int64_t ordinal,
                               const struct environment *environment, const struct agent *agent,
                               const struct agent_turn *turn, struct error *error)
{
        auto_free char *folder = agent_configuration_folder(services, task_id), *run = turn_run_id(ordinal),
                       *place = path_join(folder, run), *home = path_join(place, "home"),
                       *source = environment_folder(services, environment);
        auto_agent_files files = {0};

        if (agent->configure)
                agent->configure(turn, &files);
        if (!empty(folder, error) || !path_make_folder(home, 0750, error))
                return false;
        for (size_t i = 0; i < files.count; i++)
                if (!write_file(place, &files.items[i], error))
                        return false;
        return agent_extras_write(source, place, agent, error) && open_to_agent(place, error);
}

void agent_configuration_remove(const struct services *services, const char *task_id, int64_t ordinal)
{
        auto_free char *folder = agent_configuration_folder(services, task_id), *run = turn_run_id(ordinal),
                       *place = path_join(folder, run);
        auto_error error = {0};

        if (!path_remove_tree(place, &error))
                log_warning("a turn's configuration could not be removed", "task", task_id, "reason", error.message);
}
