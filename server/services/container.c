#include "server/services/runtime_parts.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"

/* The runner ends its runs within 3 s of grace and 5 s of killing. */
#define STOP_TIMEOUT_S 10
#define STOP_ATTEMPTS 20
#define STOP_RETRY_MS 30000

char *container_name(const struct runtime *runtime, const char *task_id)
{
        return text_format("longshore-%s%s", task_id, runtime->container_suffix);
}

bool engine_error_is_passing(enum error_code code)
{
        return code == ERROR_ENGINE_UNREACHABLE || code == ERROR_ENGINE_STREAM_LOST;
}

bool container_look(struct runtime *runtime, const char *task_id, struct docker_container_state *state, bool *is_there,
                    struct error *error)
{
        auto_free char *name = container_name(runtime, task_id);
        auto_error looking = {0};

        *is_there = docker_container_inspect(runtime->services->docker, name, state, &looking);
        if (!*is_there)
                return looking.code == ERROR_CONTAINER_NOT_FOUND || error_move(error, &looking);
        const char *server = json_string_value(json_object_get(state->labels, LABEL_SERVER));
        *is_there = server && !strcmp(server, runtime->server_id);
        if (!*is_there)
                log_warning("a container that is not ours has the name of a task's", "container", name);
        return true;
}

bool container_end(struct runtime *runtime, const char *id, int grace_s, struct error *error)
{
        auto_error stopping = {0};

        if (docker_container_stop(runtime->services->docker, id, grace_s, &stopping) ||
            stopping.code == ERROR_CONTAINER_NOT_FOUND)
                return true;
        if (engine_error_is_passing(stopping.code))
                return error_move(error, &stopping);
        log_warning("a container cannot be stopped and is removed", "container", id, "reason", stopping.message);
        return docker_container_remove(runtime->services->docker, id, true, error);
}

struct journal {
        int64_t task;
};

static bool stopped_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_set_stopped(db, "container", ((struct journal *)context)->task, clock_now(), error);
}

bool container_stop(struct runtime *runtime, struct store_db *db, int64_t task, const char *task_id,
                    struct error *error)
{
        auto_docker_container_state state = {0};
        auto_store_resource resource = {0};
        struct journal journal = {task};
        bool is_found, is_there;

        if (!store_resource_find(db, "container", task, &resource, &is_found, error))
                return false;
        if (!is_found || resource.stopped_at)
                return true;
        if (!container_look(runtime, task_id, &state, &is_there, error) ||
            (is_there && !container_end(runtime, state.id, STOP_TIMEOUT_S, error)))
                return false;
        return RUNTIME_WRITE(runtime, stopped_work, &journal, error);
}

static bool forget_work(struct store_db *db, void *context, struct error *error)
{
        return store_resource_delete(db, "container", ((struct journal *)context)->task, error);
}

bool container_remove(struct runtime *runtime, int64_t task, const char *task_id, struct error *error)
{
        auto_docker_container_state state = {0};
        struct journal journal = {task};
        bool is_there;

        return container_look(runtime, task_id, &state, &is_there, error) &&
               (!is_there || docker_container_remove(runtime->services->docker, state.id, true, error)) &&
               RUNTIME_WRITE(runtime, forget_work, &journal, error);
}

bool runtime_remove_container(struct runtime *runtime, int64_t task, const char *task_id, struct error *error)
{
        return container_remove(runtime, task, task_id, error);
}

bool stop_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        auto_store_task task = {0};
        auto_error error = {0};
        bool is_found = false;

        if (!store_task_find_rid(db, job->task, 0, &task, &is_found, &error)) {
                log_error("a task could not be read", "reason", error.message);
                return false;
        }
        bool is_at_work = is_found && (!strcmp(task.status, "running") || !strcmp(task.status, "queued"));
        if (!is_found || is_at_work || container_stop(runtime, db, task.rid, task.id, &error))
                return job_drop(runtime, job);
        log_warning("a container could not be stopped", "task", task.id, "reason", error.message);
        /* Retention stops it otherwise. */
        return job->attempts < STOP_ATTEMPTS ? job_put_off(runtime, job, STOP_RETRY_MS) : job_drop(runtime, job);
}
