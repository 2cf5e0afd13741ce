#include "server/services/agent_program.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/agent.h"

char *agent_programs_folder(const struct services *services)
{
        const char *set = settings_current()->agents_folder;

        return set ? text_copy(set) : path_join(services->data_folder, "agents");
}

char *agent_program_version(const struct services *services, const char *agent)
{
        auto_free char *folder = agent_programs_folder(services), *link = text_format("%s/%s/current", folder, agent);
        char version[NAME_MAX + 1];
        ssize_t length = readlink(link, version, sizeof version - 1);

        if (length <= 0)
                return NULL;
        version[length] = '\0';
        return path_is_plain(version) && !strchr(version, '/') ? text_copy(version) : NULL;
}

char *agent_program_path(const struct services *services, const char *agent, const char *version)
{
        auto_free char *folder = agent_programs_folder(services);
        char *path = text_format("%s/%s/%s", folder, agent, version);
        struct stat info;

        if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
                return path;
        free(path);
        return NULL;
}

char *agent_program_folder(const struct services *services, const char *agent)
{
        auto_free char *version = agent_program_version(services, agent);

        return version ? agent_program_path(services, agent, version) : NULL;
}

static void close_listing(DIR **listing)
{
        if (*listing)
                closedir(*listing);
}

static json_t *installed(const struct services *services, const char *agent)
{
        auto_free char *folder = agent_programs_folder(services), *path = path_join(folder, agent);
        CLEANUP(close_listing) DIR *listing = opendir(path);
        json_t *versions = json_array();
        struct dirent *entry;

        while (listing && (entry = readdir(listing)))
                if (entry->d_name[0] != '.' && strcmp(entry->d_name, "current"))
                        json_array_append_new(versions, document_string(entry->d_name));
        return versions;
}

bool agent_list(struct call *call, json_t **result, struct error *error)
{
        json_t *list = json_array();

        (void)error;
        for (size_t i = 0; i < agent_count; i++) {
                auto_free char *version = agent_program_version(call->services, agents[i]->name);
                json_t *one = json_object();
                json_object_set_new(one, "name", json_string(agents[i]->name));
                json_object_set_new(one, "description", json_string(agents[i]->description));
                json_object_set_new(one, "version",
                                    agents[i]->program ? document_string(version) : json_string("of the image"));
                json_object_set_new(one, "installed", installed(call->services, agents[i]->name));
                json_object_set_new(one, "verified", json_string(agents[i]->verified));
                json_array_append_new(list, one);
        }
        *result = json_pack("{s:o}", "agents", list);
        return true;
}
