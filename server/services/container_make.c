#include "server/services/runtime_parts.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/agent_configuration.h"
#include "server/services/agent_program.h"
#include "server/services/build.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"

/* The engine's own patience when it stops the container by itself. */
#define STOP_TIMEOUT_S 10
#define SHAPE_SIZE 17
#define MOUNTS_MAXIMUM 9

/* The container that is to be made. */
struct wanted {
        const char *name, *image, *program; /* program: the folder of its agent's, or NULL */
        char shape[SHAPE_SIZE];
};

static bool folders_ensure(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *workspace = task_path_workspace(services->data_folder, task_id),
                       *output = task_path_output(services->data_folder, task_id),
                       *control = task_path_control(services->data_folder, task_id),
                       *records = task_path_records(services->data_folder, task_id),
                       *secrets = task_path_secrets(services->data_folder, task_id),
                       *home = task_path_home(services->data_folder, task_id);
        uid_t uid = (uid_t)settings_current()->agent_uid;

        if (!path_make_folder(workspace, 0755, error) || !path_make_folder(output, 0755, error) ||
            !path_make_folder(records, 0700, error) || !path_make_folder(secrets, 0755, error) ||
            !path_make_folder(home, 0700, error) || !agent_configuration_prepare(services, task_id, error) ||
            !control_prepare(control, error))
                return false;
        /* The folders themselves; what is in them was given to the agent when it was made. */
        return (chown(workspace, uid, uid) == 0 && chown(output, uid, uid) == 0 && chown(home, uid, uid) == 0) ||
               error_set(error, ERROR_INTERNAL, "the task's folders cannot be given to the agent's user");
}

/* What a container is made from besides its task: one of another shape is made anew between turns. */
static void shape_of(const struct runtime *runtime, const struct environment *environment, struct wanted *wanted)
{
        const struct environment_limits *limits = environment->file.limits;
        auto_free char *text = text_format("%s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %s %s home",
                                           wanted->image, environment->file.network, limits->memoryMb,
                                           limits->cpusPercent, limits->pids, settings_current()->agent_uid,
                                           runtime->runner_path, wanted->program ? wanted->program : "");
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(text, strlen(text), hash);
        for (size_t i = 0; i < SHAPE_SIZE / 2; i++)
                snprintf(wanted->shape + 2 * i, 3, "%02x", hash[i]);
}

static bool create(struct runtime *runtime, const struct store_task *task, const struct environment *environment,
                   const struct wanted *wanted, char id[DOCKER_ID_SIZE], struct error *error)
{
        const char *data = runtime->services->data_folder;
        auto_free char *workspace = task_path_workspace(data, task->id), *output = task_path_output(data, task->id),
                       *control = task_path_control(data, task->id), *records = task_path_records(data, task->id),
                       *secrets = task_path_secrets(data, task->id), *home = task_path_home(data, task->id),
                       *agent = agent_configuration_folder(runtime->services, task->id);
        const struct environment_limits *limits = environment->file.limits;
        const struct docker_mount mounts[MOUNTS_MAXIMUM] = {
                {workspace, CONTAINER_WORKSPACE, false},
                {output, CONTAINER_OUTPUT, false},
                {control, CONTAINER_CONTROL, false},
                {records, CONTAINER_RECORDS, false},
                {secrets, CONTAINER_SECRETS, true},
                {runtime->runner_path, CONTAINER_RUNNER, true},
                {home, AGENT_HOME, false},
                {agent, CONTAINER_AGENT, true},
                {wanted->program, AGENT_PROGRAM_FOLDER, true},
        };
        const struct docker_pair labels[] = {
                {LABEL_SERVER, runtime->server_id}, {LABEL_TASK, task->id}, {LABEL_SHAPE, wanted->shape}};
        const char *const command[] = {CONTAINER_RUNNER, "--control",       CONTAINER_CONTROL,
                                       "--records",      CONTAINER_RECORDS, NULL};
        struct docker_container_spec spec = {.name = wanted->name,
                                             .image = wanted->image,
                                             .command = command,
                                             .working_dir = CONTAINER_WORKSPACE,
                                             .hostname = "task",
                                             .network = environment->file.network,
                                             .labels = labels,
                                             .label_count = COUNT_OF(labels),
                                             .mounts = mounts,
                                             .mount_count = wanted->program ? MOUNTS_MAXIMUM : MOUNTS_MAXIMUM - 1,
                                             .memory = limits->memoryMb * 1024 * 1024,
                                             .nano_cpus = limits->cpusPercent * 10000000,
                                             .pids = limits->pids,
                                             .file_bytes = 0,
                                             .stop_timeout_s = STOP_TIMEOUT_S};

        return docker_container_create(runtime->services->docker, &spec, id, error);
}

struct journal {
        int64_t task;
        const char *handle, *program;
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

static bool program_work(struct store_db *db, void *context, struct error *error)
{
        const struct journal *journal = context;

        return store_resource_set_program(db, "container", journal->task, journal->program, error);
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

struct starting {
        struct docker *docker;
        const char *id;
        bool is_good;
        struct error error;
};

static void *start(void *context)
{
        struct starting *starting = context;

        starting->is_good = docker_container_start(starting->docker, starting->id, &starting->error);
        return NULL;
}

static bool run_meanwhile(const struct meanwhile *meanwhile, struct error *error)
{
        return !meanwhile || meanwhile->run(meanwhile->context, error);
}

/* The engine takes its time: what else there is to do is done beside it. */
static bool start_beside(struct docker *docker, const char *id, const struct meanwhile *meanwhile, struct error *error)
{
        struct starting starting = {.docker = docker, .id = id};
        pthread_t thread;

        if (!meanwhile || pthread_create(&thread, NULL, start, &starting))
                return docker_container_start(docker, id, error) && run_meanwhile(meanwhile, error);
        bool is_good = meanwhile->run(meanwhile->context, error);
        pthread_join(thread, NULL);
        if (is_good && !starting.is_good)
                is_good = error_move(error, &starting.error);
        error_clear(&starting.error);
        return is_good;
}

/* Makes a new one; a crash, or an engine that answered too late, may have left one that nothing is known of. */
static bool make(struct runtime *runtime, const struct store_task *task, const struct environment *environment,
                 const struct wanted *wanted, const struct meanwhile *meanwhile, struct error *error)
{
        auto_error creating = {0};
        char id[DOCKER_ID_SIZE];
        bool is_up = false;

        if (!create(runtime, task, environment, wanted, id, &creating)) {
                if (creating.code != ERROR_CONTAINER_NAME_TAKEN)
                        return error_move(error, &creating);
                if (!reuse(runtime, task->id, wanted->shape, &is_up, error))
                        return false;
                if (!is_up && !create(runtime, task, environment, wanted, id, error))
                        return false;
        }
        return is_up ? run_meanwhile(meanwhile, error) : start_beside(runtime->services->docker, id, meanwhile, error);
}

/* The version of the agent's program: the one that the task's container was made with as long as it is there, else the
 * current one. *version and *path stay NULL for an agent without a program. */
static bool choose_program(const struct services *services, const struct store_task *task,
                           const struct environment *environment, const char *earlier, char **version, char **path,
                           struct error *error)
{
        struct agent agent;

        if (!agent_check(services, environment, task->agent, error) || !agent_find(environment, task->agent, &agent))
                return false;
        if (!agent.program)
                return true;
        *path = earlier ? agent_program_path(services, agent.name, earlier) : NULL;
        *version = *path ? text_copy(earlier) : agent_program_version(services, agent.name);
        if (!*path && *version)
                *path = agent_program_path(services, agent.name, *version);
        return *path || error_set(error, ERROR_AGENT_UNKNOWN, "the program of %s is gone", agent.name);
}

/* The container's row before the container itself, so that one that runs is never taken for a stopped one. */
static bool write_journal(struct runtime *runtime, struct journal *journal, const struct store_resource *resource,
                          bool is_planned, struct error *error)
{
        if (!is_planned && !RUNTIME_WRITE(runtime, plan_work, journal, error))
                return false;
        if (is_planned && (resource->stopped_at || resource->is_oom_killed) &&
            !RUNTIME_WRITE(runtime, ready_work, journal, error))
                return false;
        bool is_known = !journal->program || (resource->program && !strcmp(resource->program, journal->program));
        return is_known || RUNTIME_WRITE(runtime, program_work, journal, error);
}

bool container_ensure(struct runtime *runtime, struct store_db *db, const struct store_task *task,
                      const struct environment *environment, const struct meanwhile *meanwhile, struct error *error)
{
        auto_free char *name = container_name(runtime, task->id), *image = build_image(db, environment, error),
                       *version = NULL, *program = NULL;
        auto_store_resource resource = {0};
        struct wanted wanted = {.name = name, .image = image};
        bool is_planned, is_up = false;

        if (!image || !store_resource_find(db, "container", task->rid, &resource, &is_planned, error) ||
            !folders_ensure(runtime->services, task->id, error) ||
            !choose_program(runtime->services, task, environment, resource.program, &version, &program, error))
                return false;
        struct journal journal = {task->rid, name, version};
        if (!write_journal(runtime, &journal, &resource, is_planned, error))
                return false;
        wanted.program = program;
        shape_of(runtime, environment, &wanted);
        if (is_planned && !reuse(runtime, task->id, wanted.shape, &is_up, error))
                return false;
        return is_up ? run_meanwhile(meanwhile, error) : make(runtime, task, environment, &wanted, meanwhile, error);
}
