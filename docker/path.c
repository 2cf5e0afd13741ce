#include "docker/path.h"

#include <ctype.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"

static void append_encoded(struct text *path, const char *value, const char *kept)
{
        for (const char *at = value; *at; at++) {
                unsigned char c = (unsigned char)*at;
                if ((c < 0x80 && isalnum(c)) || strchr(kept, c))
                        text_append(path, at, 1);
                else
                        text_printf(path, "%%%02X", c);
        }
}

static bool check_length(const struct text *path, struct error *error)
{
        return !path->is_cut || error_set(error, ERROR_INVALID_INPUT, "a name for the Docker engine is too long");
}

bool docker_path_object(struct text *path, const char *kind, const char *id, const char *rest, struct error *error)
{
        if (!isalnum((unsigned char)id[0]))
                return error_set(error, ERROR_INVALID_INPUT, "\"%.80s\" is no id of the Docker engine's %s", id, kind);
        text_printf(path, "/%s/", kind);
        append_encoded(path, id, "-_.");
        text_append_string(path, rest);
        return check_length(path, error);
}

bool docker_path_image(struct text *path, const char *reference, const char *rest, struct error *error)
{
        if (!isalnum((unsigned char)reference[0]) || strstr(reference, "//") || strstr(reference, ".."))
                return error_set(error, ERROR_INVALID_INPUT, "\"%.80s\" is no image reference", reference);
        text_append_string(path, "/images/");
        append_encoded(path, reference, "-_./:@");
        text_append_string(path, rest);
        return check_length(path, error);
}

void docker_path_query(struct text *path, const char *name, const char *value)
{
        if (!value)
                return;
        text_printf(path, "%s%s=", strchr(text_string(path), '?') ? "&" : "?", name);
        append_encoded(path, value, "-_.~");
}

void docker_path_query_json(struct text *path, const char *name, const json_t *value)
{
        auto_free char *printed = document_print(value);

        docker_path_query(path, name, printed);
}

void docker_path_filters(struct text *path, const char *label, const char *type)
{
        auto_json *filters = json_object();

        if (type)
                json_object_set_new(filters, "type", json_pack("[s]", type));
        if (label)
                json_object_set_new(filters, "label", json_pack("[o]", document_string(label)));
        docker_path_query_json(path, "filters", filters);
}

void docker_copy(const json_t *object, const char *name, char *out, size_t size)
{
        const char *value = document_get_string(object, name);
        size_t end = 0, step;
        bool is_partial;

        while (value && value[end] && (step = utf8_character(value + end, strlen(value + end), &is_partial)) > 0 &&
               end + step < size)
                end += step;
        if (end)
                memcpy(out, value, end);
        out[end] = '\0';
}

int64_t docker_time(const json_t *object, const char *name)
{
        const char *value = document_get_string(object, name);
        int64_t ms;

        return value && clock_parse(value, &ms) && ms > 0 ? ms : 0;
}

json_t *docker_object(const json_t *object, const char *name)
{
        json_t *value = json_object_get(object, name);

        return json_is_object(value) ? json_incref(value) : json_object();
}

json_t *docker_pairs_object(const struct docker_pair *pairs, size_t count)
{
        json_t *object = json_object();

        for (size_t i = 0; i < count; i++)
                json_object_set_new(object, pairs[i].name, document_string(pairs[i].value));
        return object;
}

json_t *docker_pairs_array(const struct docker_pair *pairs, size_t count)
{
        json_t *array = json_array();

        for (size_t i = 0; i < count; i++) {
                auto_free char *joined = text_format("%s=%s", pairs[i].name, pairs[i].value);
                json_array_append_new(array, document_string(joined));
        }
        return array;
}

json_t *docker_strings(const char *const *strings)
{
        json_t *array = json_array();

        if (!strings) {
                json_decref(array);
                return json_null();
        }
        for (; *strings; strings++)
                json_array_append_new(array, document_string(*strings));
        return array;
}
