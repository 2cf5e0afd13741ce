#include "server/services/runtime_parts.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "docker/events.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/engine.h"
#include "server/services/metrics.h"
#include "server/services/reader.h"

#define RECONNECT_MS 1000
/* A container's exit record is written before its end is told, but may reach us after it. */
#define SETTLE_MS 500

struct check {
        const char *task_id;
        const char *container; /* name of one that ran out of memory, NULL otherwise */
};

static bool check_work(struct store_db *db, void *context, struct error *error)
{
        const struct check *check = context;
        auto_store_task task = {0};
        bool is_found;

        if (!store_task_find(db, check->task_id, 0, &task, &is_found, error) || !is_found)
                return is_found || !error->code;
        if (check->container)
                return store_resource_set_oom(db, "container", check->container, error);
        return strcmp(task.status, "running") || store_job_add(db, "check", task.rid, task.turn, SETTLE_MS, error);
}

static void connected(struct runtime *runtime)
{
        auto_error error = {0};
        struct docker_version version = {0};

        if (docker_negotiate(runtime->services->docker, &version, &error))
                engine_state_set(true, version.engine, NULL);
        log_info("the engine answers", "version", version.engine);
        struct store_db *db = services_reader(runtime->services, &error);
        if (db)
                reconcile_all(runtime, db);
}

static void on_event(const struct docker_event *event, void *context)
{
        struct runtime *runtime = context;
        const char *task_id = json_string_value(json_object_get(event->labels, LABEL_TASK));
        struct check check = {.task_id = task_id,
                              .container = event->kind == DOCKER_EVENT_OUT_OF_MEMORY
                                                   ? json_string_value(json_object_get(event->labels, "name"))
                                                   : NULL};
        auto_error error = {0};

        if (event->kind == DOCKER_EVENT_CONNECTED) {
                connected(runtime);
                return;
        }
        if (!task_id || (event->kind != DOCKER_EVENT_DIED && !check.container))
                return;
        if (!RUNTIME_WRITE(runtime, check_work, &check, &error))
                log_error("a container's end could not be noted", "task", task_id, "reason", error.message);
}

void *engine_loop(void *context)
{
        struct runtime *runtime = context;
        struct pollfd stop = {runtime->stop_event, POLLIN, 0};

        while (!atomic_load(&runtime->is_stopping)) {
                auto_error error = {0};
                if (docker_events_follow(runtime->services->docker, runtime->server_label, 0, runtime->stop_event,
                                         on_event, runtime, &error))
                        break;
                engine_state_set(false, NULL, error.message);
                metrics_count(METRIC_ENGINE_ERRORS, 1);
                log_warning("the engine does not answer", "reason", error.message);
                poll(&stop, 1, RECONNECT_MS);
        }
        return NULL;
}
