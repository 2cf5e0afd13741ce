#include "docker/logs.h"

#include "docker/path.h"
#include "docker/request.h"

struct logs {
        struct docker_demux demux;
        docker_output *output;
        void *context;
};

static bool take_piece(const char *bytes, size_t length, void *context, struct error *error)
{
        struct logs *logs = context;

        return docker_demux_feed(&logs->demux, bytes, length, logs->output, logs->context, error);
}

bool docker_container_logs(struct docker *docker, const char *id, bool is_following, unsigned tail, int stop_fd,
                           docker_output *output, void *context, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        struct logs logs = {.output = output, .context = context};

        if (!docker_path_object(&path, "containers", id, "/logs?stdout=1&stderr=1", error))
                return false;
        if (is_following)
                text_append_string(&path, "&follow=1");
        if (tail)
                text_printf(&path, "&tail=%u", tail);
        struct docker_request request = {.method = "GET",
                                         .path = text_string(&path),
                                         .operation = DOCKER_ON_CONTAINER,
                                         .piece = take_piece,
                                         .context = &logs,
                                         .stop_fd = &stop_fd};
        if (!docker_request(docker, &request, NULL, error))
                return false;
        return docker_demux_is_whole(&logs.demux) ||
               error_set(error, ERROR_ENGINE_STREAM_LOST, "the Docker engine ended the log of %.80s inside a frame",
                         id);
}
