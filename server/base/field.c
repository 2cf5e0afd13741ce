#include "server/base/field.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "server/base/document.h"

#define PATH_SIZE 256
#define NEAREST_LENGTH 48

struct memory_block {
        struct memory_block *next;
};

void field_memory_clear(struct field_memory *memory)
{
        for (struct memory_block *block = memory->first, *next; block; block = next) {
                next = block->next;
                free(block);
        }
        memory->first = NULL;
}

static void *allocate(struct field_memory *memory, size_t size)
{
        struct memory_block *block = memory_new(sizeof *block + size);

        block->next = memory->first;
        memory->first = block;
        return block + 1;
}

const struct field *field_find(const struct field_table *table, const char *name)
{
        for (size_t i = 0; i < table->count; i++)
                if (!strcmp(table->rows[i].name, name))
                        return &table->rows[i];
        return NULL;
}

static size_t smaller(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* Levenshtein distance of two short names. */
static size_t distance(const char *a, const char *b)
{
        size_t row[NEAREST_LENGTH + 1], length = strlen(b);

        for (size_t j = 0; j <= length; j++)
                row[j] = j;
        for (size_t i = 1; a[i - 1]; i++) {
                size_t diagonal = row[0];
                row[0] = i;
                for (size_t j = 1; j <= length; j++) {
                        size_t above = row[j];
                        row[j] = smaller(smaller(row[j] + 1, row[j - 1] + 1), diagonal + (a[i - 1] != b[j - 1]));
                        diagonal = above;
                }
        }
        return row[length];
}

const char *field_nearest(const char *name, const char *const *names, size_t count)
{
        const char *nearest = NULL;
        size_t best = strlen(name) / 3 + 2;

        if (strlen(name) > NEAREST_LENGTH)
                return NULL;
        for (size_t i = 0; i < count; i++) {
                size_t far = strlen(names[i]) > NEAREST_LENGTH ? best : distance(name, names[i]);
                if (far < best) {
                        best = far;
                        nearest = names[i];
                }
        }
        return nearest;
}

/* How many bytes of a member's name from outside a message shows. */
static int shown_length(const char *name)
{
        return (int)utf8_head_length(name, strlen(name), 60);
}

static bool refuse_unknown(const struct field_table *table, const char *path, const char *name, struct error *error)
{
        auto_free const char **names = memory_new(table->count * sizeof *names);

        for (size_t i = 0; i < table->count; i++)
                names[i] = table->rows[i].name;
        const char *nearest = field_nearest(name, names, table->count);
        if (nearest)
                return error_set(error, ERROR_INVALID_INPUT, "%s%.*s is not known; did you mean %s?", path,
                                 shown_length(name), name, nearest);
        return error_set(error, ERROR_INVALID_INPUT, "%s%.*s is not known", path, shown_length(name), name);
}

static bool check_range(const struct field *row, const char *path, int64_t size, const char *unit, struct error *error)
{
        if (size >= row->minimum && (!row->maximum || size <= row->maximum))
                return true;
        if (!row->maximum)
                return error_set(error, ERROR_INVALID_INPUT, "%s must have at least %" PRId64 "%s", path, row->minimum,
                                 unit);
        return error_set(error, ERROR_INVALID_INPUT, "%s must %s %" PRId64 " to %" PRId64 "%s", path,
                         *unit ? "have" : "be from", row->minimum, row->maximum, unit);
}

static bool check_string(const struct field *row, const char *path, json_t *value, struct error *error)
{
        if (!json_is_string(value))
                return error_set(error, ERROR_INVALID_INPUT, "%s must be a string", path);
        const char *string = json_string_value(value);
        if (row->choices) {
                auto_text list = TEXT_WITH_MAXIMUM(400);
                for (const char *const *choice = row->choices; *choice; choice++) {
                        if (!strcmp(*choice, string))
                                return true;
                        text_printf(&list, "%s%s", list.length ? ", " : "", *choice);
                }
                return error_set(error, ERROR_INVALID_INPUT, "%s must be one of: %s", path, text_string(&list));
        }
        if (!check_range(row, path, (int64_t)utf8_count(string, strlen(string)), " characters", error))
                return false;
        if (row->is_valid && !row->is_valid(string))
                return error_set(error, ERROR_INVALID_INPUT, "%s must be %s", path, row->shape);
        return true;
}

static bool check_list(const struct field *row, const char *path, json_t *value, struct error *error)
{
        struct field item = {
                .type = FIELD_STRING, .choices = row->choices, .is_valid = row->is_valid, .shape = row->shape};
        char item_path[PATH_SIZE];
        json_t *entry;
        size_t i;

        if (!json_is_array(value))
                return error_set(error, ERROR_INVALID_INPUT, "%s must be a list", path);
        if (!check_range(row, path, (int64_t)json_array_size(value), " entries", error))
                return false;
        json_array_foreach(value, i, entry)
        {
                snprintf(item_path, sizeof item_path, "%s[%zu]", path, i);
                if (row->type == FIELD_STRINGS && !check_string(&item, item_path, entry, error))
                        return false;
                if (row->type == FIELD_OBJECTS && !json_is_object(entry))
                        return error_set(error, ERROR_INVALID_INPUT, "%s must be an object", item_path);
        }
        return true;
}

static bool check_map(const struct field *row, const char *path, json_t *value, struct error *error)
{
        const char *name;
        json_t *entry;

        if (!json_is_object(value))
                return error_set(error, ERROR_INVALID_INPUT, "%s must be an object", path);
        if (!check_range(row, path, (int64_t)json_object_size(value), " members", error))
                return false;
        json_object_foreach(value, name, entry)
        {
                if (row->is_valid && !row->is_valid(name))
                        return error_set(error, ERROR_INVALID_INPUT, "%s: the name %.*s must be %s", path,
                                         shown_length(name), name, row->shape);
                if (!json_is_string(entry))
                        return error_set(error, ERROR_INVALID_INPUT, "%s.%.*s must be a string", path,
                                         shown_length(name), name);
        }
        return true;
}

bool field_check(const struct field *row, const char *path, json_t *value, struct error *error)
{
        switch (row->type) {
        case FIELD_STRING:
                return check_string(row, path, value, error);
        case FIELD_INTEGER:
                if (!json_is_integer(value))
                        return error_set(error, ERROR_INVALID_INPUT, "%s must be an integer", path);
                return check_range(row, path, json_integer_value(value), "", error);
        case FIELD_BOOLEAN:
        case FIELD_FLAG:
                return json_is_boolean(value) ||
                       error_set(error, ERROR_INVALID_INPUT, "%s must be true or false", path);
        case FIELD_STRINGS:
        case FIELD_OBJECTS:
                return check_list(row, path, value, error);
        case FIELD_MAP:
                return check_map(row, path, value, error);
        case FIELD_OBJECT:
                return json_is_object(value) || error_set(error, ERROR_INVALID_INPUT, "%s must be an object", path);
        case FIELD_ANY:
                return true;
        }
        return false;
}

static bool read_table(const struct field_table *table, const char *prefix, json_t *document,
                       struct field_memory *memory, void *out, struct error *error);

static void store_pointer(char *at, const void *pointer)
{
        memcpy(at, &pointer, sizeof pointer);
}

static bool store_list(const struct field *row, const char *path, json_t *value, struct field_memory *memory, char *at,
                       struct error *error)
{
        size_t count = json_array_size(value);

        if (row->type == FIELD_STRINGS) {
                struct field_strings strings = {allocate(memory, count * sizeof(char *)), count};
                for (size_t i = 0; i < count; i++)
                        strings.items[i] = json_string_value(json_array_get(value, i));
                memcpy(at, &strings, sizeof strings);
                return true;
        }
        struct field_objects objects = {allocate(memory, count * row->nested->size), count};
        for (size_t i = 0; i < count; i++) {
                char prefix[PATH_SIZE];
                snprintf(prefix, sizeof prefix, "%s[%zu].", path, i);
                if (!read_table(row->nested, prefix, json_array_get(value, i), memory,
                                (char *)objects.items + i * row->nested->size, error))
                        return false;
        }
        memcpy(at, &objects, sizeof objects);
        return true;
}

static bool store_value(const struct field *row, const char *path, json_t *value, struct field_memory *memory, char *at,
                        struct error *error)
{
        switch (row->type) {
        case FIELD_STRING:
                store_pointer(at, json_string_value(value));
                return true;
        case FIELD_INTEGER:
                memcpy(at, &(int64_t){json_integer_value(value)}, sizeof(int64_t));
                return true;
        case FIELD_BOOLEAN:
                memcpy(at, &(bool){json_is_true(value)}, sizeof(bool));
                return true;
        case FIELD_FLAG:
                memcpy(at, &(int){json_is_true(value)}, sizeof(int));
                return true;
        case FIELD_MAP:
        case FIELD_ANY:
                store_pointer(at, value);
                return true;
        case FIELD_STRINGS:
        case FIELD_OBJECTS:
                return store_list(row, path, value, memory, at, error);
        case FIELD_OBJECT: {
                char prefix[PATH_SIZE];
                void *nested = allocate(memory, row->nested->size);
                snprintf(prefix, sizeof prefix, "%s.", path);
                store_pointer(at, nested);
                return read_table(row->nested, prefix, value, memory, nested, error);
        }
        }
        return false;
}

static void store_preset(const struct field *row, char *at)
{
        if (row->type == FIELD_INTEGER)
                memcpy(at, &row->preset, sizeof(int64_t));
        else if (row->type == FIELD_BOOLEAN)
                memcpy(at, &(bool){row->preset != 0}, sizeof(bool));
        else if (row->type == FIELD_FLAG)
                memcpy(at, &(int){-1}, sizeof(int));
        else if (row->type == FIELD_STRING)
                store_pointer(at, row->text_preset);
}

static bool read_table(const struct field_table *table, const char *prefix, json_t *document,
                       struct field_memory *memory, void *out, struct error *error)
{
        const char *name;
        json_t *value;

        memset(out, 0, table->size);
        json_object_foreach(document, name, value) if (!field_find(table, name)) return refuse_unknown(table, prefix,
                                                                                                       name, error);
        for (size_t i = 0; i < table->count; i++) {
                const struct field *row = &table->rows[i];
                char *at = (char *)out + row->offset;
                value = json_object_get(document, row->name);
                if (value && json_is_null(value) && row->is_nullable)
                        value = NULL;
                if (!value) {
                        if (row->is_required)
                                return error_set(error, ERROR_INVALID_INPUT, "%s%s is required: %s", prefix, row->name,
                                                 row->help);
                        store_preset(row, at);
                        continue;
                }
                char path[PATH_SIZE];
                snprintf(path, sizeof path, "%s%s", prefix, row->name);
                if (!field_check(row, path, value, error) || !store_value(row, path, value, memory, at, error))
                        return false;
        }
        return true;
}

bool field_read(const struct field_table *table, json_t *document, struct field_memory *memory, void *out,
                struct error *error)
{
        if (!json_is_object(document))
                return error_set(error, ERROR_INVALID_INPUT, "the input must be an object");
        return read_table(table, "", document, memory, out, error);
}

static json_t *parse_text(const struct field *row, const char *text)
{
        char *end;

        switch (row->type) {
        case FIELD_INTEGER:
                errno = 0;
                long long number = strtoll(text, &end, 10);
                return errno || end == text || *end ? NULL : json_integer(number);
        case FIELD_BOOLEAN:
        case FIELD_FLAG:
                if (!strcmp(text, "true") || !strcmp(text, "1"))
                        return json_true();
                return !strcmp(text, "false") || !strcmp(text, "0") ? json_false() : NULL;
        default:
                return json_string(text);
        }
}

json_t *field_value_of_text(const struct field *row, const char *text, struct error *error)
{
        auto_json *value = parse_text(row, text);

        if (!value) {
                const char *wanted = row->type == FIELD_INTEGER   ? "an integer"
                                     : row->type == FIELD_BOOLEAN ? "true or false"
                                                                  : "valid UTF-8 text";
                error_set(error, ERROR_INVALID_INPUT, "%s must be %s", row->name, wanted);
                return NULL;
        }
        return field_check(row, row->name, value, error) ? take(value) : NULL;
}

static const struct {
        const char *schema, *words;
} types[] = {
        [FIELD_STRING] = {"string", "string"},
        [FIELD_INTEGER] = {"integer", "integer"},
        [FIELD_BOOLEAN] = {"boolean", "boolean"},
        [FIELD_FLAG] = {"boolean", "boolean"},
        [FIELD_STRINGS] = {"array", "strings"},
        [FIELD_MAP] = {"object", "map of strings"},
        [FIELD_OBJECT] = {"object", "object"},
        [FIELD_OBJECTS] = {"array", "objects"},
        [FIELD_ANY] = {NULL, "any"},
};

static void schema_limits(const struct field *row, json_t *schema)
{
        static const char *const names[][2] = {
                [FIELD_STRING] = {"minLength", "maxLength"},      [FIELD_INTEGER] = {"minimum", "maximum"},
                [FIELD_STRINGS] = {"minItems", "maxItems"},       [FIELD_OBJECTS] = {"minItems", "maxItems"},
                [FIELD_MAP] = {"minProperties", "maxProperties"}, [FIELD_ANY] = {NULL, NULL},
        };
        const char *const *pair = names[row->type];

        if (row->choices || !pair[0])
                return;
        if (row->minimum || (row->type == FIELD_INTEGER && row->maximum))
                json_object_set_new(schema, pair[0], json_integer(row->minimum));
        if (row->maximum)
                json_object_set_new(schema, pair[1], json_integer(row->maximum));
}

static json_t *choices_list(const struct field *row)
{
        json_t *list = json_array();

        for (const char *const *choice = row->choices; *choice; choice++)
                json_array_append_new(list, json_string(*choice));
        return list;
}

static json_t *row_schema(const struct field *row, bool is_output)
{
        const char *type = types[row->type].schema;
        json_t *schema = (row->type == FIELD_OBJECT) ? field_schema(row->nested, is_output) : json_object();

        if (row->is_list_of_any)
                type = "array";
        if (type && row->is_nullable)
                json_object_set_new(schema, "type", json_pack("[s, s]", type, "null"));
        else if (type)
                json_object_set_new(schema, "type", json_string(type));
        if (row->help)
                json_object_set_new(schema, "description", json_string(row->help));
        if (row->type == FIELD_STRINGS) {
                json_t *items = json_pack("{s:s}", "type", "string");
                if (row->choices)
                        json_object_set_new(items, "enum", choices_list(row));
                json_object_set_new(schema, "items", items);
        } else if (row->choices) {
                json_object_set_new(schema, "enum", choices_list(row));
        }
        if (row->type == FIELD_OBJECTS)
                json_object_set_new(schema, "items", field_schema(row->nested, is_output));
        if (row->type == FIELD_MAP)
                json_object_set_new(schema, "additionalProperties", json_pack("{s:s}", "type", "string"));
        if (row->format)
                json_object_set_new(schema, "format", json_string(row->format));
        if (!is_output && (row->type == FIELD_BOOLEAN || (row->type == FIELD_INTEGER && row->preset)))
                json_object_set_new(schema, "default",
                                    row->type == FIELD_BOOLEAN ? json_boolean(row->preset) : json_integer(row->preset));
        if (!is_output && row->text_preset)
                json_object_set_new(schema, "default", json_string(row->text_preset));
        if (!is_output)
                schema_limits(row, schema);
        return schema;
}

json_t *field_schema(const struct field_table *table, bool is_output)
{
        json_t *schema = json_object(), *properties = json_object(), *required = json_array();

        json_object_set_new(schema, "type", json_string("object"));
        json_object_set_new(schema, "properties", properties);
        for (size_t i = 0; i < table->count; i++) {
                json_object_set_new(properties, table->rows[i].name, row_schema(&table->rows[i], is_output));
                if (table->rows[i].is_required)
                        json_array_append_new(required, json_string(table->rows[i].name));
        }
        if (json_array_size(required))
                json_object_set(schema, "required", required);
        json_decref(required);
        json_object_set_new(schema, "additionalProperties", json_boolean(is_output));
        return schema;
}

static void document_limits(const struct field *row, struct text *out)
{
        if (row->choices) {
                for (const char *const *choice = row->choices; *choice; choice++)
                        text_printf(out, "%s`%s`", choice == row->choices ? "" : ", ", *choice);
        } else if (row->maximum) {
                text_printf(out, "%" PRId64 " to %" PRId64, row->minimum, row->maximum);
        } else if (row->minimum) {
                text_printf(out, "at least %" PRId64, row->minimum);
        } else if (row->shape) {
                text_append_string(out, row->shape);
        }
}

static bool has_limits(const struct field *row)
{
        return row->choices || row->maximum || row->minimum || row->shape;
}

static void document_rows(const struct field_table *table, const char *prefix, struct text *out)
{
        for (size_t i = 0; i < table->count; i++) {
                const struct field *row = &table->rows[i];
                text_printf(out, "| `%s%s` | %s%s | ", prefix, row->name, types[row->type].words,
                            row->is_required   ? ", required"
                            : row->is_nullable ? " or null"
                                               : "");
                document_limits(row, out);
                if (row->type == FIELD_BOOLEAN && table->size)
                        text_printf(out, "default %s", row->preset ? "true" : "false");
                else if (row->preset)
                        text_printf(out, "%sdefault %" PRId64, row->maximum ? "; " : "", row->preset);
                else if (row->text_preset)
                        text_printf(out, "%sdefault `%s`", has_limits(row) ? "; " : "", row->text_preset);
                text_printf(out, " | %s |\n", row->help ? row->help : "");
                if (row->nested) {
                        char nested[PATH_SIZE];
                        snprintf(nested, sizeof nested, "%s%s%s.", prefix, row->name,
                                 row->type == FIELD_OBJECTS ? "[]" : "");
                        document_rows(row->nested, nested, out);
                }
        }
}

void field_document(const struct field_table *table, struct text *out)
{
        if (!table->count)
                return;
        text_append_string(out, "| name | type | values | meaning |\n|---|---|---|---|\n");
        document_rows(table, "", out);
}
