#include "server/services/conversation_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/services/agent.h"
#include "server/services/task_paths.h"

#define DEPTH_MAXIMUM 8
#define FILES_MAXIMUM 2000
#define SUFFIX ".jsonl"

/* The agent owns these folders: nothing in them is followed. */
struct walk {
        bool (*visit)(struct walk *walk, int folder, const char *name, const char *path, int64_t size);
        json_t *sizes; /* path to bytes */
        struct error *error;
};

static bool walk_folder(struct walk *walk, int folder, const char *path, int depth);

static bool walk_entry(struct walk *walk, int folder, const char *name, const char *path, int depth)
{
        size_t length = strlen(name), suffix = strlen(SUFFIX);
        struct stat info;

        if (!strcmp(name, ".") || !strcmp(name, "..") || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW))
                return true;
        auto_free char *own = text_format("%s/%s", path, name);
        if (S_ISDIR(info.st_mode) && depth < DEPTH_MAXIMUM) {
                auto_fd below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                return below < 0 || walk_folder(walk, below, own, depth + 1);
        }
        bool is_record = S_ISREG(info.st_mode) && length > suffix && !strcmp(name + length - suffix, SUFFIX);
        return !is_record || walk->visit(walk, folder, name, own, info.st_size);
}

static bool walk_folder(struct walk *walk, int folder, const char *path, int depth)
{
        int listed = dup(folder);
        DIR *listing = listed < 0 ? NULL : fdopendir(listed);
        struct dirent *entry;
        bool is_good = true;

        if (!listing && listed >= 0)
                close(listed);
        while (listing && is_good && (entry = readdir(listing)))
                is_good = walk_entry(walk, folder, entry->d_name, path, depth);
        if (listing)
                closedir(listing);
        return is_good;
}

/* Opens each part of the agent's folder in turn, following nothing; -1 when it is not there. */
static int open_record(const struct services *services, const char *task_id, const struct agent *agent)
{
        auto_free char *home = task_path_home(services->data_folder, task_id), *path = text_copy(agent->conversations);
        int folder = open(home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char *rest;

        for (char *part = strtok_r(path, "/", &rest); part && folder >= 0; part = strtok_r(NULL, "/", &rest)) {
                int below = openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                close(folder);
                folder = below;
        }
        return folder;
}

static bool measure_one(struct walk *walk, int folder, const char *name, const char *path, int64_t size)
{
        (void)folder, (void)name;
        json_t *path_text = document_text(path, strlen(path));
        bool is_text = path_text && !strcmp(json_string_value(path_text), path);

        json_decref(path_text);
        return is_text && json_object_size(walk->sizes) < FILES_MAXIMUM &&
               !json_object_set_new(walk->sizes, path, json_integer(size));
}

char *conversation_files_measure(const struct services *services, const char *task_id, const struct agent *agent)
{
        auto_json *sizes = json_object();
        struct walk walk = {.visit = measure_one, .sizes = sizes};

        if (!agent->conversations)
                return NULL;
        auto_fd folder = open_record(services, task_id, agent);
        return folder >= 0 && walk_folder(&walk, folder, "", 0) ? document_print(sizes) : NULL;
}

static bool restore_one(struct walk *walk, int folder, const char *name, const char *path, int64_t size)
{
        const json_t *kept = json_object_get(walk->sizes, path);

        if (kept && size <= json_integer_value(kept))
                return true;
        if (!kept)
                return !unlinkat(folder, name, 0) ||
                       error_set(walk->error, ERROR_INTERNAL, "a conversation cannot be removed: %s", strerror(errno));
        auto_fd file = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        return (file >= 0 && !ftruncate(file, json_integer_value(kept))) ||
               error_set(walk->error, ERROR_INTERNAL, "a conversation cannot be cut back: %s", strerror(errno));
}

bool conversation_files_restore(const struct services *services, const char *task_id, const struct agent *agent,
                                const char *measured, struct error *error)
{
        auto_json *sizes = document_parse(measured, strlen(measured), error);
        struct walk walk = {.visit = restore_one, .sizes = sizes, .error = error};

        if (!sizes)
                return false;
        auto_fd folder = open_record(services, task_id, agent);
        return folder < 0 || walk_folder(&walk, folder, "", 0);
}
