#include "server/services/credential.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* The file's path on the heap; whether it was configured. */
static char *path_of(const struct services *services, bool *is_configured)
{
        const char *configured = settings_current()->git_credentials_file;

        *is_configured = configured;
        return configured ? text_copy(configured) : path_join(services->data_folder, "git-credentials");
}

static bool read_file(const struct services *services, struct text *content, struct error *error)
{
        bool is_configured, is_missing;
        auto_free char *path = path_of(services, &is_configured);

        if (path_read(path, FILE_MAXIMUM, content, &is_missing, error))
                return true;
        if (is_missing && !is_configured) {
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

/* The password of a line; the user instead where it is the token and the password is none. */
static void add_secret(struct value_set *values, const struct line *line)
{
        static const struct value_holder everywhere = {HOLDER_SERVER, 0};
        bool is_user = !*line->password || !strcmp(line->password, "x-oauth-basic");

        value_set_add(values, is_user ? line->username : line->password, everywhere);
        value_set_add(values, is_user ? line->raw_username : line->raw_password, everywhere);
}

bool credential_values(const struct services *services, struct value_set *values, struct error *error)
{
        auto_text content = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        auto_error reason = {0};
        char *rest;

        if (!read_file(services, &content, &reason))
                return error_set_details(error, ERROR_UNAVAILABLE,
                                         json_pack("{s:s}", "reason", "secret_values_unavailable"),
                                         "the git credentials cannot be read: %s", reason.message);
        for (char *text = content.data ? strtok_r(content.data, "\n", &rest) : NULL; text;
             text = strtok_r(NULL, "\n", &rest)) {
                struct line line = {0};
                if (!parse_line(text, &line))
                        continue;
                add_secret(values, &line);
                line_clear(&line);
        }
        return true;
}

void credential_stamp_clear(struct credential_stamp *stamp)
{
        free(stamp->path);
        *stamp = (struct credential_stamp){0};
}

void credential_stamp_take(const struct services *services, struct credential_stamp *stamp)
{
        bool is_configured;
        struct stat info;

        *stamp = (struct credential_stamp){.path = path_of(services, &is_configured)};
        if (stat(stamp->path, &info))
                return;
        stamp->device = info.st_dev;
        stamp->inode = info.st_ino;
        stamp->size = info.st_size;
        stamp->changed_at = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec;
}

bool credential_stamp_is_equal(const struct credential_stamp *a, const struct credential_stamp *b)
{
        return a->device == b->device && a->inode == b->inode && a->size == b->size && a->changed_at == b->changed_at &&
               !strcmp(a->path, b->path);
}
