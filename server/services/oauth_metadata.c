/* What a client says of itself. */
#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/oauth_client.h"
#include "server/services/oauth_redirect.h"

#define REDIRECT_URI_MAXIMUM 20
#define NAME_MAXIMUM 100
#define METADATA(...) error_set(error, ERROR_OAUTH_CLIENT_METADATA, __VA_ARGS__)

void oauth_metadata_clear(struct oauth_metadata *metadata)
{
        free(metadata->name);
        free(metadata->redirect_uris);
        *metadata = (struct oauth_metadata){0};
}

/* Characters that are not seen, or that change how others are read: controls, marks of direction, joiners, tags. */
static bool is_misleading(unsigned code)
{
        static const struct {
                unsigned first, last;
        } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},    {0x115f, 0x1160},
                      {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},  {0x3164, 0x3164},
                      {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};

        for (size_t i = 0; i < COUNT_OF(ranges); i++)
                if (code >= ranges[i].first && code <= ranges[i].last)
                        return true;
        return false;
}

static unsigned decode(const char *bytes, size_t length)
{
        unsigned code = (unsigned char)bytes[0];

        if (length > 1)
                code &= 0xffu >> (length + 1);
        for (size_t i = 1; i < length; i++)
                code = code << 6 | ((unsigned char)bytes[i] & 0x3f);
        return code;
}

char *oauth_client_clean_name(const char *name)
{
        auto_text clean = TEXT_WITH_MAXIMUM(NAME_MAXIMUM * 4);
        size_t left = strlen(name), count = 0;
        bool is_partial;

        while (left && count < NAME_MAXIMUM) {
                size_t length = utf8_character(name, left, &is_partial);
                if (!length)
                        break;
                if (!is_misleading(decode(name, length))) {
                        text_append(&clean, name, length);
                        count++;
                }
                name += length;
                left -= length;
        }
        return text_take(&clean);
}

static bool holds(const json_t *list, const char *text)
{
        for (size_t i = 0; i < json_array_size(list); i++) {
                const char *item = json_string_value(json_array_get(list, i));
                if (item && !strcmp(item, text))
                        return true;
        }
        return false;
}

/* A list that is absent, or has the entry without which nothing works; others in it are not granted. */
static bool check_list(const json_t *document, const char *name, const char *wanted, struct error *error)
{
        const json_t *list = json_object_get(document, name);

        if (!list || (json_is_array(list) && holds(list, wanted)))
                return true;
        return METADATA("%s must be a list with \"%s\" in it", name, wanted);
}

static bool read_redirect_uris(const json_t *document, struct oauth_metadata *metadata, struct error *error)
{
        const json_t *list = json_object_get(document, "redirect_uris");
        auto_text uris = TEXT_WITH_MAXIMUM(REDIRECT_URI_MAXIMUM * (OAUTH_REDIRECT_MAXIMUM + 1));
        size_t count = json_array_size(list);

        if (!count || count > REDIRECT_URI_MAXIMUM)
                return error_set(error, ERROR_OAUTH_REDIRECT_URI, "redirect_uris must be a list of 1 to %d URLs",
                                 REDIRECT_URI_MAXIMUM);
        for (size_t i = 0; i < count; i++) {
                const char *uri = json_string_value(json_array_get(list, i));
                if (!uri)
                        return error_set(error, ERROR_OAUTH_REDIRECT_URI, "redirect_uris must hold strings");
                if (!oauth_redirect_check(uri, error))
                        return false;
                text_printf(&uris, i ? "\n%s" : "%s", uri);
        }
        metadata->redirect_uris = text_take(&uris);
        return true;
}

static bool read_auth_method(const json_t *document, struct oauth_metadata *metadata, struct error *error)
{
        static const char *const methods[] = {"none", "client_secret_post", "client_secret_basic"};
        const json_t *value = json_object_get(document, "token_endpoint_auth_method");
        const char *method = value ? json_string_value(value) : "client_secret_basic";

        for (size_t i = 0; method && i < COUNT_OF(methods); i++)
                if (!strcmp(method, methods[i])) {
                        metadata->auth_method = methods[i];
                        return true;
                }
        return METADATA("token_endpoint_auth_method must be none, client_secret_post or client_secret_basic");
}

static bool read_name(const json_t *document, struct oauth_metadata *metadata, struct error *error)
{
        const json_t *value = json_object_get(document, "client_name");

        if (value && !json_is_string(value))
                return METADATA("client_name must be a string");
        metadata->name = oauth_client_clean_name(value ? json_string_value(value) : "");
        return true;
}

bool oauth_metadata_read(const json_t *document, struct oauth_metadata *metadata, struct error *error)
{
        auto_oauth_metadata found = {0};

        if (!json_is_object(document))
                return METADATA("a client's metadata must be a JSON object");
        if (!read_redirect_uris(document, &found, error) || !read_auth_method(document, &found, error) ||
            !read_name(document, &found, error) || !check_list(document, "grant_types", "authorization_code", error) ||
            !check_list(document, "response_types", "code", error))
                return false;
        *metadata = found;
        found = (struct oauth_metadata){0};
        return true;
}
