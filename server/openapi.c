#include "server/openapi.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "server/base/document.h"
#include "server/routes.h"

#define NAME_MAXIMUM 64

/* "/tasks/:taskId" as "/tasks/{taskId}". */
static void append_path(struct text *out, const char *path)
{
        for (; *path; path++) {
                size_t length = strcspn(path + 1, "/");
                if (*path == ':' || *path == '*') {
                        text_printf(out, "{%.*s}", (int)length, path + 1);
                        path += length;
                } else {
                        text_append(out, path, 1);
                }
        }
}

static bool is_in_path(const char *path, const char *name)
{
        size_t length = strlen(name);

        for (const char *at = path; (at = strpbrk(at, ":*")); at++)
                if (!strncmp(at + 1, name, length) && (at[1 + length] == '/' || !at[1 + length]))
                        return true;
        return false;
}

/* get_tasks_taskId: unique, since method and path are. */
static json_t *operation_id(const struct http_route *route)
{
        auto_text out = TEXT_WITH_MAXIMUM(200);

        for (const char *at = route->method; *at; at++) {
                char c = (char)tolower((unsigned char)*at);
                text_append(&out, &c, 1);
        }
        for (const char *at = route->path; *at; at++) {
                char c = *at;
                if (!isalnum((unsigned char)c))
                        c = '_';
                if (*at != ':' && *at != '*')
                        text_append(&out, &c, 1);
        }
        return json_string(text_string(&out));
}

static void add_parameter(json_t *list, const char *place, const char *name, json_t *schema, bool is_required)
{
        json_t *parameter =
                json_pack("{s:s, s:s, s:b, s:o}", "name", name, "in", place, "required", is_required, "schema", schema);
        const char *help = document_get_string(schema, "description");

        if (help)
                json_object_set_new(parameter, "description", json_string(help));
        /* Lists are written with commas. */
        const char *type = document_get_string(schema, "type");
        if (!strcmp(place, "query") && type && !strcmp(type, "array")) {
                json_object_set_new(parameter, "style", json_string("form"));
                json_object_set_new(parameter, "explode", json_false());
        }
        json_array_append_new(list, parameter);
}

/* Rows of a path without a table still have their names in it. */
static void add_bare_path(json_t *list, const char *path)
{
        for (const char *at = path; (at = strpbrk(at, ":*")); at++) {
                char name[NAME_MAXIMUM];
                snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "/"), at + 1);
                add_parameter(list, "path", name, json_pack("{s:s}", "type", "string"), true);
        }
}

static void add_rows(json_t *list, const struct http_route *route, const struct field_table *table, bool has_query)
{
        auto_json *schema = field_schema(table, false);
        json_t *properties = json_object_get(schema, "properties");

        for (size_t i = 0; i < table->count; i++) {
                const struct field *row = &table->rows[i];
                json_t *property = json_incref(json_object_get(properties, row->name));
                if (is_in_path(route->path, row->name))
                        add_parameter(list, "path", row->name, property, true);
                else if (has_query)
                        add_parameter(list, "query", row->name, property, row->is_required);
                else
                        json_decref(property);
        }
}

/* The body: what of the input is not in the path. */
static json_t *body_of(const struct http_route *route, const struct field_table *table)
{
        json_t *schema = field_schema(table, false), *required = json_object_get(schema, "required");
        bool is_required = false;

        for (size_t i = 0; i < table->count; i++) {
                const struct field *row = &table->rows[i];
                if (!is_in_path(route->path, row->name)) {
                        is_required |= row->is_required;
                        continue;
                }
                json_object_del(json_object_get(schema, "properties"), row->name);
                for (size_t j = json_array_size(required); j-- > 0;)
                        if (!strcmp(json_string_value(json_array_get(required, j)), row->name))
                                json_array_remove(required, j);
        }
        if (required && !json_array_size(required))
                json_object_del(schema, "required");
        return json_pack("{s:b, s:{s:{s:o}}}", "required", is_required, "content", HTTP_JSON, "schema", schema);
}

static json_t *result_schema(const struct rest_operation *operation)
{
        json_t *schema = field_schema(operation->output, true);

        if (operation->page.items) {
                json_object_set_new(json_object_get(schema, "properties"), "nextCursor",
                                    json_pack("{s:[s, s], s:s}", "type", "string", "null", "description",
                                              "Cursor of the next page, null on the last."));
                json_t *required = json_object_get(schema, "required");
                if (required)
                        json_array_append_new(required, json_string("nextCursor"));
        }
        return schema;
}

static json_t *refusal(const char *description)
{
        return json_pack("{s:s, s:{s:{s:{s:s}}}}", "description", description, "content", HTTP_JSON, "schema", "$ref",
                         "#/components/schemas/Error");
}

static json_t *responses_of(const struct http_route *route, const struct rest_operation *operation)
{
        json_t *responses = json_object();
        char status[8];

        snprintf(status, sizeof status, "%u", operation && operation->status ? operation->status : 200);
        if (operation)
                json_object_set_new(responses, status,
                                    json_pack("{s:s, s:{s:{s:o}}}", "description", "Done.", "content", HTTP_JSON,
                                              "schema", result_schema(operation)));
        else
                json_object_set_new(responses, status, json_pack("{s:s}", "description", "Done."));
        if (operation)
                json_object_set_new(responses, "400",
                                    refusal("The request is not valid; the message names the field."));
        if (route->access != HTTP_ACCESS_PUBLIC) {
                json_object_set_new(responses, "401", refusal("The credential is missing or not valid."));
                json_object_set_new(responses, "403", refusal("You may not do this."));
        }
        json_object_set_new(responses, "default", refusal("Any other refusal."));
        return responses;
}

static json_t *security_of(const struct http_route *route)
{
        switch ((int)route->access) {
        case HTTP_ACCESS_PUBLIC:
                return json_array();
        case HTTP_ACCESS_SESSION:
                return json_pack("[{s:[]}, {s:[]}]", "bearer", "session");
        default:
                return json_pack("[{s:[]}]", "bearer");
        }
}

static json_t *describe(size_t row)
{
        const struct http_route *route = &routes[row];
        const struct rest_operation *operation = route_operation(row);
        json_t *described = json_object(), *parameters = json_array();
        const char *permission = route_permission(row);

        json_object_set_new(described, "operationId", operation_id(route));
        auto_free char *sentence = text_format("%s%s%s%s", route_sentence(row), permission ? " Needs " : "",
                                               permission ? permission : "", permission ? "." : "");
        json_object_set_new(described, "description", json_string(sentence));
        if (operation && operation->input)
                add_rows(parameters, route, operation->input, route->body != HTTP_BODY_JSON);
        else if (!operation)
                add_bare_path(parameters, route->path);
        if (operation && operation->page.items)
                add_rows(parameters, route, &rest_page_table, true);
        json_object_set_new(described, "parameters", parameters);
        if (operation && operation->input && route->body == HTTP_BODY_JSON)
                json_object_set_new(described, "requestBody", body_of(route, operation->input));
        if (route->body == HTTP_BODY_FILE)
                json_object_set_new(described, "requestBody",
                                    json_pack("{s:b, s:{s:{}}}", "required", 1, "content", "application/octet-stream"));
        json_object_set_new(described, "responses", responses_of(route, operation));
        json_object_set_new(described, "security", security_of(route));
        return described;
}

static json_t *components(void)
{
        return json_pack("{s:{s:{s:s, s:{s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}}, s:[s, s, s]}}, s:{s:{s:s, s:s}, s:{s:s, "
                         "s:s, s:s}}}",
                         "schemas", "Error", "type", "object", "properties", "error", "type", "string", "code", "type",
                         "string", "message", "type", "string", "details", "type", "object", "required", "error",
                         "code", "message", "securitySchemes", "bearer", "type", "http", "scheme", "bearer", "session",
                         "type", "apiKey", "in", "cookie", "name", "longshore_session");
}

json_t *openapi_document(void)
{
        json_t *paths = json_object();

        for (size_t i = 0; i < route_count; i++) {
                auto_text path = TEXT_WITH_MAXIMUM(500);
                char method[16];
                if (!strcmp(routes[i].method, "*"))
                        continue;
                append_path(&path, routes[i].path);
                json_t *item = json_object_get(paths, text_string(&path));
                if (!item)
                        json_object_set_new(paths, text_string(&path), item = json_object());
                snprintf(method, sizeof method, "%s", routes[i].method);
                for (char *at = method; *at; at++)
                        *at = (char)tolower((unsigned char)*at);
                json_object_set_new(item, method, describe(i));
        }
        return json_pack("{s:s, s:{s:s, s:s, s:s}, s:o, s:o}", "openapi", "3.1.0", "info", "title", "Longshore",
                         "version", LONGSHORE_VERSION, "description",
                         "Runs coding agents as tasks in containers. A session must send its CSRF token as "
                         "X-CSRF-Token with every request that changes something.",
                         "paths", paths, "components", components());
}

static char *bytes;
static size_t byte_count;

static void make(void)
{
        auto_json *document = openapi_document();

        bytes = document_print(document);
        byte_count = strlen(bytes);
}

const char *openapi_bytes(size_t *length)
{
        static pthread_once_t once = PTHREAD_ONCE_INIT;

        pthread_once(&once, make);
        *length = byte_count;
        return bytes;
}
