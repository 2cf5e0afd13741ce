#include "server/services/origin.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/text.h"

/* host[:port] taken apart, borrowed. Brackets of an IPv6 literal are left out. */
struct authority {
        const char *host, *port;
        size_t host_length, port_length;
};

static bool read_authority(const char *text, size_t length, struct authority *out)
{
        const char *end = text + length, *colon;

        *out = (struct authority){0};
        if (length && *text == '[') {
                const char *bracket = memchr(text, ']', length);
                if (!bracket)
                        return false;
                out->host = text + 1;
                out->host_length = (size_t)(bracket - text - 1);
                colon = bracket + 1;
                if (colon < end && *colon != ':')
                        return false;
        } else {
                colon = memchr(text, ':', length);
                colon = colon ? colon : end;
                out->host = text;
                out->host_length = (size_t)(colon - text);
        }
        if (colon < end) {
                out->port = colon + 1;
                out->port_length = (size_t)(end - out->port);
                if (strspn(out->port, "0123456789") < out->port_length)
                        return false;
        }
        return out->host_length > 0;
}

/* The authority of scheme://authority[/path]; the scheme's length goes to *scheme. */
static bool read_url(const char *url, size_t length, size_t *scheme, struct authority *out)
{
        const char *mark = memmem(url, length, "://", 3);

        if (!mark)
                return false;
        *scheme = (size_t)(mark - url);
        const char *start = mark + 3;
        const char *slash = memchr(start, '/', length - *scheme - 3);
        const char *end = slash ? slash : url + length;
        return read_authority(start, (size_t)(end - start), out);
}

/* An Origin header is scheme://authority and nothing else (RFC 6454, section 7.1). */
static bool read_origin(const char *origin, size_t *scheme, struct authority *out)
{
        size_t length = strlen(origin);

        return read_url(origin, length, scheme, out) && !strchr(origin + *scheme + 3, '/') &&
               strspn(origin, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") == *scheme;
}

static bool is_same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
        return a_length == b_length && !strncasecmp(a, b, a_length);
}

static bool is_same_host(const struct authority *a, const struct authority *b)
{
        return is_same_text(a->host, a->host_length, b->host, b->host_length);
}

static bool copy_host(const struct authority *authority, char copy[INET6_ADDRSTRLEN])
{
        if (authority->host_length >= INET6_ADDRSTRLEN)
                return false;
        memcpy(copy, authority->host, authority->host_length);
        copy[authority->host_length] = '\0';
        return true;
}

static bool is_literal(const struct authority *authority)
{
        char host[INET6_ADDRSTRLEN];
        unsigned char address[16];

        return copy_host(authority, host) &&
               (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1);
}

static bool is_loopback(const struct authority *authority)
{
        static const unsigned char loopback6[16] = {[15] = 1};
        char host[INET6_ADDRSTRLEN];
        unsigned char address[16];

        if (is_same_text(authority->host, authority->host_length, "localhost", 9))
                return true;
        if (!copy_host(authority, host))
                return false;
        if (inet_pton(AF_INET, host, address) == 1)
                return address[0] == 127;
        return inet_pton(AF_INET6, host, address) == 1 && !memcmp(address, loopback6, sizeof loopback6);
}

static const char *default_port(const char *scheme, size_t length)
{
        return is_same_text(scheme, length, "https", 5) ? "443" : "80";
}

static bool is_same_port(const char *a, size_t a_scheme, const struct authority *a_at, const char *b, size_t b_scheme,
                         const struct authority *b_at)
{
        const char *a_port = a_at->port ? a_at->port : default_port(a, a_scheme);
        const char *b_port = b_at->port ? b_at->port : default_port(b, b_scheme);

        return is_same_text(a_port, a_at->port ? a_at->port_length : strlen(a_port), b_port,
                            b_at->port ? b_at->port_length : strlen(b_port));
}

/* Scheme, host and port; paths aside. */
static bool is_same_origin(const char *a, size_t a_length, const char *b, size_t b_length)
{
        struct authority a_at, b_at;
        size_t a_scheme, b_scheme;

        return read_url(a, a_length, &a_scheme, &a_at) && read_url(b, b_length, &b_scheme, &b_at) &&
               is_same_text(a, a_scheme, b, b_scheme) && is_same_host(&a_at, &b_at) &&
               is_same_port(a, a_scheme, &a_at, b, b_scheme, &b_at);
}

typedef bool test(const char *known, size_t length, const void *context);

/* Whether the test holds for SITE_URL, MCP_PUBLIC_BASE_URL or an entry of ALLOWED_ORIGINS. */
static bool any_known(const struct settings *settings, test *holds, const void *context)
{
        if (settings->site_url && holds(settings->site_url, strlen(settings->site_url), context))
                return true;
        if (settings->mcp_public_base_url &&
            holds(settings->mcp_public_base_url, strlen(settings->mcp_public_base_url), context))
                return true;
        for (const char *at = settings->allowed_origins; at && *at;) {
                at += strspn(at, ", ");
                size_t length = strcspn(at, ", ");
                if (length && holds(at, length, context))
                        return true;
                at += length;
        }
        return false;
}

static bool is_origin(const char *known, size_t length, const void *origin)
{
        return is_same_origin(known, length, origin, strlen(origin));
}

static bool is_host_of(const char *known, size_t length, const void *authority)
{
        struct authority at;
        size_t scheme;

        return read_url(known, length, &scheme, &at) && is_same_host(&at, authority);
}

/* Whether the Host header names the origin's host and port. */
static bool is_named_by(const char *origin, size_t scheme, const struct authority *from, const char *host)
{
        struct authority to;

        return host && read_authority(host, strlen(host), &to) && is_same_host(from, &to) &&
               is_same_port(origin, scheme, from, origin, scheme, &to);
}

bool origin_is_own(const char *origin, const char *host, const struct settings *settings)
{
        struct authority from;
        size_t scheme;

        if (!read_origin(origin, &scheme, &from))
                return false;
        return (settings->site_url && is_origin(settings->site_url, strlen(settings->site_url), origin)) ||
               is_named_by(origin, scheme, &from, host);
}

static bool is_web(const char *scheme, size_t length)
{
        return is_same_text(scheme, length, "http", 4) || is_same_text(scheme, length, "https", 5);
}

static bool is_origin_allowed(const char *origin, const char *host, const struct settings *settings)
{
        struct authority from;
        size_t scheme;

        if (!read_origin(origin, &scheme, &from))
                return false;
        if (any_known(settings, is_origin, origin))
                return true;
        return is_web(origin, scheme) &&
               (is_loopback(&from) || (is_literal(&from) && is_named_by(origin, scheme, &from, host)));
}

static bool is_host_allowed(const char *host, const struct settings *settings)
{
        struct authority at, own;

        if (!read_authority(host, strlen(host), &at))
                return false;
        if (is_loopback(&at) || any_known(settings, is_host_of, &at))
                return true;
        if (!settings->host)
                return false;
        own = (struct authority){.host = settings->host, .host_length = strlen(settings->host)};
        if (is_same_host(&at, &own))
                return true;
        return !is_loopback(&own) && (is_literal(&at) || !settings->site_url);
}

bool origin_check(const char *origin, const char *host, const struct settings *settings, struct error *error)
{
        if (host && !is_host_allowed(host, settings))
                return error_set(error, ERROR_FOREIGN_ORIGIN,
                                 "The server does not answer to the name %.100s; set SITE_URL if it should.", host);
        if (origin && !is_origin_allowed(origin, host, settings))
                return error_set(error, ERROR_FOREIGN_ORIGIN,
                                 "Pages of %.100s may not call this server; ALLOWED_ORIGINS lists those that may.",
                                 origin);
        return true;
}
