#include "server/base/url.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOST_MAXIMUM 253
#define PORT_DIGITS 5

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
static const char scheme_characters[] = LETTERS DIGITS "+-.";
static const char name_characters[] = LETTERS DIGITS "-._";
/* pchar, '/' and '?' (sections 3.3 and 3.4), escapes aside. */
static const char path_characters[] = LETTERS DIGITS "-._~!$&'()*+,;=:@/";
static const char query_characters[] = LETTERS DIGITS "-._~!$&'()*+,;=:@/?";
static const char user_characters[] = LETTERS DIGITS "-._~!$&'()*+,;=:";

bool url_part_is(const struct url_part *part, const char *text)
{
        return part->at && part->length == strlen(text) && !strncasecmp(part->at, text, part->length);
}

bool url_part_is_same(const struct url_part *a, const struct url_part *b)
{
        if (!a->at || !b->at)
                return !a->at && !b->at;
        return a->length == b->length && !memcmp(a->at, b->at, a->length);
}

static bool consists_of(const struct url_part *part, const char *characters)
{
        for (size_t i = 0; i < part->length; i++) {
                const char *at = part->at + i;
                if (*at == '%') {
                        if (part->length - i < 3 || !isxdigit((unsigned char)at[1]) || !isxdigit((unsigned char)at[2]))
                                return false;
                        i += 2;
                } else if (!strchr(characters, *at)) {
                        return false;
                }
        }
        return true;
}

static bool is_address(int family, const struct url_part *host)
{
        char text[INET6_ADDRSTRLEN];
        unsigned char address[16];

        if (host->length >= sizeof text)
                return false;
        memcpy(text, host->at, host->length);
        text[host->length] = '\0';
        return inet_pton(family, text, address) == 1;
}

/* A name whose last label is a number is an address to others ("127.1", "0x7f000001"): only the usual form is one. */
static bool is_name(const struct url_part *host)
{
        const char *last = host->at, *end = host->at + host->length;

        if (!host->length || host->length > HOST_MAXIMUM || *host->at == '.')
                return false;
        for (const char *at = host->at; at < end; at++) {
                if (!strchr(name_characters, *at) || (*at == '.' && at + 1 < end && at[1] == '.'))
                        return false;
                if (*at == '.' && at + 1 < end)
                        last = at + 1;
        }
        return !isdigit((unsigned char)*last) || is_address(AF_INET, host);
}

static bool is_port(const struct url_part *port)
{
        long number = 0;

        if (!port->length || port->length > PORT_DIGITS)
                return false;
        for (size_t i = 0; i < port->length; i++) {
                if (!isdigit((unsigned char)port->at[i]))
                        return false;
                number = number * 10 + port->at[i] - '0';
        }
        return number >= 1 && number <= 65535 && port->at[0] != '0';
}

/* [user@]host[:port] */
static bool read_authority(const char *at, size_t length, struct url *url)
{
        const char *end = at + length, *mark = memchr(at, '@', length);

        if (mark) {
                url->user = (struct url_part){at, (size_t)(mark - at)};
                at = mark + 1;
        }
        const char *close = at < end && *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
        url->is_ipv6 = close != NULL;
        const char *after = close ? close + 1 : memchr(at, ':', (size_t)(end - at));
        after = after ? after : end;
        url->host = close ? (struct url_part){at + 1, (size_t)(close - at - 1)}
                          : (struct url_part){at, (size_t)(after - at)};
        if (after < end) {
                if (*after != ':')
                        return false;
                url->port = (struct url_part){after + 1, (size_t)(end - after - 1)};
        }
        return (!mark || consists_of(&url->user, user_characters)) &&
               (url->is_ipv6 ? is_address(AF_INET6, &url->host) : is_name(&url->host)) &&
               (!url->port.at || is_port(&url->port));
}

/* The part behind `mark`, when the text has it; cuts the text there. */
static struct url_part cut(const char *at, const char **end, char mark)
{
        const char *found = memchr(at, mark, (size_t)(*end - at));
        struct url_part part = {0};

        if (found) {
                part = (struct url_part){found + 1, (size_t)(*end - found - 1)};
                *end = found;
        }
        return part;
}

bool url_parse(const char *text, struct url *url)
{
        size_t scheme = strspn(text, scheme_characters);
        const char *at = text + scheme + 1, *end = text + strlen(text);

        *url = (struct url){.scheme = {text, scheme}};
        if (!isalpha((unsigned char)*text) || text[scheme] != ':')
                return false;
        url->fragment = cut(at, &end, '#');
        url->query = cut(at, &end, '?');
        if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
                const char *slash = memchr(at + 2, '/', (size_t)(end - at - 2));
                slash = slash ? slash : end;
                if (!read_authority(at + 2, (size_t)(slash - at - 2), url))
                        return false;
                at = slash;
        }
        url->path = (struct url_part){at, (size_t)(end - at)};
        return consists_of(&url->path, path_characters) && consists_of(&url->query, query_characters) &&
               consists_of(&url->fragment, query_characters);
}

bool url_is_loopback(const struct url *url)
{
        return url->is_ipv6 ? url_part_is(&url->host, "::1")
                            : url_part_is(&url->host, "localhost") || url_part_is(&url->host, "127.0.0.1");
}
