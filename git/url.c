#include "git/url.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "server/base/text.h"

#define URL_MAXIMUM 2048

struct scheme {
        const char *name;
        const char *normal;
        const char *port;     /* the scheme's own port, which the normal form leaves out */
        bool is_port_dropped; /* whether any port goes, since the normal form's scheme cannot use it */
        bool may_name_user;   /* whether a user name, which is no credential there, may stand before the host */
};

static const struct scheme schemes[] = {
        {"https://", "https://", "443", false, false},
        {"http://", "http://", "80", false, false},
        {"ssh://", "https://", NULL, true, true},
        {"git+ssh://", "https://", NULL, true, true},
};

static bool refuse(struct error *error, const char *why)
{
        return error_set(error, ERROR_GIT_URL_REFUSED,
                         "The address of the git repository %s; use https://HOST/PATH without credentials", why);
}

static bool are_printable(const char *url)
{
        for (const char *at = url; *at; at++)
                if (*at <= ' ' || *at > '~' || strchr("\"<>\\^`{|}", *at))
                        return false;
        return true;
}

static bool is_user(const char *user, size_t length)
{
        for (size_t i = 0; i < length; i++)
                if (!isalnum((unsigned char)user[i]) && !strchr("._-", user[i]))
                        return false;
        return length > 0;
}

static bool is_port(const char *port, size_t length)
{
        long value = 0;

        for (size_t i = 0; i < length; i++) {
                if (!isdigit((unsigned char)port[i]) || i == 5)
                        return false;
                value = value * 10 + (port[i] - '0');
        }
        return length > 0 && value >= 1 && value <= 65535;
}

/* Length of the host name or the bracketed IPv6 address at the start, 0 when there is none. */
static size_t host_length(const char *authority, size_t length)
{
        size_t at = 0;

        if (length && authority[0] == '[') {
                for (at = 1; at < length && (isxdigit((unsigned char)authority[at]) || strchr(":.", authority[at]));)
                        at++;
                return at > 2 && at < length && authority[at] == ']' ? at + 1 : 0;
        }
        while (at < length && (isalnum((unsigned char)authority[at]) || strchr(".-_", authority[at])))
                at++;
        return at && authority[0] != '.' && authority[0] != '-' ? at : 0;
}

/* Whether no segment is "." or "..", which the HTTP library would resolve to another address. */
static bool is_path_plain(const char *path, size_t length)
{
        for (size_t start = 0, end; start < length; start = end + 1) {
                for (end = start; end < length && path[end] != '/';)
                        end++;
                size_t dots = end - start;
                if ((dots == 1 || dots == 2) && strspn(path + start, ".") >= dots)
                        return false;
        }
        return true;
}

static bool append_authority(struct text *out, const struct scheme *scheme, const char *authority, size_t length,
                             struct error *error)
{
        const char *at = memrchr(authority, '@', length);

        if (at) {
                size_t user = (size_t)(at - authority);
                if (!scheme->may_name_user || !is_user(authority, user))
                        return refuse(error, "holds credentials, which belong in the settings");
                length -= user + 1;
                authority = at + 1;
        }
        size_t host = host_length(authority, length);
        if (!host)
                return refuse(error, "names no valid host");
        for (size_t i = 0; i < host; i++)
                text_printf(out, "%c", tolower((unsigned char)authority[i]));
        if (host == length)
                return true;
        const char *port = authority + host + 1;
        size_t digits = length - host - 1;
        if (authority[host] != ':' || !is_port(port, digits))
                return refuse(error, "has something other than a port behind its host");
        bool is_default = scheme->port && strlen(scheme->port) == digits && !strncmp(port, scheme->port, digits);
        if (!scheme->is_port_dropped && !is_default)
                text_printf(out, ":%.*s", (int)digits, port);
        return true;
}

static char *build(const struct scheme *scheme, const char *authority, size_t length, const char *path,
                   struct error *error)
{
        auto_text out = TEXT_WITH_MAXIMUM(2 * URL_MAXIMUM);
        size_t end = strlen(path);

        text_append_string(&out, scheme->normal);
        if (!append_authority(&out, scheme, authority, length, error))
                return NULL;
        if (strpbrk(path, "?#")) {
                refuse(error, "has a query or a fragment");
                return NULL;
        }
        while (end && path[end - 1] == '/')
                end--;
        while (*path == '/' && end) {
                path++;
                end--;
        }
        if (!end || !is_path_plain(path, end)) {
                refuse(error, "has no path, or one with . or .. in it");
                return NULL;
        }
        text_printf(&out, "/%.*s", (int)end, path);
        return text_take(&out);
}

/* user@host:path, the short form that git takes for SSH. */
static bool is_short_form(const char *url)
{
        const char *colon = strchr(url, ':'), *at = strchr(url, '@'), *slash = strchr(url, '/');

        return colon && at && at < colon && (!slash || colon < slash) && colon[1] != ':' &&
               is_user(url, (size_t)(at - url));
}

char *repository_url_normalise(const char *url, struct error *error)
{
        size_t length = strlen(url);

        if (!length || length > URL_MAXIMUM || !are_printable(url)) {
                refuse(error, "is empty, too long or has characters that need percent-encoding");
                return NULL;
        }
        for (size_t i = 0; i < COUNT_OF(schemes); i++) {
                size_t prefix = strlen(schemes[i].name);
                if (!strncasecmp(url, schemes[i].name, prefix)) {
                        const char *authority = url + prefix, *path = strchrnul(authority, '/');
                        size_t before_query = strcspn(authority, "/?#");
                        return build(&schemes[i], authority, before_query, *path ? authority + before_query : "",
                                     error);
                }
        }
        if (is_short_form(url)) {
                const char *colon = strchr(url, ':');
                return build(&schemes[2], url, (size_t)(colon - url), colon + 1, error);
        }
        refuse(error, "is of a kind that is not supported");
        return NULL;
}

bool repository_url_check(const char *url, struct error *error)
{
        auto_free char *normal = repository_url_normalise(url, error);

        return normal != NULL;
}
