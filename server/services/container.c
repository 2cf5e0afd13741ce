#include "server/services/runtime_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/container.h"
#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/task_paths.h"

/* The runner ends its runs within 3 s of grace and 5 s of killing. */
#define STOP_TIMEOUT_S 10
#define HOME_FOLDER "/home/agent"
#define HOME_BYTES (1024LL * 1024 * 1024)

char *container_name(const char *task_id)
{
        return text_format("longshore-%s", task_id);
}

static bool folders_ensure(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *workspace = task_path_workspace(services->data_folder, task_id),
                       *output = task_path_output(services->data_folder, task_id),
                       *control = task_path_control(services->data_folder, task_id),
                       *records = task_path_records(services->data_folder, task_id);
        uid_t uid = (uid_t)settings_current()->agent_uid;

        if (!path_make_folder(workspace, 0755, error) || !path_make_folder(output, 0755, error) ||
            !path_make_folder(records, 0700, error) || !control_prepare(control, error))
                return false;
        /* The two folders themselves; what is in them was given to the agent when it was made. */
        return (chown(workspace, uid, uid) == 0 && chown(output, uid, uid) == 0) ||
               error_set(error, ERROR_INTERNAL, "the task's folders cannot be given to the agent's user");
}

static bool create(struct runtime *runtime, const struct store_task *task, const struct environment *environment,
                   const char *name, struct error *error)
{
        const char *data = runtime->services->data_folder;
        auto_free char *workspace = task_path_workspace(data, task->id), *output = task_path_output(data, task->id),
                       *control = task_path_control(data, task->id), *records = task_path_records(data, task->id);
        const struct environment_limits *limits = environment->file.limits;
        const struct docker_mount mounts[] = {
                {workspace, CONTAINER_WORKSPACE, false},
                {output, CONTAINER_OUTPUT, false},
                {control, CONTAINER_CONTROL, false},
                {records, CONTAINER_RECORDS, false},
                {runtime->runner_path, CONTAINER_RUNNER, true},
        };
        const struct docker_pair labels[] = {{LABEL_SERVER, runtime->server_id}, {LABEL_TASK, task->id}};
        const char *const command[] = {CONTAINER_RUNNER, "--control",       CONTAINER_CONTROL,
                                       "--records",      CONTAINER_RECORDS, NULL};
        uid_t uid = (uid_t)settings_current()->agent_uid;
        struct docker_container_spec spec = {.name = name,
                                             .image = environment->file.image,
                                             .command = command,
                                             .working_dir = CONTAINER_WORKSPACE,
                                             .hostname = "task",
                                             .network = environment->file.network,
                                             .labels = labels,
                                             .label_count = COUNT_OF(labels),
                                             .mounts = mounts,
                                             .mount_count = COUNT_OF(mounts),
                                             .memory = limits->memoryMb * 1024 * 1024,
                                             .nano_cpus = limits->cpusPercent * 10000000,
                                             .pids = limits->pids,
                                             .file_bytes = 0,
                                             .home = HOME_FOLDER,
                                             .home_bytes = HOME_BYTES,
                                             .home_uid = uid,
                                             .home_gid = uid,
                                             .stop_timeout_s = STOP_TIMEOUT_S};
        char id[DOCKER_ID_SIZE];

        return docker_container_create(runtime->services->docker, &spec, id, error);
}

struct journal {
        int64_t task;
        const char *handle;
};

static bool plan_work(struct store_db *db, void *context, struct error *error)
{
        const struct journal *journal = context;

        return store_resource_plan(db, "container", journal->handle, journal->task, clock_now(), error);
}

static bool ready_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_set_ready(db, "container", ((struct journal *)context)->task, true, error);
}

bool container_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                      const struct environment *environment, struct error *error)
{
        auto_free char *name = container_name(task->id);
        auto_store_resource resource = {0};
        struct journal journal = {task->rid, name};
        bool is_planned, is_ready;

        if (!store_resource_find(db, "container", task->rid, &resource, &is_planned, error) ||
            !folders_ensure(runtime->services, task->id, error))
                return false;
        is_ready = is_planned && resource.is_ready && !resource.stopped_at;
        if (!is_planned && !RUNTIME_WRITE(runtime, plan_work, &journal, error))
                return false;
        auto_error started = {0};
        if (!is_planned || !docker_container_start(runtime->services->docker, name, &started)) {
                if (is_planned && started.code != ERROR_CONTAINER_NOT_FOUND)
                        return error_move(error, &started);
                auto_error created = {0};
                if (!create(runtime, task, environment, name, &created) && created.code != ERROR_CONTAINER_NAME_TAKEN)
                        return error_move(error, &created);
                if (!docker_container_start(runtime->services->docker, name, error))
                        return false;
        }
        return is_ready || RUNTIME_WRITE(runtime, ready_work, &journal, error);
}

static bool stopped_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_set_stopped(db, "container", ((struct journal *)context)->task, clock_now(), error);
}

bool runtime_stop_container(struct runtime *runtime, struct store_db *db, int64_t task, struct error *error)
{
        auto_store_resource resource = {0};
        struct journal journal = {task, NULL};
        auto_error stopping = {0};
        bool is_found;

        if (!store_resource_find(db, "container", task, &resource, &is_found, error))
                return false;
        if (!is_found || resource.stopped_at)
                return true;
        if (!docker_container_stop(runtime->services->docker, resource.handle, STOP_TIMEOUT_S, &stopping) &&
            stopping.code != ERROR_CONTAINER_NOT_FOUND)
                return error_move(error, &stopping);
        return RUNTIME_WRITE(runtime, stopped_work, &journal, error);
}
