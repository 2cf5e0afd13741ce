#include "docker/image.h"

#include <string.h>

#include "docker/lines.h"
#include "docker/path.h"
#include "docker/request.h"

void docker_image_clear(struct docker_image *image)
{
        json_decref(image->labels);
        image->labels = NULL;
}

bool docker_image_inspect(struct docker *docker, const char *reference, struct docker_image *image, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_image(&path, reference, "/json", error))
                return false;
        struct docker_request request = {.method = "GET", .path = text_string(&path), .operation = DOCKER_ON_IMAGE};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer || !image)
                return answer;
        *image = (struct docker_image){0};
        docker_copy(answer, "Id", image->id, sizeof image->id);
        image->size = document_get_integer(answer, "Size", 0);
        image->created_at = docker_time(answer, "Created");
        docker_copy(json_object_get(answer, "Config"), "User", image->user, sizeof image->user);
        image->labels = docker_object(json_object_get(answer, "Config"), "Labels");
        return true;
}

bool docker_image_remove(struct docker *docker, const char *reference, bool is_forced, struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        if (!docker_path_image(&path, reference, is_forced ? "?force=1" : "", error))
                return false;
        struct docker_request request = {.method = "DELETE", .path = text_string(&path), .operation = DOCKER_ON_IMAGE};
        if (docker_request(docker, &request, NULL, error))
                return true;
        if (error->code != ERROR_IMAGE_NOT_FOUND)
                return false;
        error_clear(error);
        return true;
}

/* What an import's progress has told so far. */
struct import {
        struct docker_lines lines;
        char id[DOCKER_IMAGE_ID_SIZE];
};

static bool take_progress(const json_t *object, void *context, struct error *error)
{
        struct import *import = context;
        const char *failure = document_get_string(object, "error");
        const char *status = document_get_string(object, "status");

        if (failure)
                return error_set(error, ERROR_IMAGE_BUILD_FAILED, "Docker engine: %s", failure);
        if (status && strncmp(status, "sha256:", strlen("sha256:")) == 0)
                docker_copy(object, "status", import->id, sizeof import->id);
        return true;
}

static bool take_piece(const char *bytes, size_t length, void *context, struct error *error)
{
        struct import *import = context;

        return docker_lines_feed(&import->lines, bytes, length, error);
}

bool docker_image_import(struct docker *docker, const char *repository, const char *tag, int tar_fd,
                         const char *const *changes, int stop_fd, char id[DOCKER_IMAGE_ID_SIZE], struct error *error)
{
        auto_docker_path path = DOCKER_PATH;
        struct import import = {.lines = {.line = take_progress}};

        text_append_string(&path, "/images/create?fromSrc=-");
        docker_path_query(&path, "repo", repository);
        docker_path_query(&path, "tag", tag);
        for (; changes && *changes; changes++)
                docker_path_query(&path, "changes", *changes);
        import.lines.context = &import;
        struct docker_request request = {.method = "POST",
                                         .path = text_string(&path),
                                         .operation = DOCKER_ON_BUILD,
                                         .has_upload = true,
                                         .upload_fd = tar_fd,
                                         .piece = take_piece,
                                         .context = &import,
                                         .stop_fd = &stop_fd};
        bool is_done = docker_request(docker, &request, NULL, error) && docker_lines_end(&import.lines, error);
        docker_lines_clear(&import.lines);
        if (!is_done)
                return false;
        if (!import.id[0])
                return error_set(error, ERROR_IMAGE_BUILD_FAILED,
                                 "the Docker engine ended the import of %s:%s without naming an image", repository,
                                 tag);
        if (id)
                memcpy(id, import.id, DOCKER_IMAGE_ID_SIZE);
        return true;
}
