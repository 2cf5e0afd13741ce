#include "server/services/template.h"

#include <dirent.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/parameter.h"

#define FILE_MAXIMUM (512 * 1024)
#define TEMPLATES_MAXIMUM 500
#define SUFFIX ".json"

struct template
{
        const char *title, *description, *instructions;
        struct field_objects parameters;
};

static bool is_name(const char *name)
{
        return *name && !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")];
}

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

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new(object, name, value);
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
                auto_free char *value = is_known ? parameter_value(&items[i], values, &checked) : NULL;
                text_append_string(out, value ? value : "");
        }
        text_append_string(out, at);
}

char *template_render(const struct services *services, const char *environment, const char *name, const json_t *values,
                      struct error *error)
{
        auto_free char *folder = folder_of(services, environment);
        struct text out = TEXT_WITH_MAXIMUM(1024 * 1024);
        auto_loaded loaded = {0};

        if (!load(folder, name, &loaded, error) ||
            !parameters_check(&loaded.template.parameters, values, "template", error))
                return NULL;
        fill(&loaded.template, values, &out);
        return text_take(&out);
}
