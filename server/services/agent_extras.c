#include "server/services/agent_extras.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/path.h"

#define INSTRUCTIONS_MAXIMUM (1024 * 1024)
#define SKILLS_MAXIMUM (32 * 1024 * 1024)
#define ENTRIES_MAXIMUM 2000
#define DEPTH_MAXIMUM 8

static void close_listing(DIR **listing)
{
        if (*listing)
                closedir(*listing);
}

/* What may still be copied. */
struct copying {
        size_t bytes, entries;
};

static bool read_beneath(int folder, const char *name, size_t maximum, struct text *out, struct error *error)
{
        auto_error missing = {0};
        auto_fd file = path_open_beneath(folder, name, &missing);

        return file < 0 || path_read_open(file, name, maximum, out, error);
}

static bool allow(struct copying *copying, size_t bytes, const char *name, struct error *error)
{
        if (!copying->entries || copying->bytes < bytes)
                return error_set(error, ERROR_TOO_LARGE,
                                 "skills: %s is too much: at most %d files of %d MiB together are given to an agent",
                                 name, ENTRIES_MAXIMUM, SKILLS_MAXIMUM / 1024 / 1024);
        copying->entries--;
        copying->bytes -= bytes;
        return true;
}

static bool copy_folder(int source, const char *target, int depth, struct copying *copying, struct error *error);

static bool copy_file(int source, const char *name, const char *target, mode_t mode, struct copying *copying,
                      struct error *error)
{
        auto_text content = TEXT_WITH_MAXIMUM(SKILLS_MAXIMUM);

        return read_beneath(source, name, SKILLS_MAXIMUM, &content, error) &&
               allow(copying, content.length, name, error) &&
               path_write(target, text_string(&content), content.length, mode & 0111 ? 0750 : 0640, error);
}

static bool copy_entry(int source, const char *name, const char *target, int depth, struct copying *copying,
                       struct error *error)
{
        auto_free char *path = path_join(target, name);
        struct stat info;

        if (name[0] == '.' || fstatat(source, name, &info, AT_SYMLINK_NOFOLLOW))
                return true;
        if (S_ISREG(info.st_mode))
                return copy_file(source, name, path, info.st_mode, copying, error);
        if (!S_ISDIR(info.st_mode) || depth == DEPTH_MAXIMUM)
                return true;
        auto_fd folder = openat(source, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return folder < 0 || (allow(copying, 0, name, error) && path_make_folder(path, 0750, error) &&
                              copy_folder(folder, path, depth + 1, copying, error));
}

static bool copy_folder(int source, const char *target, int depth, struct copying *copying, struct error *error)
{
        int own = openat(source, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        CLEANUP(close_listing) DIR *listing = own < 0 ? NULL : fdopendir(own);
        struct dirent *entry;

        while (listing && (entry = readdir(listing)))
                if (!copy_entry(source, entry->d_name, target, depth, copying, error))
                        return false;
        return true;
}

/* An agent of the environment's own has no place for it in the home: it finds it in the folder itself. */
static char *target_of(const char *place, const char *beneath_home, const char *own)
{
        return beneath_home ? text_format("%s/home/%s", place, beneath_home) : path_join(place, own);
}

static bool write_skills(int source, const char *place, const struct agent *agent, struct error *error)
{
        auto_fd skills = openat(source, "skills", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_free char *target = target_of(place, agent->skills, "skills");
        struct copying copying = {SKILLS_MAXIMUM, ENTRIES_MAXIMUM};

        return skills < 0 || (path_make_folder(target, 0750, error) && copy_folder(skills, target, 0, &copying, error));
}

static int is_memory(const struct dirent *entry)
{
        size_t length = strlen(entry->d_name);

        return entry->d_name[0] != '.' && length > 3 && !strcmp(entry->d_name + length - 3, ".md");
}

static bool append_memory(int source, struct text *out, struct error *error)
{
        auto_fd folder = openat(source, "memory", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct dirent **names = NULL;
        int count = folder < 0 ? 0 : scandirat(folder, ".", &names, is_memory, alphasort);
        bool is_good = true;

        for (int i = 0; i < count; i++) {
                is_good = is_good && (text_append_string(out, out->length ? "\n\n" : ""),
                                      read_beneath(folder, names[i]->d_name, INSTRUCTIONS_MAXIMUM, out, error));
                free(names[i]);
        }
        free(names);
        return is_good;
}

static bool write_instructions(int source, const char *place, const struct agent *agent, struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(INSTRUCTIONS_MAXIMUM);
        auto_free char *path = target_of(place, agent->instructions, "AGENTS.md"), *parent = text_copy(path);

        if (!read_beneath(source, "AGENTS.md", INSTRUCTIONS_MAXIMUM, &text, error) ||
            !append_memory(source, &text, error))
                return false;
        if (text.is_cut)
                return error_set(error, ERROR_TOO_LARGE, "AGENTS.md and memory are larger than %d KiB together",
                                 INSTRUCTIONS_MAXIMUM / 1024);
        /* Written also when it is empty, so that what is in the home of an earlier turn does not go on to hold. */
        *strrchr(parent, '/') = '\0';
        return path_make_folder(parent, 0750, error) && path_write(path, text_string(&text), text.length, 0640, error);
}

bool agent_extras_write(const char *environment_folder, const char *place, const struct agent *agent,
                        struct error *error)
{
        auto_fd source = open(environment_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return source < 0 ||
               (write_instructions(source, place, agent, error) && write_skills(source, place, agent, error));
}
