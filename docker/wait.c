#include "docker/container.h"
#include "docker/lines.h"
#include "docker/path.h"
#include "docker/request.h"

struct wait {
        struct docker_lines lines;
        int exit_code; /* -1: not told yet */
};

static bool take_status(const json_t *object, void *context, struct error *error)
{
        struct wait *wait = context;
        const char *failure = document_get_string(json_object_get(object, "Error"), "Message");

        if (failure && failure[0])
                return error_set(error, ERROR_ENGINE_FAILED, "Docker engine: %s", failure);
        wait->exit_code = (int)document_get_integer(object, "StatusCode", -1);
        return true;
}

static bool take_piece(const char *bytes, size_t length, void *context, struct error *error)
{
        struct wait *wait = context;

        return docker_lines_feed(&wait->lines, bytes, length, error);
}

bool docker_container_wait(struct docker *docker, const char *id, int stop_fd, int *exit_code, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        struct wait wait = {.lines = {.line = take_status}, .exit_code = -1};

        if (!docker_path_object(&path, "containers", id, "/wait", error))
                return false;
        wait.lines.context = &wait;
        struct docker_request request = {.method = "POST",
                                         .path = text_string(&path),
                                         .operation = DOCKER_ON_CONTAINER,
                                         .piece = take_piece,
                                         .context = &wait,
                                         .stop_fd = &stop_fd};
        bool is_done = docker_request(docker, &request, NULL, error) && docker_lines_end(&wait.lines, error);
        docker_lines_clear(&wait.lines);
        if (!is_done)
                return false;
        if (wait.exit_code < 0)
                return error_set(error, ERROR_ENGINE_STREAM_LOST,
                                 "the Docker engine ended the wait for %.80s without an exit code", id);
        *exit_code = wait.exit_code;
        return true;
}
