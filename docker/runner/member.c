#include "docker/runner/field.h"

#include <inttypes.h>
#include <string.h>

#include "docker/runner/message.h"
#include "server/base/document.h"

static bool fail(struct error *error, const char *name, const char *wanted)
{
        return error_set(error, ERROR_INVALID_INPUT, "\"%s\" must be %s", name, wanted);
}

static bool check_text(const struct field *field, const char *text, size_t maximum, struct error *error)
{
        if (!text)
                return fail(error, field->name, field->is_nullable ? "a string or null" : "a string");
        if (strlen(text) > maximum)
                return error_set(error, ERROR_INVALID_INPUT, "\"%s\" must have at most %zu bytes", field->name,
                                 maximum);
        return !field->is_valid || field->is_valid(text) || fail(error, field->name, field->shape);
}

static bool read_number(const struct field *field, const json_t *value, int64_t *into, struct error *error)
{
        if (!json_is_integer(value) || json_integer_value(value) < field->least ||
            json_integer_value(value) > field->most)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "\"%s\" must be a whole number from %" PRId64 " to %" PRId64 "%s", field->name,
                                 field->least, field->most, field->is_nullable ? ", or null" : "");
        *into = json_integer_value(value);
        return true;
}

static bool read_choice(const struct field *field, const json_t *value, int *into, struct error *error)
{
        const char *text = json_string_value(value);
        auto_text wanted = TEXT_WITH_MAXIMUM(400);

        for (int i = 0; text && i < field->most; i++)
                if (!strcmp(text, field->names[i])) {
                        *into = i;
                        return true;
                }
        for (int i = 0; i < field->most; i++)
                text_printf(&wanted, "%s\"%s\"", i ? ", " : "one of ", field->names[i]);
        return fail(error, field->name, text_string(&wanted));
}

static void read_null(const struct field *field, char *at)
{
        if (field->type == FIELD_NUMBER)
                *(int64_t *)at = field->least - 1;
        else
                *(const char **)at = NULL;
}

static bool read_one(const struct field *field, const json_t *value, char *at, struct error *error)
{
        const char *text = json_string_value(value);

        if (!value)
                return error_set(error, ERROR_INVALID_INPUT, "\"%s\" is missing", field->name);
        if (field->is_nullable && json_is_null(value)) {
                read_null(field, at);
                return true;
        }
        switch (field->type) {
        case FIELD_BUFFER:
                if (!check_text(field, text, (size_t)field->most - 1, error))
                        return false;
                memcpy(at, text, strlen(text) + 1);
                return true;
        case FIELD_TEXT:
                if (!check_text(field, text, (size_t)field->most, error))
                        return false;
                *(const char **)at = text;
                return true;
        case FIELD_NUMBER:
                return read_number(field, value, (int64_t *)at, error);
        case FIELD_CHOICE:
                return read_choice(field, value, (int *)at, error);
        case FIELD_OTHER:
                return true;
        }
        return true;
}

static bool has_field(const struct field *fields, size_t count, const char *name)
{
        for (size_t i = 0; i < count; i++)
                if (!strcmp(fields[i].name, name))
                        return true;
        return !strcmp(name, "version");
}

bool field_read(const struct field *fields, size_t count, const json_t *object, void *into, struct error *error)
{
        const char *name;
        json_t *value;

        if (!json_is_object(object))
                return error_set(error, ERROR_INVALID_INPUT, "the message must be a JSON object");
        if (!json_is_integer(json_object_get(object, "version")) ||
            json_integer_value(json_object_get(object, "version")) != RUNNER_VERSION)
                return error_set(error, ERROR_INVALID_INPUT, "\"version\" must be %d, the only one known here",
                                 RUNNER_VERSION);
        json_object_foreach((json_t *)object, name, value)
        {
                if (!has_field(fields, count, name))
                        return error_set(error, ERROR_INVALID_INPUT, "\"%.64s\" is not a member of this message", name);
        }
        for (size_t i = 0; i < count; i++)
                if (!read_one(&fields[i], json_object_get(object, fields[i].name), (char *)into + fields[i].offset,
                              error))
                        return false;
        return true;
}

static json_t *print_one(const struct field *field, const char *at)
{
        int64_t number;
        int choice;

        switch (field->type) {
        case FIELD_BUFFER:
                return document_string(at);
        case FIELD_TEXT:
                return document_string(*(const char *const *)at);
        case FIELD_NUMBER:
                number = *(const int64_t *)at;
                return field->is_nullable && number < field->least ? json_null() : json_integer(number);
        case FIELD_CHOICE:
                choice = *(const int *)at;
                return document_string(choice >= 0 && choice < field->most ? field->names[choice] : NULL);
        case FIELD_OTHER:
                break;
        }
        return json_null();
}

json_t *field_print(const struct field *fields, size_t count, const void *from)
{
        json_t *object = json_object();

        json_object_set_new(object, "version", json_integer(RUNNER_VERSION));
        for (size_t i = 0; i < count; i++)
                json_object_set_new(object, fields[i].name,
                                    print_one(&fields[i], (const char *)from + fields[i].offset));
        return object;
}
