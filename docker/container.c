#include "docker/container.h"

#include <string.h>

#include "docker/path.h"
#include "docker/request.h"

/* A POST or DELETE on one container without an answer worth reading. */
static bool act(struct docker *docker, const char *method, const char *id, const char *rest,
                enum docker_operation operation, int64_t extra_ms, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_object(&path, "containers", id, rest, error))
                return false;
        struct docker_request request = {
                .method = method, .path = text_string(&path), .operation = operation, .extra_ms = extra_ms};
        return docker_request(docker, &request, NULL, error);
}

bool docker_container_start(struct docker *docker, const char *id, struct error *error)
{
        return act(docker, "POST", id, "/start", DOCKER_ON_START, 0, error);
}

bool docker_container_stop(struct docker *docker, const char *id, int grace_s, struct error *error)
{
        auto_free char *rest = text_format("/stop?t=%d", grace_s);

        return act(docker, "POST", id, rest, DOCKER_ON_CONTAINER, (int64_t)grace_s * 1000, error);
}

bool docker_container_kill(struct docker *docker, const char *id, const char *signal, struct error *error)
{
        auto_docker_path rest = DOCKER_PATH;

        text_append_string(&rest, "/kill");
        docker_path_query(&rest, "signal", signal);
        return act(docker, "POST", id, text_string(&rest), DOCKER_ON_CONTAINER, 0, error);
}

bool docker_container_remove(struct docker *docker, const char *id, bool is_forced, struct error *error)
{
        bool is_removed = act(docker, "DELETE", id, is_forced ? "?v=1&force=1" : "?v=1", DOCKER_ON_CONTAINER, 0, error);

        /* Somebody else is at it: waiting for their end gives 404 when they were faster. */
        if (!is_removed && error->code == ERROR_CONFLICT && strstr(error->message, "already in progress")) {
                error_clear(error);
                is_removed = act(docker, "POST", id, "/wait?condition=removed", DOCKER_ON_CONTAINER, 0, error);
        }
        if (!is_removed && error->code == ERROR_CONTAINER_NOT_FOUND) {
                error_clear(error);
                return true;
        }
        return is_removed;
}

void docker_container_state_clear(struct docker_container_state *state)
{
        json_decref(state->labels);
        state->labels = NULL;
}

bool docker_container_inspect(struct docker *docker, const char *id, struct docker_container_state *state,
                              struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_object(&path, "containers", id, "/json", error))
                return false;
        struct docker_request request = {.method = "GET", .path = text_string(&path), .operation = DOCKER_ON_CONTAINER};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer)
                return false;
        const json_t *now = json_object_get(answer, "State");
        if (!now)
                return error_set(error, ERROR_ENGINE_FAILED, "the Docker engine told no state of container %.80s", id);
        *state = (struct docker_container_state){0};
        docker_copy(answer, "Id", state->id, sizeof state->id);
        docker_copy(answer, "Name", state->name, sizeof state->name);
        if (state->name[0] == '/')
                memmove(state->name, state->name + 1, strlen(state->name));
        docker_copy(answer, "Image", state->image, sizeof state->image);
        docker_copy(now, "Status", state->status, sizeof state->status);
        docker_copy(now, "Error", state->error, sizeof state->error);
        state->is_running = json_is_true(json_object_get(now, "Running"));
        state->is_oom_killed = json_is_true(json_object_get(now, "OOMKilled"));
        state->exit_code = (int)document_get_integer(now, "ExitCode", 0);
        state->pid = (int)document_get_integer(now, "Pid", 0);
        state->started_at = docker_time(now, "StartedAt");
        state->finished_at = docker_time(now, "FinishedAt");
        state->labels = docker_object(json_object_get(answer, "Config"), "Labels");
        return true;
}
