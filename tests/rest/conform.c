#include "tests/rest/conform.h"

#include "server/base/document.h"
#include "server/http/router.h"

size_t conform_route(const char *method, const char *path)
{
        auto_free char *bare = text_format("%.*s", (int)strcspn(path, "?"), path);
        struct router_match match = {0};

        router_find(routes, route_count, method, bare, &match);
        if (!match.route)
                fail_msg("there is no route %s %s", method, path);
        return (size_t)(match.route - routes);
}

static void check_object(const struct field_table *table, const json_t *object, const char *place);

static bool has_type(const struct field *row, const json_t *value)
{
        switch (row->type) {
        case FIELD_STRING:
                return json_is_string(value);
        case FIELD_INTEGER:
                return json_is_integer(value);
        case FIELD_BOOLEAN:
        case FIELD_FLAG:
                return json_is_boolean(value);
        case FIELD_STRINGS:
        case FIELD_OBJECTS:
                return json_is_array(value);
        case FIELD_MAP:
        case FIELD_OBJECT:
                return json_is_object(value);
        default:
                return true;
        }
}

static void check_value(const struct field *row, const json_t *value, const char *place)
{
        if (json_is_null(value) && (row->is_nullable || row->type == FIELD_ANY))
                return;
        if (!has_type(row, value)) {
                auto_free char *printed = json_dumps(value, JSON_ENCODE_ANY);
                fail_msg("%s.%s is %s", place, row->name, printed);
        }
        if (row->type == FIELD_OBJECT)
                check_object(row->nested, value, row->name);
        for (size_t i = 0; row->type == FIELD_OBJECTS && i < json_array_size(value); i++)
                check_object(row->nested, json_array_get(value, i), row->name);
}

static void check_object(const struct field_table *table, const json_t *object, const char *place)
{
        const char *name;
        json_t *value;

        for (size_t i = 0; i < table->count; i++)
                if (table->rows[i].is_required && !json_object_get(object, table->rows[i].name))
                        fail_msg("%s has no %s", place, table->rows[i].name);
        json_object_foreach((json_t *)object, name, value)
        {
                const struct field *row = field_find(table, name);
                if (!row)
                        fail_msg("%s has %s, which is not described", place, name);
                check_value(row, value, place);
        }
}

void conform_reply(const char *method, const char *path, const struct reply *reply)
{
        const struct rest_operation *operation = route_operation(conform_route(method, path));
        auto_error error = {0};
        auto_json *result = document_parse(reply->body, reply->length, &error);

        assert_int_equal(reply->status, operation->status ? operation->status : 200);
        assert_string_equal(reply_header(reply, "Content-Type"), "application/json");
        assert_true(json_is_object(result));
        if (operation->page.items) {
                assert_non_null(json_object_get(result, "nextCursor"));
                json_object_del(result, "nextCursor");
        }
        check_object(operation->output, result, path);
}
