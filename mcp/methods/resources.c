#include <string.h>

#include "mcp/methods/methods.h"
#include "mcp/more.h"
#include "mcp/resource.h"
#include "server/base/document.h"
#include "server/services/task.h"

/* Tasks whose files stand on one page of the list, and files of each; get_task_output lists all of a task's. */
#define TASKS_OF_PAGE 10
#define FILES_OF_TASK 40
/* A page of RESOURCE_PAGE bytes as base64, and what stands around it. */
#define READ_CEILING 690000

static json_t *describe_file(const json_t *task, const json_t *file)
{
        const char *path = document_get_string(file, "path"), *name = document_get_string(task, "name");
        const char *task_id = document_get_string(task, "taskId"), *modified = document_get_string(file, "modifiedAt");
        auto_text uri = TEXT_WITH_MAXIMUM(SIZE_MAX / 8), title = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);

        resource_write_uri(&uri, task_id, path);
        text_printf(&title, "%s: %s", name ? name : task_id, path);
        json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:O}", "uri", text_string(&uri), "name", path, "title",
                                text_string(&title), "mimeType", resource_media_type(path), "size",
                                json_object_get(file, "size"));
        if (modified)
                json_object_set_new(row, "annotations", json_pack("{s:s}", "lastModified", modified));
        return row;
}

/* A task that went away meanwhile has no files. */
static bool append_files(struct call *call, const json_t *task, json_t *resources, struct error *error)
{
        struct task_output_input input = {.taskId = document_get_string(task, "taskId")};
        const char *sections[] = {"files"};
        auto_json *output = NULL;
        auto_error refusal = {0};
        json_t *file;
        size_t i;

        input.include = (struct field_strings){.items = sections, .count = 1};
        if (!task_output(call, &input, &output, &refusal))
                return refusal.code == ERROR_TASK_NOT_FOUND || error_move(error, &refusal);
        json_array_foreach(json_object_get(output, "files"), i, file)
        {
                if (i == FILES_OF_TASK)
                        break;
                json_array_append_new(resources, describe_file(task, file));
        }
        return true;
}

static bool list_resources(struct call *call, const struct message *message, json_t **result, struct error *error)
{
        struct task_list_input input = {.cursor = document_get_string(call->arguments, "cursor"),
                                        .includeSnoozed = true,
                                        .pinned = -1,
                                        .limit = TASKS_OF_PAGE};
        auto_json *list = NULL, *resources = json_array();
        json_t *task;
        size_t i;

        (void)message;
        if (!input.cursor && mcp_more.list_resources)
                mcp_more.list_resources(resources);
        if (!task_list(call, &input, &list, error)) {
                if (error->code == ERROR_INVALID_CURSOR)
                        error->code = ERROR_INVALID_INPUT;
                return false;
        }
        json_array_foreach(json_object_get(list, "tasks"), i, task)
        {
                if (!append_files(call, task, resources, error))
                        return false;
        }
        *result = json_pack("{s:O}", "resources", resources);
        if (document_get_string(list, "nextCursor"))
                json_object_set(*result, "nextCursor", json_object_get(list, "nextCursor"));
        return true;
}

void method_resources_list(struct exchange *exchange, struct exchange_item *item)
{
        static const struct cache_hint hint = {.ttl_ms = 5000};
        static const struct tool run = {.name = "resources/list",
                                        .mode = TOOL_READS,
                                        .is_slow = true,
                                        .run_whole = list_resources,
                                        .is_method = true,
                                        .hint = &hint};

        (void)exchange;
        method_run(item, &run);
}

void method_resource_templates_list(struct exchange *exchange, struct exchange_item *item)
{
        static const struct cache_hint hint = {.ttl_ms = 3600000, .is_public = true};
        json_t *templates = json_pack(
                "[{s:s, s:s, s:s, s:s}]", "uriTemplate", RESOURCE_TEMPLATE, "name", "task-file", "title",
                "A task's file", "description",
                "A file that a task left under /task-output, and the server's own of it: log.txt, debug-stream.jsonl.");

        if (mcp_more.list_templates)
                mcp_more.list_templates(templates);
        auto_json *result = json_pack("{s:o}", "resourceTemplates", templates);
        method_answer(exchange, item, result, &hint);
}

static json_t *contents_of(const char *uri, const char *path, const json_t *page)
{
        const char *encoding = document_get_string(page, "encoding");
        bool is_text = encoding && !strcmp(encoding, "utf8");
        json_t *contents = json_pack("{s:s, s:s, s:O}", "uri", uri, "mimeType", resource_media_type(path),
                                     is_text ? "text" : "blob", json_object_get(page, "content"));

        json_object_set_new(contents, "_meta",
                            json_pack("{s:O, s:O, s:O}", "size", json_object_get(page, "size"), "offset",
                                      json_object_get(page, "offset"), "nextOffset",
                                      json_object_get(page, "nextOffset")));
        return contents;
}

static bool read_resource(struct call *call, const struct message *message, json_t **result, struct error *error)
{
        const char *uri = document_get_string(call->arguments, "uri");
        auto_json *page = NULL, *contents = mcp_more.read_resource ? mcp_more.read_resource(uri) : NULL;
        auto_resource_file file = {0};

        (void)message;
        if (!contents) {
                if (!resource_read_uri(uri, &file, error))
                        return false;
                struct task_file_input input = {file.task_id, file.path, file.offset, file.maximum};
                if (!task_file_read(call, &input, &page, error))
                        return false;
                contents = contents_of(uri, file.path, page);
        }
        *result = json_pack("{s:[O]}", "contents", contents);
        return true;
}

void method_resources_read(struct exchange *exchange, struct exchange_item *item)
{
        static const struct bound_exemption sized[] = {{"contents", "text"}, {"contents", "blob"}, {NULL, NULL}};
        /* A task writes its files at any time. */
        static const struct cache_hint hint = {.ttl_ms = 0};
        static const struct tool run = {.name = "resources/read",
                                        .mode = TOOL_READS,
                                        .run_whole = read_resource,
                                        .is_method = true,
                                        .hint = &hint,
                                        .bounds = {.exempt = sized, .ceiling = READ_CEILING}};

        (void)exchange;
        if (document_get_string(item->message.params, "uri"))
                method_run(item, &run);
        else
                method_refuse(item, "resources/read needs the string uri.");
}
