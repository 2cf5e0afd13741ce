#include "server/rest/arguments.h"

#include <string.h>

#include "server/base/document.h"
#include "server/http/route.h"
#include "server/services/body.h"

#define PAGE_LIMIT 100
#define PAGE_LIMIT_MAXIMUM 500
#define NAME_MAXIMUM 64
/* Entries of a list in a query parameter ("include=files,summary"). */
#define LIST_MAXIMUM 100

static const struct field page_rows[] = {
        INTEGER_FIELD(struct rest_page_input, limit, .minimum = 1, .maximum = PAGE_LIMIT_MAXIMUM, .preset = PAGE_LIMIT,
                      .help = "Entries to return at most."),
        STRING_FIELD(struct rest_page_input, cursor, .minimum = 1, .maximum = 600,
                     .help = "nextCursor of the page before."),
};
const struct field_table rest_page_table = FIELD_TABLE(struct rest_page_input, page_rows);

void rest_arguments_clear(struct rest_arguments *arguments)
{
        json_decref(arguments->query);
        json_decref(arguments->path);
        field_memory_clear(&arguments->memory);
        field_memory_clear(&arguments->page_memory);
        json_decref(arguments->document);
        json_decref(arguments->page_document);
        free(arguments->input);
        *arguments = (struct rest_arguments){0};
}

static json_t *split(const char *text, struct error *error)
{
        json_t *list = json_array();

        for (const char *at = text; *at; at += *at == ',') {
                size_t length = strcspn(at, ",");
                json_array_append_new(list, document_text(at, length));
                at += length;
                if (json_array_size(list) > LIST_MAXIMUM) {
                        json_decref(list);
                        error_set(error, ERROR_INVALID_INPUT, "a list in the query has at most %d entries",
                                  LIST_MAXIMUM);
                        return NULL;
                }
        }
        return list;
}

struct reading {
        const struct rest_operation *operation;
        json_t *members; /* read so far */
        struct error *error;
        bool has_failed;
};

static const struct field *row_of(const struct rest_operation *operation, const char *name)
{
        const struct field *row = operation->input ? field_find(operation->input, name) : NULL;

        return row || !operation->page.items ? row : field_find(&rest_page_table, name);
}

static bool put_text(struct reading *reading, const char *name, const char *text)
{
        const struct field *row = row_of(reading->operation, name);
        json_t *value = !row                         ? document_text(text, strlen(text))
                        : row->type == FIELD_STRINGS ? split(text, reading->error)
                                                     : field_value_of_text(row, text, reading->error);

        if (!value)
                return false;
        json_object_set_new(reading->members, name, value);
        return true;
}

static void put_query(const char *name, const char *value, void *context)
{
        struct reading *reading = context;

        if (reading->has_failed)
                return;
        if (strlen(name) > NAME_MAXIMUM || !utf8_is_valid(name, strlen(name)))
                reading->has_failed =
                        !error_set(reading->error, ERROR_INVALID_INPUT, "there is no query parameter of such a name");
        else if (json_object_get(reading->members, name))
                reading->has_failed =
                        !error_set(reading->error, ERROR_INVALID_INPUT, "%s is given more than once", name);
        else
                reading->has_failed = !put_text(reading, name, value);
}

/* The body is an object, or nothing. */
static json_t *read_body(const char *body, size_t length, struct error *error)
{
        auto_json *document = length ? body_parse(body, length, error) : json_object();

        if (!document)
                return NULL;
        if (!json_is_object(document)) {
                error_set(error, ERROR_INVALID_INPUT, "the body must be a JSON object");
                return NULL;
        }
        return take(document);
}

/* Calls put_text for every ":name" of the route's path. */
static bool put_path(struct reading *reading, struct http_request *request)
{
        const char *at = http_request_route(request)->path;

        while ((at = strpbrk(at, ":*"))) {
                char name[NAME_MAXIMUM];
                size_t length = strcspn(++at, "/");
                snprintf(name, sizeof name, "%.*s", (int)length, at);
                at += length;
                const char *value = http_request_param(request, name);
                if (value && !put_text(reading, name, value))
                        return false;
        }
        return true;
}

/* Moves the page's members into a document of their own. */
static bool read_page(struct rest_arguments *arguments, struct error *error)
{
        arguments->page_document = json_object();
        for (size_t i = 0; i < COUNT_OF(page_rows); i++) {
                json_t *value = json_object_get(arguments->document, page_rows[i].name);
                json_object_set(arguments->page_document, page_rows[i].name, value);
                json_object_del(arguments->document, page_rows[i].name);
        }
        return field_read(&rest_page_table, arguments->page_document, &arguments->page_memory, &arguments->page, error);
}

bool rest_arguments_begin(const struct rest_operation *operation, struct http_request *request,
                          struct rest_arguments *arguments, struct error *error)
{
        *arguments = (struct rest_arguments){.query = json_object(), .path = json_object()};
        struct reading query = {operation, arguments->query, error, false},
                       path = {operation, arguments->path, error, false};
        http_request_each_query(request, put_query, &query);
        return !query.has_failed && put_path(&path, request);
}

/* Adds members that the document may not have yet. */
static bool add_members(json_t *document, json_t *members, const char *sentence, struct error *error)
{
        const char *name;
        json_t *value;

        json_object_foreach(members, name, value)
        {
                if (json_object_get(document, name))
                        return error_set(error, ERROR_INVALID_INPUT, "%s is given %s", name, sentence);
                json_object_set(document, name, value);
        }
        return true;
}

bool rest_arguments_end(const struct rest_operation *operation, const char *body, size_t length,
                        struct rest_arguments *arguments, struct error *error)
{
        static const struct field_table nothing = {.name = "nothing", .size = sizeof(char)};
        const struct field_table *table = operation->input ? operation->input : &nothing;

        arguments->document = read_body(body, length, error);
        if (!arguments->document || !add_members(arguments->document, arguments->query, "more than once", error) ||
            !add_members(arguments->document, arguments->path, "by the path", error) ||
            (operation->page.items && !read_page(arguments, error)))
                return false;
        arguments->input = memory_new(table->size);
        return field_read(table, arguments->document, &arguments->memory, arguments->input, error);
}
