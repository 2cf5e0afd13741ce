#include "server/services/parameter.h"

#include <string.h>

#include "server/base/clock.h"
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

static bool take_option(const struct parameter *parameter, const char *value, size_t length, struct text *out,
                        struct error *error)
{
        if (!is_option(parameter, value, length))
                return error_set_details(
                        error, ERROR_PARAMETER_INVALID, json_pack("{s:o}", "allowedValues", options_of(parameter)),
                        "parameters.%s: %.*s is none of its options", parameter->name, (int)length, value);
        if (out->length)
                text_append_string(out, ",");
        text_append(out, value, length);
        return true;
}

/* Of several, each without the blanks around it. */
static bool take_options(const struct parameter *parameter, const char *value, struct text *out, struct error *error)
{
        if (!parameter->multiSelect)
                return take_option(parameter, value, strlen(value), out, error);
        for (const char *at = value;; at++) {
                at += strspn(at, " ");
                size_t whole = strcspn(at, ","), length = whole;
                while (length && at[length - 1] == ' ')
                        length--;
                if (!take_option(parameter, at, length, out, error))
                        return false;
                at += whole;
                if (!*at)
                        return true;
        }
}

/* Behind the digits at `at`, of which there is one at least; NULL without. */
static const char *skip_digits(const char *at)
{
        size_t count = strspn(at, "0123456789");

        return count ? at + count : NULL;
}

/* A decimal one, as JSON writes it; zeros may stand in front. */
static bool is_number(const char *value)
{
        const char *at = skip_digits(value + (*value == '-'));

        if (at && *at == '.')
                at = skip_digits(at + 1);
        if (at && (*at == 'e' || *at == 'E'))
                at = skip_digits(at + 1 + (at[1] == '-' || at[1] == '+'));
        return at && !*at;
}

static bool is_date(const char *value)
{
        auto_free char *moment = text_format("%.20sT00:00:00Z", value);
        int64_t at;

        return strlen(value) == strlen("2026-12-31") && clock_parse(moment, &at);
}

static bool is_boolean(const char *value)
{
        return !strcmp(value, "true") || !strcmp(value, "false");
}

static const struct {
        const char *type, *shape;
        bool (*is_valid)(const char *value);
} checked[] = {
        {"boolean", "true or false", is_boolean},
        {"number", "a number", is_number},
        {"date", "a date, like 2026-12-31", is_date},
};

static char *take_value(const struct parameter *parameter, const char *value, struct error *error)
{
        auto_text out = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (size_t i = 0; i < COUNT_OF(checked); i++)
                if (!strcmp(parameter->type, checked[i].type) && !checked[i].is_valid(value)) {
                        error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s must be %s", parameter->name,
                                  checked[i].shape);
                        return NULL;
                }
        if (!is_enforced(parameter))
                return text_copy(value);
        return take_options(parameter, value, &out, error) ? text_take(&out) : NULL;
}

char *parameter_value(const struct parameter *parameter, const json_t *values, struct error *error)
{
        const char *value = document_get_string(values, parameter->name);

        if (!value || !*value)
                value = parameter->fallback;
        if (value && *value)
                return take_value(parameter, value, error);
        if (!parameter->required)
                return text_copy("");
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
        for (size_t i = 0; i < declared->count; i++) {
                auto_free char *taken = parameter_value(&items[i], values, error);
                if (!taken)
                        return false;
        }
        return true;
}
