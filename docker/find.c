#include <string.h>

#include "docker/container.h"
#include "docker/path.h"
#include "docker/request.h"

void docker_container_list_clear(struct docker_container_list *list)
{
        for (size_t i = 0; i < list->count; i++)
                json_decref(list->entries[i].labels);
        free(list->entries);
        *list = (struct docker_container_list){0};
}

static void read_entry(const json_t *item, struct docker_container_entry *entry)
{
        const char *name = json_string_value(json_array_get(json_object_get(item, "Names"), 0));
        auto_json *names = json_pack("{s:s}", "Name", name ? name + (name[0] == '/') : "");

        *entry = (struct docker_container_entry){0};
        docker_copy(item, "Id", entry->id, sizeof entry->id);
        docker_copy(names, "Name", entry->name, sizeof entry->name);
        docker_copy(item, "State", entry->status, sizeof entry->status);
        entry->is_running = strcmp(entry->status, "running") == 0 || strcmp(entry->status, "paused") == 0;
        entry->created_at = document_get_integer(item, "Created", 0) * 1000;
        entry->labels = docker_object(item, "Labels");
}

bool docker_container_find(struct docker *docker, const char *label, struct docker_container_list *list,
                           struct error *error)
{
        auto_docker_path path = DOCKER_PATH;

        text_append_string(&path, "/containers/json?all=1");
        docker_path_filters(&path, label, NULL);
        struct docker_request request = {.method = "GET", .path = text_string(&path), .operation = DOCKER_ON_CONTAINER};
        auto_json *answer = docker_request_json(docker, &request, error);
        if (!answer)
                return false;
        if (!json_is_array(answer))
                return error_set(error, ERROR_ENGINE_FAILED, "the Docker engine's list of containers is no array");
        *list = (struct docker_container_list){.count = json_array_size(answer)};
        list->entries = list->count ? memory_new(list->count * sizeof *list->entries) : NULL;
        for (size_t i = 0; i < list->count; i++)
                read_entry(json_array_get(answer, i), &list->entries[i]);
        return true;
}
