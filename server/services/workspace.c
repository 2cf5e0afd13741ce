#include "server/services/runtime_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "git/repository.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/credential.h"
#include "server/services/task_paths.h"
#include "server/store/saved_change.h"

struct journal {
        int64_t task;
        const char *handle;
};

static bool plan_work(struct store_db *db, void *context, struct error *error)
{
        const struct journal *journal = context;

        return store_resource_plan(db, "workspace", journal->handle, journal->task, clock_now(), error);
}

static bool ready_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_set_ready(db, "workspace", ((struct journal *)context)->task, true, error);
}

static bool removed_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_set_stopped(db, "workspace", ((struct journal *)context)->task, clock_now(), error);
}

/* The commit that a task's work in a repository begins with. */
struct beginning {
        int64_t task;
        const char *repository, *head;
};

static bool begin_work(struct store_db *db, void *context, struct error *error)
{
        const struct beginning *beginning = context;

        return store_saved_change_base_set(db, beginning->task, beginning->repository, beginning->head, error);
}

static bool exists(const char *path)
{
        struct stat info;

        return lstat(path, &info) == 0;
}

const char *workspace_branch(const json_t *chosen, const struct environment_repository *repository)
{
        const char *branch = document_get_string(chosen, repository->name);

        return branch ? branch : repository->branch;
}

struct copy {
        const char *mirrors, *destination, *branch;
        const struct repository_remote *remote;
        uid_t uid;
        char *checked_out, head[REPOSITORY_HEAD_SIZE];
};

static bool take_copy(struct copy *copy, const struct repository_limits *limits, struct error *error)
{
        return repository_mirror_update(copy->mirrors, copy->remote, limits, error) &&
               repository_workspace_make(copy->mirrors, copy->remote->url, copy->branch, copy->destination, copy->uid,
                                         copy->uid, limits, &copy->checked_out, copy->head, error);
}

/* A mirror that turned out to be damaged is made anew at the second try. */
static bool take_copy_of_whole(struct copy *copy, const struct repository_limits *limits, struct error *error)
{
        auto_error first = {0};

        if (take_copy(copy, limits, &first))
                return true;
        if (first.code != ERROR_GIT_MIRROR_DAMAGED)
                return error_move(error, &first);
        log_warning("a damaged mirror is made anew", "reason", first.message);
        return take_copy(copy, limits, error);
}

static bool make_repository(struct runtime *runtime, int64_t task, const char *folder,
                            const struct environment_repository *repository, const char *branch, struct error *error)
{
        const struct settings *settings = settings_current();
        struct repository_limits limits = {settings->git_timeout_seconds * 1000,
                                           settings->git_memory_megabytes * 1024 * 1024};
        auto_free char *mirrors = task_path_mirrors(runtime->services->data_folder),
                       *destination = path_join(folder, repository->name);
        auto_git_login login = {0};

        /* A workspace appears whole or not at all: one that is there was made before a crash. */
        if (exists(destination))
                return true;
        if (!credential_find(runtime->services, repository->url, &login, error))
                return false;
        struct repository_remote remote = {repository->url, login.username, login.password};
        struct copy copy = {.mirrors = mirrors,
                            .destination = destination,
                            .branch = branch,
                            .remote = &remote,
                            .uid = (uid_t)settings->agent_uid};
        struct beginning beginning = {task, repository->name, copy.head};
        bool is_made = path_make_folder(mirrors, 0700, error) && take_copy_of_whole(&copy, &limits, error);
        free(copy.checked_out);
        return is_made && RUNTIME_WRITE(runtime, begin_work, &beginning, error);
}

/* Whoever makes it anew, the next turn is to be told, also by another process: a file in the task's folder says so. */
static char *renewal_path(const struct services *services, const char *task_id)
{
        auto_free char *folder = task_path_folder(services->data_folder, task_id);

        return path_join(folder, "workspace.renewed");
}

static bool mark_renewal(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *path = renewal_path(services, task_id);

        return path_write(path, "", 0, 0600, error);
}

bool workspace_is_renewed(const struct services *services, const char *task_id)
{
        auto_free char *path = renewal_path(services, task_id);

        return exists(path);
}

void workspace_renewal_told(const struct services *services, const char *task_id)
{
        auto_free char *path = renewal_path(services, task_id);

        if (unlink(path) && errno != ENOENT)
                log_warning("a mark could not be removed", "path", path, "reason", strerror(errno));
}

bool workspace_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                      const struct environment *environment, struct error *error)
{
        auto_free char *folder = task_path_workspace(runtime->services->data_folder, task->id);
        const struct environment_repository *repositories = environment->file.repositories.items;
        auto_store_resource resource = {0};
        auto_error ignored = {0};
        struct journal journal = {task->rid, folder};
        bool is_found;

        if (!store_resource_find(db, "workspace", task->rid, &resource, &is_found, error))
                return false;
        bool is_whole = is_found && resource.is_ready && !resource.stopped_at;
        if (is_whole && exists(folder))
                return true;
        bool is_renewed = is_found && (resource.stopped_at || resource.is_ready);
        auto_json *chosen = document_parse(task->branches, strlen(task->branches), &ignored);
        if (!RUNTIME_WRITE(runtime, plan_work, &journal, error) || !path_make_folder(folder, 0755, error))
                return false;
        for (size_t i = 0; i < environment->file.repositories.count; i++)
                if (!make_repository(runtime, task->rid, folder, &repositories[i],
                                     workspace_branch(chosen, &repositories[i]), error))
                        return false;
        return (!is_renewed || mark_renewal(runtime->services, task->id, error)) &&
               RUNTIME_WRITE(runtime, ready_work, &journal, error);
}

/* What is half removed never stands where a workspace does, and its row says that it was there. */
bool workspace_remove(struct runtime *runtime, int64_t task, const char *task_id, struct error *error)
{
        auto_free char *folder = task_path_workspace(runtime->services->data_folder, task_id),
                       *removed = text_format("%s.removed", folder);
        struct journal journal = {task, NULL};

        if (!path_remove_tree(removed, error))
                return false;
        if (rename(folder, removed) && errno != ENOENT)
                return error_set(error, ERROR_INTERNAL, "the workspace %s cannot be moved away: %s", folder,
                                 strerror(errno));
        return RUNTIME_WRITE(runtime, removed_work, &journal, error) && path_remove_tree(removed, error);
}
