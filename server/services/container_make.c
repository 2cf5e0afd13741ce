#include "server/services/runtime_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/build.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"

/* The engine's own patience when it stops the container by itself. */
#define STOP_TIMEOUT_S 10
#define SHAPE_SIZE 17
#define HOME_FOLDER "/home/agent"
#define HOME_BYTES (1024LL * 1024 * 1024)

static bool folders_ensure(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *workspace = task_path_workspace(services->data_folder, task_id),
                       *output = task_path_output(services->data_folder, task_id),
                       *control = task_path_control(services->data_folder, task_id),
                       *records = task_path_records(services->data_folder, task_id),
                       *secrets = task_path_secrets(services->data_folder, task_id);
        uid_t uid = (uid_t)settings_current()->agent_uid;

        if (!path_make_folder(workspace, 0755, error) || !path_make_folder(output, 0755, error) ||
            !path_make_folder(records, 0700, error) || !path_make_folder(secrets, 0755, error) ||
            !control_prepare(control, error))
                return false;
        /* The two folders themselves; what is in them was given to the agent when it was made. */
        return (chown(workspace, uid, uid) == 0 && chown(output, uid, uid) == 0) ||
               error_set(error, ERROR_INTERNAL, "the task's folders cannot be given to the agent's user");
}

/* What a container is made from besides its task: one of another shape is made anew between turns. */
static void shape_of(const struct runtime *runtime, const struct environment *environment, const char *image,
                     char shape[SHAPE_SIZE])
{
        const struct environment_limits *limits = environment->file.limits;
        auto_free char *text = text_format("%s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s", image,
                                           environment->file.network, limits->memoryMb, limits->cpusPercent,
                                           limits->pids, settings_current()->agent_uid, runtime->runner_path);
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(text, strlen(text), hash);
        for (size_t i = 0; i < SHAPE_SIZE / 2; i++)
                snprintf(shape + 2 * i, 3, "%02x", hash[i]);
}

static bool create(struct runtime *runtime, const struct store_task *task, const struct environment *environment,
                   const char *image, const char *name, const char *shape, char id[DOCKER_ID_SIZE], struct error *error)
{
        const char *data = runtime->services->data_folder;
        auto_free char *workspace = task_path_workspace(data, task->id), *output = task_path_output(data, task->id),
                       *control = task_path_control(data, task->id), *records = task_path_records(data, task->id),
                       *secrets = task_path_secrets(data, task->id);
        const struct environment_limits *limits = environment->file.limits;
        const struct docker_mount mounts[] = {
                {workspace, CONTAINER_WORKSPACE, false}, {output, CONTAINER_OUTPUT, false},
                {control, CONTAINER_CONTROL, false},     {records, CONTAINER_RECORDS, false},
                {secrets, CONTAINER_SECRETS, true},      {runtime->runner_path, CONTAINER_RUNNER, true},
        };
        const struct docker_pair labels[] = {
                {LABEL_SERVER, runtime->server_id}, {LABEL_TASK, task->id}, {LABEL_SHAPE, shape}};
        const char *const command[] = {CONTAINER_RUNNER, "--control",       CONTAINER_CONTROL,
                                       "--records",      CONTAINER_RECORDS, NULL};
        uid_t uid = (uid_t)settings_current()->agent_uid;
        struct docker_container_spec spec = {.name = name,
                                             .image = image,
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

/* Whether it runs now as the environment wants it. */
static bool bring_up(struct runtime *runtime, const struct docker_container_state *state, const char *shape,
                     bool *is_up, struct error *error)
{
        const char *its = json_string_value(json_object_get(state->labels, LABEL_SHAPE));
        auto_error starting = {0};

        *is_up = false;
        if (!its || strcmp(its, shape))
                return true;
        *is_up = !strcmp(state->status, "running");
        if (*is_up || (strcmp(state->status, "exited") && strcmp(state->status, "created")))
                return true;
        *is_up = docker_container_start(runtime->services->docker, state->id, &starting);
        if (!*is_up && engine_error_is_passing(starting.code))
                return error_move(error, &starting);
        return true;
}

/* Makes use of the container that is there, or removes it: nothing of a task is kept in it. */
static bool reuse(struct runtime *runtime, const char *task_id, const char *shape, bool *is_up, struct error *error)
{
        auto_docker_container_state state = {0};
        bool is_there;

        *is_up = false;
        if (!container_look(runtime, task_id, &state, &is_there, error))
                return false;
        if (!is_there)
                return true;
        if (!bring_up(runtime, &state, shape, is_up, error))
                return false;
        return *is_up || docker_container_remove(runtime->services->docker, state.id, true, error);
}

/* Makes a new one; a crash, or an engine that answered too late, may have left one that nothing is known of. */
static bool make(struct runtime *runtime, const struct store_task *task, const struct environment *environment,
                 const char *image, const char *name, const char *shape, struct error *error)
{
        auto_error creating = {0};
        char id[DOCKER_ID_SIZE];
        bool is_up = false;

        if (!create(runtime, task, environment, image, name, shape, id, &creating)) {
                if (creating.code != ERROR_CONTAINER_NAME_TAKEN)
                        return error_move(error, &creating);
                if (!reuse(runtime, task->id, shape, &is_up, error))
                        return false;
                if (!is_up && !create(runtime, task, environment, image, name, shape, id, error))
                        return false;
        }
        return is_up || docker_container_start(runtime->services->docker, id, error);
}

bool container_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                      const struct environment *environment, struct error *error)
{
        auto_free char *name = container_name(task->id), *image = build_image(db, environment, error);
        auto_store_resource resource = {0};
        struct journal journal = {task->rid, name};
        char shape[SHAPE_SIZE];
        bool is_planned, is_up = false;

        if (!image || !store_resource_find(db, "container", task->rid, &resource, &is_planned, error) ||
            !folders_ensure(runtime->services, task->id, error))
                return false;
        /* Before the start, so that a container that runs is never taken for a stopped one. */
        if (!is_planned && !RUNTIME_WRITE(runtime, plan_work, &journal, error))
                return false;
        if (is_planned && (resource.stopped_at || resource.is_oom_killed) &&
            !RUNTIME_WRITE(runtime, ready_work, &journal, error))
                return false;
        shape_of(runtime, environment, image, shape);
        if (is_planned && !reuse(runtime, task->id, shape, &is_up, error))
                return false;
        return is_up || make(runtime, task, environment, image, name, shape, error);
}
