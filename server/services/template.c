#include "server/services/template.h"

#include <dirent.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/environment.h"

#define FILE_MAXIMUM (512 * 1024)
#define TEMPLATES_MAXIMUM 500
#define SUFFIX ".json"

struct parameter {
        const char *name, *label, *description, *type, *fallback;
        bool required, multiSelect;
        int allowCustomValue; /* -1: true, but for a select */
        struct field_strings options;
        json_t *optionDetails;
};

struct template
{
        const char *title, *description, *instructions;
        struct field_objects parameters;
};

static bool is_name(const char *name)
{
        return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")];
}

static const char *const types[] = {"text", "select", "boolean", "textarea", "date", "number", NULL};

static const struct field parameter_rows[] = {
        STRING_FIELD(struct parameter, name, .is_required = true, .maximum = 64, .is_valid = is_name,
                     .shape = "letters, digits, hyphens and underscores",
                     .help = "Name; {{name}} stands for its value."),
        STRING_FIELD(struct parameter, label, .maximum = 200, .help = "What people are asked."),
        STRING_FIELD(struct parameter, description, .maximum = 2000, .help = "What the value is for."),
        STRING_FIELD(struct parameter, type, .choices = types, .text_preset = "text", .help = "Kind of the value."),
        BOOLEAN_FIELD(struct parameter, required, .help = "Whether a task is refused without a value."),
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
static const struct field_table parameter_table = FIELD_TABLE(struct parameter, parameter_rows);

static const struct field rows[] = {
        STRING_FIELD(struct template, title, .maximum = 200, .help = "Title for people."),
        STRING_FIELD(struct template, description, .maximum = 2000, .help = "What a task made from it does."),
        STRING_FIELD(struct template, instructions, .is_required = true, .minimum = 1, .maximum = 200000,
                     .help = "What the agent is to do, with {{parameter}} in the places of values."),
        OBJECTS_FIELD(struct template, parameters, parameter_table, .maximum = 100, .help = "What is asked for."),
};
const struct field_table template_table = FIELD_TABLE(struct template, rows);

/* A template that was read; owns its document. */
struct loaded {
        json_t *document;
        struct field_memory memory;
        struct template template;
};

static void loaded_clear(struct loaded *loaded)
{
        field_memory_clear(&loaded->memory);
        json_decref(loaded->document);
}
#define auto_loaded CLEANUP(loaded_clear) struct loaded

static char *folder_of(const struct services *services, const char *environment)
{
        return text_format("%s/%s/templates", environments_folder(services->environments), environment);
}

static bool load(const char *folder, const char *name, struct loaded *loaded, struct error *error)
{
        auto_free char *path = text_format("%s/%s" SUFFIX, folder, name);
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        bool is_missing = false;

        if (!is_name(name) || !path_read(path, FILE_MAXIMUM, &content, &is_missing, error)) {
                if (!is_name(name) || is_missing)
                        error_set(error, ERROR_TEMPLATE_NOT_FOUND, "the environment has no template %.100s", name);
                return false;
        }
        loaded->document = document_parse(text_string(&content), content.length, error);
        return loaded->document &&
               field_read(&template_table, loaded->document, &loaded->memory, &loaded->template, error);
}

static bool is_enforced(const struct parameter *parameter)
{
        return parameter->options.count && (parameter->allowCustomValue == 0 ||
                                            (parameter->allowCustomValue < 0 && !strcmp(parameter->type, "select")));
}

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new(object, name, value);
}

static json_t *parameter_view(const struct parameter *parameter)
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
                json_t *options = json_array();
                for (size_t i = 0; i < parameter->options.count; i++)
                        json_array_append_new(options, document_string(parameter->options.items[i]));
                set(view, "options", options);
                set(view, "optionsEnforced", json_boolean(is_enforced(parameter)));
        }
        if (parameter->optionDetails)
                json_object_set(view, "optionDetails", parameter->optionDetails);
        if (parameter->multiSelect)
                set(view, "multiSelect", json_true());
        return view;
}

static json_t *template_view(const char *folder, const char *name)
{
        auto_loaded loaded = {0};
        auto_error error = {0};
        json_t *view = json_object(), *parameters = json_array();

        set(view, "name", document_string(name));
        if (load(folder, name, &loaded, &error)) {
                const struct parameter *items = loaded.template.parameters.items;
                set(view, "title", document_string(loaded.template.title ? loaded.template.title : name));
                set(view, "description", document_string(loaded.template.description));
                for (size_t i = 0; i < loaded.template.parameters.count; i++)
                        json_array_append_new(parameters, parameter_view(&items[i]));
        } else {
                set(view, "title", document_string(name));
                set(view, "description", json_null());
                set(view, "brokenReason", document_string(error.message));
        }
        set(view, "parameters", parameters);
        return view;
}

static int is_template(const struct dirent *entry)
{
        size_t length = strlen(entry->d_name);

        return length > strlen(SUFFIX) && !strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) &&
               entry->d_name[0] != '.';
}

bool template_list(struct call *call, const struct template_list_input *input, json_t **result, struct error *error)
{
        auto_environment *environment = environment_require(call, input->environment, error);
        struct dirent **entries;

        if (!environment)
                return false;
        auto_free char *folder = folder_of(call->services, environment->name);
        int count = scandir(folder, &entries, is_template, alphasort);
        json_t *templates = json_array();
        for (int i = 0; i < count; i++) {
                entries[i]->d_name[strlen(entries[i]->d_name) - strlen(SUFFIX)] = '\0';
                if (i < TEMPLATES_MAXIMUM && is_name(entries[i]->d_name))
                        json_array_append_new(templates, template_view(folder, entries[i]->d_name));
                free(entries[i]);
        }
        if (count >= 0)
                free(entries);
        *result = json_object();
        set(*result, "environment", document_string(environment->name));
        set(*result, "templates", templates);
        return true;
}

static bool is_option(const struct parameter *parameter, const char *value, size_t length)
{
        for (size_t i = 0; i < parameter->options.count; i++)
                if (strlen(parameter->options.items[i]) == length &&
                    !strncmp(parameter->options.items[i], value, length))
                        return true;
        return false;
}

static bool check_value(const struct parameter *parameter, const char *value, struct error *error)
{
        char *end;

        if (!strcmp(parameter->type, "boolean") && strcmp(value, "true") && strcmp(value, "false"))
                return error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s must be true or false",
                                 parameter->name);
        if (!strcmp(parameter->type, "number") && (strtod(value, &end), end == value || *end))
                return error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s must be a number", parameter->name);
        if (!is_enforced(parameter))
                return true;
        for (const char *at = value;; at++) {
                size_t length = parameter->multiSelect ? strcspn(at, ",") : strlen(at);
                if (!is_option(parameter, at, length))
                        return error_set(error, ERROR_PARAMETER_INVALID, "parameters.%s: %.*s is none of its options",
                                         parameter->name, (int)length, at);
                at += length;
                if (!*at)
                        return true;
        }
}

static bool check_values(const struct template *template, const json_t *values, struct error *error)
{
        const struct parameter *items = template->parameters.items;
        const char *name;
        json_t *value;

        json_object_foreach((json_t *)values, name, value)
        {
                size_t i = 0;
                while (i < template->parameters.count && strcmp(items[i].name, name))
                        i++;
                if (i == template->parameters.count)
                        return error_set(error, ERROR_PARAMETER_UNKNOWN,
                                         "parameters.%.100s: the template has no such parameter", name);
        }
        return true;
}

/* The value of a parameter: the given one, else its default, else "". NULL on error. */
static const char *value_of(const struct parameter *parameter, const json_t *values, struct error *error)
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

/* Replaces {{name}}; what names no parameter stays as it is. */
static void fill(const struct template *template, const json_t *values, struct text *out)
{
        auto_error checked = {0};
        const struct parameter *items = template->parameters.items;
        const char *at = template->instructions;

        for (const char *open; (open = strstr(at, "{{"));) {
                const char *close = strstr(open, "}}");
                size_t i = 0, length = close ? (size_t)(close - open - 2) : 0;
                while (close && i < template->parameters.count &&
                       (strlen(items[i].name) != length || strncmp(items[i].name, open + 2, length)))
                        i++;
                bool is_known = close && i < template->parameters.count;
                text_append(out, at, (size_t)(open - at) + (is_known ? 0 : 2));
                at = is_known ? close + 2 : open + 2;
                if (is_known)
                        text_append_string(out, value_of(&items[i], values, &checked));
        }
        text_append_string(out, at);
}

char *template_render(const struct services *services, const char *environment, const char *name, const json_t *values,
                      struct error *error)
{
        auto_free char *folder = folder_of(services, environment);
        struct text out = TEXT_WITH_MAXIMUM(1024 * 1024);
        auto_loaded loaded = {0};

        if (!load(folder, name, &loaded, error) || !check_values(&loaded.template, values, error))
                return NULL;
        const struct parameter *items = loaded.template.parameters.items;
        for (size_t i = 0; i < loaded.template.parameters.count; i++)
                if (!value_of(&items[i], values, error))
                        return NULL;
        fill(&loaded.template, values, &out);
        return text_take(&out);
}
