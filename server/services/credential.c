#include "server/services/credential.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"

#define FILE_MAXIMUM (256 * 1024)

struct line {
        char *prefix; /* scheme://host[:port] */
        char *username, *password;
        char *raw_username, *raw_password; /* as in the file, percent-encoded */
};

void git_login_clear(struct git_login *login)
{
        free(login->username);
        free(login->password);
        *login = (struct git_login){0};
}

void secret_values_clear(struct secret_values *values)
{
        for (size_t i = 0; i < values->count; i++)
                free(values->items[i]);
        free(values->items);
        *values = (struct secret_values){0};
}

/* Undoes percent-encoding (RFC 3986, section 2.1) in place. */
static void decode(char *text)
{
        char *out = text;

        for (; *text; text++) {
                char hex[3] = {text[0] == '%' ? text[1] : '\0', 0, 0}, *end;
                if (hex[0] && (hex[1] = text[2])) {
                        long value = strtol(hex, &end, 16);
                        if (!*end && value > 0) {
                                *out++ = (char)value;
                                text += 2;
                                continue;
                        }
                }
                *out++ = *text;
        }
        *out = '\0';
}

/* Takes one line apart; false for what is no credential. The parts are on the heap. */
static bool parse_line(const char *text, struct line *line)
{
        const char *scheme_end = strstr(text, "://");
        const char *at = scheme_end ? strrchr(text, '@') : NULL;
        const char *colon = at ? strchr(scheme_end + 3, ':') : NULL;

        if (!colon || colon > at)
                return false;
        line->prefix =
                text_format("%.*s%.*s", (int)(scheme_end + 3 - text), text, (int)strcspn(at + 1, "/ \r\n"), at + 1);
        line->raw_username = text_format("%.*s", (int)(colon - scheme_end - 3), scheme_end + 3);
        line->raw_password = text_format("%.*s", (int)(at - colon - 1), colon + 1);
        line->username = text_copy(line->raw_username);
        line->password = text_copy(line->raw_password);
        decode(line->username);
        decode(line->password);
        return true;
}

static void line_clear(struct line *line)
{
        free(line->prefix);
        free(line->username);
        free(line->password);
        free(line->raw_username);
        free(line->raw_password);
        *line = (struct line){0};
}

static bool read_file(const struct services *services, struct text *content, struct error *error)
{
        const char *configured = settings_current()->git_credentials_file;
        auto_free char *usual = path_join(services->data_folder, "git-credentials");
        bool is_missing;

        if (path_read(configured ? configured : usual, FILE_MAXIMUM, content, &is_missing, error))
                return true;
        if (is_missing && !configured) {
                error_clear(error);
                return true;
        }
        return false;
}

bool credential_find(const struct services *services, const char *url, struct git_login *login, struct error *error)
{
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        char *rest;

        if (!read_file(services, &content, error))
                return error_prefix(error, "the git credentials cannot be read");
        for (char *text = content.data ? strtok_r(content.data, "\n", &rest) : NULL; text;
             text = strtok_r(NULL, "\n", &rest)) {
                struct line line = {0};
                if (!parse_line(text, &line))
                        continue;
                size_t length = strlen(line.prefix);
                if (!login->password && !strncmp(url, line.prefix, length) && (url[length] == '/' || !url[length])) {
                        login->username = take(line.username);
                        login->password = take(line.password);
                }
                line_clear(&line);
        }
        return true;
}

static int longest_first(const void *a, const void *b)
{
        size_t left = strlen(*(char *const *)a), right = strlen(*(char *const *)b);

        return (left < right) - (left > right);
}

static void add_value(struct secret_values *values, const char *value)
{
        size_t length = strlen(value);

        if (length < SECRET_VALUE_MINIMUM || length > SECRET_VALUE_MAXIMUM)
                return;
        for (size_t i = 0; i < values->count; i++)
                if (!strcmp(values->items[i], value))
                        return;
        values->items = memory_resize(values->items, (values->count + 1) * sizeof *values->items);
        values->items[values->count++] = text_copy(value);
}

/* A value, and as it stands in JSON, which our own records are. */
static void add_forms(struct secret_values *values, const char *value)
{
        auto_text quoted = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        add_value(values, value);
        if (!utf8_is_valid(value, strlen(value)))
                return;
        document_append_quoted(&quoted, value, strlen(value));
        auto_free char *inner = text_format("%.*s", (int)quoted.length - 2, quoted.data + 1);
        add_value(values, inner);
}

/* The password of a line; the user instead where it is the token and the password is none. */
static void add_secret(struct secret_values *values, const struct line *line)
{
        bool is_user = !*line->password || !strcmp(line->password, "x-oauth-basic");

        add_forms(values, is_user ? line->username : line->password);
        add_value(values, is_user ? line->raw_username : line->raw_password);
}

bool credential_values(const struct services *services, struct secret_values *values, struct error *error)
{
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        auto_error reason = {0};
        char *rest;

        if (!read_file(services, &content, &reason))
                return error_set_details(error, ERROR_UNAVAILABLE,
                                         json_pack("{s:s}", "reason", "secret_values_unavailable"),
                                         "The managed values cannot be read, so nothing can be shown.");
        for (char *text = content.data ? strtok_r(content.data, "\n", &rest) : NULL; text;
             text = strtok_r(NULL, "\n", &rest)) {
                struct line line = {0};
                if (!parse_line(text, &line))
                        continue;
                add_secret(values, &line);
                line_clear(&line);
        }
        if (values->count)
                qsort(values->items, values->count, sizeof *values->items, longest_first);
        return true;
}
