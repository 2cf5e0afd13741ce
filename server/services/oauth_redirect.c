#include "server/services/oauth_redirect.h"

#include <string.h>
#include <strings.h>

#include "server/base/text.h"
#include "server/base/url.h"

/* What divides the entries of a list of hosts. */
#define DIVIDERS ", \t\r\n"
#define HOST_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."

/* Schemes that browsers act on themselves, or that lead elsewhere than to an installed program. */
static const char *const refused_schemes[] = {"about", "blob",     "data",        "file",   "filesystem", "ftp",
                                              "ftps",  "intent",   "javascript",  "mailto", "resource",   "sms",
                                              "tel",   "vbscript", "view-source", "ws",     "wss"};

static bool is_refused_scheme(const struct url_part *scheme)
{
        for (size_t i = 0; i < COUNT_OF(refused_schemes); i++)
                if (url_part_is(scheme, refused_schemes[i]))
                        return true;
        return false;
}

static const char *fault_of(const char *uri)
{
        struct url url;

        if (strlen(uri) > OAUTH_REDIRECT_MAXIMUM)
                return "is too long";
        if (!url_parse(uri, &url))
                return "is no absolute URL";
        if (url.fragment.at)
                return "must have no fragment";
        if (url.user.at)
                return "must have no user";
        bool is_https = url_part_is(&url.scheme, "https"), is_http = url_part_is(&url.scheme, "http");
        if ((is_https || is_http) && !url.host.at)
                return "has no host";
        if (is_http && !url_is_loopback(&url))
                return "must be https, except on localhost, 127.0.0.1 and [::1]";
        return is_refused_scheme(&url.scheme) ? "has a scheme that cannot be redirected to" : NULL;
}

bool oauth_redirect_check(const char *uri, struct error *error)
{
        const char *fault = fault_of(uri);

        return !fault || error_set(error, ERROR_OAUTH_REDIRECT_URI, "the redirect URI %.200s %s", uri, fault);
}

static bool is_web(const struct url *url)
{
        return url_part_is(&url->scheme, "https") || url_part_is(&url->scheme, "http");
}

bool oauth_redirect_matches(const char *registered, const char *requested)
{
        struct url a, b;

        if (!strcmp(registered, requested))
                return true;
        return url_parse(registered, &a) && url_parse(requested, &b) && is_web(&a) && url_is_loopback(&a) &&
               url_part_is_same(&a.scheme, &b.scheme) && url_part_is_same(&a.user, &b.user) && a.is_ipv6 == b.is_ipv6 &&
               url_part_is_same(&a.host, &b.host) && url_part_is_same(&a.path, &b.path) &&
               url_part_is_same(&a.query, &b.query) && url_part_is_same(&a.fragment, &b.fragment);
}

bool oauth_redirect_is_registered(const char *list, const char *requested)
{
        for (const char *at = list; *at; at += *at == '\n') {
                size_t length = strcspn(at, "\n");
                auto_free char *registered = text_format("%.*s", (int)length, at);
                if (oauth_redirect_matches(registered, requested))
                        return true;
                at += length;
        }
        return false;
}

char *oauth_redirect_shown(const char *uri)
{
        struct url url;

        if (!url_parse(uri, &url))
                return text_copy("");
        if (!is_web(&url))
                return text_format("%.*s:", (int)url.scheme.length, url.scheme.at);
        return text_format(url.is_ipv6 ? "[%.*s]%s%.*s" : "%.*s%s%.*s", (int)url.host.length, url.host.at,
                           url.port.at ? ":" : "", (int)url.port.length, url.port.at ? url.port.at : "");
}

/* The policy's grammar has no place for an IPv6 host: its scheme has to do. */
char *oauth_redirect_source(const char *uri)
{
        struct url url;

        if (!url_parse(uri, &url))
                return text_copy("'none'");
        if (!is_web(&url) || url.is_ipv6)
                return text_format("%.*s:", (int)url.scheme.length, url.scheme.at);
        auto_free char *host = oauth_redirect_shown(uri);
        return text_format("%.*s://%s", (int)url.scheme.length, url.scheme.at, host);
}

static bool entry_allows(const char *entry, size_t length, const struct url_part *host)
{
        bool is_wildcard = length > 2 && entry[0] == '*' && entry[1] == '.';

        if (!is_wildcard)
                return host->length == length && !strncasecmp(entry, host->at, length);
        entry++, length--; /* with its dot: a name must go before it */
        return host->length > length && !strncasecmp(entry, host->at + host->length - length, length);
}

bool oauth_hosts_allow(const char *hosts, const char *url)
{
        struct url parts;

        if (!hosts)
                return true;
        if (!url_parse(url, &parts) || !is_web(&parts))
                return false;
        if (url_is_loopback(&parts))
                return true;
        for (const char *at = hosts + strspn(hosts, DIVIDERS); *at; at += strspn(at, DIVIDERS)) {
                size_t length = strcspn(at, DIVIDERS);
                if (!parts.is_ipv6 && entry_allows(at, length, &parts.host))
                        return true;
                at += length;
        }
        return false;
}

bool oauth_hosts_are_valid(const char *hosts)
{
        size_t count = 0;

        for (const char *at = hosts + strspn(hosts, DIVIDERS); *at; at += strspn(at, DIVIDERS)) {
                size_t length = strcspn(at, DIVIDERS);
                const char *name = length > 2 && at[0] == '*' && at[1] == '.' ? at + 2 : at;
                size_t left = length - (size_t)(name - at);
                if (strspn(name, HOST_CHARACTERS) < left || *name == '.')
                        return false;
                count++;
                at += length;
        }
        return count > 0;
}
