#include "docker/build.h"

#include <string.h>

#include "docker/lines.h"
#include "docker/path.h"
#include "docker/request.h"

/* What a build's progress has told so far. */
struct build {
        struct docker_lines lines;
        struct text output; /* a line of output that is not yet whole */
        docker_build_line *line;
        void *context;
        char id[DOCKER_IMAGE_ID_SIZE];
};

static bool hand_on(struct build *build, struct error *error)
{
        const char *line = text_string(&build->output);
        size_t length = build->output.length;

        if (length > DOCKER_BUILD_LINE_MAXIMUM)
                for (length = DOCKER_BUILD_LINE_MAXIMUM; length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80;)
                        length--;
        if (length > 0 && line[length - 1] == '\r')
                length--;
        bool goes_on = !build->line || build->line(line, length, build->context);
        text_clear(&build->output);
        return goes_on || error_set(error, ERROR_CANCELLED, "the build of the image was cancelled");
}

/* The engine sends pieces of lines: they are put together again. */
static bool take_output(struct build *build, const char *piece, size_t length, struct error *error)
{
        for (const char *end; (end = memchr(piece, '\n', length)); piece = end + 1) {
                text_append(&build->output, piece, (size_t)(end - piece));
                length -= (size_t)(end - piece) + 1;
                if (!hand_on(build, error))
                        return false;
        }
        text_append(&build->output, piece, length);
        return true;
}

static bool take_progress(const json_t *object, void *context, struct error *error)
{
        struct build *build = context;
        const char *failure = document_get_string(object, "error");
        const json_t *output = json_object_get(object, "stream");
        const json_t *aux = json_object_get(object, "aux");

        if (failure)
                return error_set(error, ERROR_IMAGE_BUILD_FAILED, "Docker engine: %s", failure);
        if (document_get_string(aux, "ID"))
                docker_copy(aux, "ID", build->id, sizeof build->id);
        return !json_is_string(output) ||
               take_output(build, json_string_value(output), json_string_length(output), error);
}

static bool take_piece(const char *bytes, size_t length, void *context, struct error *error)
{
        struct build *build = context;

        return docker_lines_feed(&build->lines, bytes, length, error);
}

static void query_pairs(struct text *path, const char *name, const struct docker_pair *pairs, size_t count)
{
        auto_json *object = docker_pairs_object(pairs, count);

        if (count)
                docker_path_query_json(path, name, object);
}

static void build_path(struct text *path, const struct docker_build_spec *spec)
{
        text_append_string(path, "/build?version=1&rm=1&forcerm=1");
        docker_path_query(path, "t", spec->tag);
        docker_path_query(path, "dockerfile", spec->dockerfile);
        docker_path_query(path, "networkmode", spec->network ? spec->network : "none");
        query_pairs(path, "buildargs", spec->arguments, spec->argument_count);
        query_pairs(path, "labels", spec->labels, spec->label_count);
        if (spec->memory)
                text_printf(path, "&memory=%lld&memswap=%lld", (long long)spec->memory, (long long)spec->memory);
        if (spec->is_fresh)
                text_append_string(path, "&nocache=1");
}

/* Runs the request and hands on what is left of the output. */
static bool run(struct docker *docker, const struct docker_request *request, struct build *build, struct error *error)
{
        if (!docker_request(docker, request, NULL, error) || !docker_lines_end(&build->lines, error))
                return false;
        return build->output.length == 0 || hand_on(build, error);
}

bool docker_image_build(struct docker *docker, const struct docker_build_spec *spec, docker_build_line *line,
                        void *context, int stop_fd, char id[DOCKER_IMAGE_ID_SIZE], struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        struct build build = {.line = line,
                              .context = context,
                              .lines = {.line = take_progress},
                              .output = TEXT_WITH_MAXIMUM(DOCKER_BUILD_LINE_MAXIMUM + 1)};

        build_path(&path, spec);
        build.lines.context = &build;
        struct docker_request request = {.method = "POST",
                                         .path = text_string(&path),
                                         .operation = DOCKER_ON_BUILD,
                                         .has_upload = true,
                                         .upload_fd = spec->context_fd,
                                         .piece = take_piece,
                                         .context = &build,
                                         .stop_fd = &stop_fd};
        bool is_done = !path.is_cut || error_set(error, ERROR_INVALID_INPUT, "the arguments of the build are too long");
        is_done = is_done && run(docker, &request, &build, error);
        docker_lines_clear(&build.lines);
        text_clear(&build.output);
        if (!is_done)
                return false;
        if (!build.id[0])
                return error_set(error, ERROR_IMAGE_BUILD_FAILED,
                                 "the Docker engine ended the build of %s without naming an image", spec->tag);
        memcpy(id, build.id, DOCKER_IMAGE_ID_SIZE);
        return true;
}
