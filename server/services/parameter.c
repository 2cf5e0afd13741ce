#include "server/services/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"

static bool is_name(const char *name)
{
        return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")];
}

static const char *const types[] = {"text", "select", "boolean", "textarea", "date", "number", NULL};

static const struct field rows[] = {
        STRING_FIELD(struct parameter, name, .is_required = true, .maximum = 64, .is_valid = is_name,
                     .shape = "letters, digits, hyphens and underscores",
                     .help = "Name. A template's instructions have {{name}} in the place of its value; a test finds it "
                             "in the environment variable of that name."),
        STRING_FIELD(struct parameter, label, .maximum = 200, .help = "What people are asked."),
        STRING_FIELD(struct parameter, description, .maximum = 2000, .help = "What the value is for."),
        STRING_FIELD(struct parameter, type, .choices = types, .text_preset = "text", .help = "Kind of the value."),
        BOOLEAN_FIELD(struct parameter, required, .help = "Whether it is refused to go without a value."),
        {.name = "default",
         .type = FIELD_STRING,
         .offset = offsetof(struct parameter, fallback),
         .maximum = 10000,
         .help = "Value when none is given; it satisfies `required`."},
        STRINGS_FIELD(struct parameter, options, .maximum = 500, .help = "The choices, of a select."),
        ANY_FIELD(struct parameter, optionDetails,
                  .help = "The choices with their labels: {value, label, description}."),
        FLAG_FIELD(struct parameter, allowCustomValue,
                   .help = "Whether a value that is no option is taken; by default only where the type is not select."),
        BOOLEAN_FIELD(struct parameter, multiSelect,
                      .help = "Whether several options may be given, with commas between."),
};
const struct field_table parameter_table = FIELD_TABLE(struct parameter, rows);

static bool is_enforced(const struct parameter *parameter)
{
        return parameter->options.count && (parameter->allowCustomValue == 0 ||
                                            (parameter->allowCustomValue < 0 && !strcmp(parameter->type, "select")));
}

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new(object, name, value);
}

static json_t *options_of(const struct parameter *parameter)
{
        json_t *options = json_array();

        for (size_t i = 0; i < parameter->options.count; i++)
                json_array_append_new(options, document_string(parameter->options.items[i]));
        return options;
}

json_t *parameter_view(const struct parameter *parameter)
{
        json_t *view = json_object();

        set(view, "name", document_string(parameter->name));
        set(view, "label", document_string(parameter->label ? parameter->label : parameter->name));
        if (parameter->description)
                set(view, "description", document_string(parameter->description));
        set(view, "type", document_string(parameter->type));
        set(view, "required", json_boolean(parameter->required));
        if (parameter->fallback)
                set(view, "default", document_string(parameter->fallback));
        if (parameter->options.count) {
                set(view, "options", options_of(parameter));
                set(view, "optionsEnforced", json_boolean(is_enforced(parameter)));
        }
        if (parameter->optionDetails)
                json_object_set(view, "optionDetails", parameter->optionDetails);
        if (parameter->multiSelect)
                set(view, "multiSelect", json_true());
        return view;
}

static bool is_option(const struct parameter *parameter, const char *value, size_t length)
{
        for (size_t i = 0; i < parameter->options.count; i++)
                if (strlen(parameter->options.items[i]) == length &&
                    !strncmp(parameter->options.items[i], value, length))
                        return true;
        return false;
}

static bool check_options(const struct parameter *parameter, const char *value, struct error *error)
{
        for (const char *at = value;; at++) {
                size_t length = parameter->multiSelect ? strcspn(at, ",") : strlen(at);
                if (!is_option(parameter, at, length))
                        return error_set_details(error, ERROR_PARAMETER_INVALID,
                                                 json_pack("{s:o}", "allowedValues", options_of(parameter)),
                                                 "parameters.%s: %.*s is none of its options", parameter->name,
                                                 (int)length, at);
                at += length;
                if (!*at)
                        return true;
        }
}

static bool check_value(const struct parameter *parameter, const char *value, struct error *error)
{
        char *end;

        if (!strcmp(parameter->type, "boolean") && strcmp(value, "true") && strcmp(value, "false"))
                return error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s must be true or false",
                                 parameter->name);
        if (!strcmp(parameter->type, "number") && (strtod(value, &end), end == value || *end))
                return error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s must be a number", parameter->name);
        return !is_enforced(parameter) || check_options(parameter, value, error);
}

const char *parameter_value(const struct parameter *parameter, const json_t *values, struct error *error)
{
        const char *value = document_get_string(values, parameter->name);

        if (!value || !*value)
                value = parameter->fallback;
        if (value && *value)
                return check_value(parameter, value, error) ? value : NULL;
        if (!parameter->required)
                return "";
        error_set(error, ERROR_PARAMETER_MISSING, "parameters.%s is required", parameter->name);
        return NULL;
}

static bool is_declared(const struct field_objects *declared, const char *name)
{
        const struct parameter *items = declared->items;

        for (size_t i = 0; i < declared->count; i++)
                if (!strcmp(items[i].name, name))
                        return true;
        return false;
}

static json_t *names_of(const struct field_objects *declared)
{
        const struct parameter *items = declared->items;
        json_t *names = json_array();

        for (size_t i = 0; i < declared->count; i++)
                json_array_append_new(names, document_string(items[i].name));
        return names;
}

bool parameters_check(const struct field_objects *declared, const json_t *values, const char *owner,
                      struct error *error)
{
        const struct parameter *items = declared->items;
        const char *name;
        json_t *value;

        json_object_foreach((json_t *)values, name, value)
        {
                if (!is_declared(declared, name))
                        return error_set_details(error, ERROR_PARAMETER_UNKNOWN,
                                                 json_pack("{s:o}", "declared", names_of(declared)),
                                                 "parameters.%.100s: the %s has no such parameter", name, owner);
        }
        for (size_t i = 0; i < declared->count; i++)
                if (!parameter_value(&items[i], values, error))
                        return false;
        return true;
}
