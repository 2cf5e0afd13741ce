#include "server/services/unused_version.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/path.h"
#include "server/services/agent.h"
#include "server/services/agent_program.h"
#include "server/store/work.h"

#define CURRENT "current"

/* The version that the link names, the caller's, and since when; NULL when there is none. */
static char *read_current(const char *folder, int64_t *since)
{
        auto_free char *link = path_join(folder, CURRENT);
        char version[NAME_MAX + 1];
        struct stat info;
        ssize_t length = readlink(link, version, sizeof version - 1);

        if (length <= 0 || lstat(link, &info))
                return NULL;
        version[length] = '\0';
        *since = (int64_t)info.st_mtim.tv_sec * 1000;
        return text_copy(version);
}

bool version_set_current(const char *folder, const char *version, struct error *error)
{
        auto_free char *link = path_join(folder, CURRENT), *next = path_join(folder, ".current");
        int64_t since;
        auto_free char *now = read_current(folder, &since);

        if (now && !strcmp(now, version))
                return true;
        if (unlink(next) && errno != ENOENT)
                return error_set(error, ERROR_INTERNAL, "%s cannot be removed: %s", next, strerror(errno));
        return (symlink(version, next) == 0 && rename(next, link) == 0) ||
               error_set(error, ERROR_INTERNAL, "%s cannot be made: %s", link, strerror(errno));
}

struct search {
        struct store_db *db;
        int64_t before;
        unused_version_told *told;
        void *context;
};

/* Which runner a container has is not recorded: those that were there before the current one may have any. */
static bool is_runner_used(const struct search *search, const char *version, int64_t since, bool *is_used,
                           struct error *error)
{
        (void)version;
        return store_resource_exists_before(search->db, "container", since, is_used, error);
}

static bool is_program_used(const struct search *search, const char *version, int64_t since, bool *is_used,
                            struct error *error)
{
        (void)since;
        return store_resource_uses_program(search->db, "container", version, is_used, error);
}

typedef bool version_is_used(const struct search *search, const char *version, int64_t since, bool *is_used,
                             struct error *error);

static bool look_at(const struct search *search, const char *kind, const char *folder, version_is_used *is_used,
                    struct error *error)
{
        int64_t since = 0;
        auto_free char *current = read_current(folder, &since);
        DIR *listing = current && since <= search->before ? opendir(folder) : NULL;
        struct dirent *entry;
        bool is_good = true;

        while (listing && is_good && (entry = readdir(listing))) {
                bool is_kept = true;
                if (entry->d_name[0] == '.' || !strcmp(entry->d_name, CURRENT) || !strcmp(entry->d_name, current))
                        continue;
                is_good = is_used(search, entry->d_name, since, &is_kept, error);
                auto_free char *path = path_join(folder, entry->d_name);
                if (is_good && !is_kept)
                        search->told(kind, path, search->context);
        }
        if (listing)
                closedir(listing);
        return is_good;
}

bool unused_version_each(const struct services *services, struct store_db *db, int64_t before,
                         unused_version_told *told, void *context, struct error *error)
{
        const struct search search = {db, before, told, context};
        auto_free char *runners = path_join(services->data_folder, "runners"),
                       *programs = agent_programs_folder(services);

        if (!look_at(&search, "runner", runners, is_runner_used, error))
                return false;
        for (size_t i = 0; !settings_current()->agents_folder && i < agent_count; i++) {
                auto_free char *folder = path_join(programs, agents[i]->name);
                if (!look_at(&search, "agent_program", folder, is_program_used, error))
                        return false;
        }
        return true;
}
