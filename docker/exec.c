#include "docker/exec.h"

#include "docker/path.h"
#include "docker/request.h"
#include "docker/stream.h"

bool docker_exec_create(struct docker *docker, const char *container, const struct docker_exec_spec *spec,
                        char id[DOCKER_ID_SIZE], struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_object(&path, "containers", container, "/exec", error))
                return false;
        auto_json *body =
                json_pack("{s:b, s:b, s:b, s:b, s:o, s:o}", "AttachStdin", (int)spec->has_input, "AttachStdout", 1,
                          "AttachStderr", 1, "Tty", (int)spec->has_terminal, "Cmd", docker_strings(spec->command),
                          "Env", docker_pairs_array(spec->environment, spec->environment_count));
        if (spec->user)
                json_object_set_new(body, "User", document_string(spec->user));
        if (spec->working_dir)
                json_object_set_new(body, "WorkingDir", document_string(spec->working_dir));
        struct docker_request request = {
                .method = "POST", .path = text_string(&path), .operation = DOCKER_ON_CONTAINER, .body = body};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer)
                return false;
        docker_copy(answer, "Id", id, DOCKER_ID_SIZE);
        return id[0] || error_set(error, ERROR_ENGINE_FAILED, "the Docker engine made an exec without telling its id");
}

struct docker_stream *docker_exec_start(struct docker *docker, const char *id, bool has_terminal, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        auto_json *body = json_pack("{s:b, s:b}", "Detach", 0, "Tty", (int)has_terminal);

        if (!docker_path_object(&path, "exec", id, "/start", error))
                return NULL;
        return docker_stream_open(docker, text_string(&path), body, DOCKER_ON_EXEC, error);
}

bool docker_exec_resize(struct docker *docker, const char *id, unsigned rows, unsigned columns, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_object(&path, "exec", id, "/resize", error))
                return false;
        text_printf(&path, "?h=%u&w=%u", rows, columns);
        struct docker_request request = {.method = "POST", .path = text_string(&path), .operation = DOCKER_ON_EXEC};
        return docker_request(docker, &request, NULL, error);
}

bool docker_exec_inspect(struct docker *docker, const char *id, struct docker_exec_state *state, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_object(&path, "exec", id, "/json", error))
                return false;
        struct docker_request request = {.method = "GET", .path = text_string(&path), .operation = DOCKER_ON_EXEC};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer)
                return false;
        *state = (struct docker_exec_state){0};
        state->is_running = json_is_true(json_object_get(answer, "Running"));
        state->has_exit_code = !state->is_running && json_is_integer(json_object_get(answer, "ExitCode"));
        state->exit_code = state->has_exit_code ? (int)document_get_integer(answer, "ExitCode", 0) : 0;
        state->pid = (int)document_get_integer(answer, "Pid", 0);
        return true;
}
