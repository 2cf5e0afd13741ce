#include "server/services/public_url.h"

#include <string.h>

#include "server/base/text.h"

/* What a host and its port are written with; brackets belong to IPv6 literals. */
static const char authority_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";

#define HOST_MAXIMUM 255

/* The length of scheme://host[:port] at the beginning of an http or https URL, 0 when it is none. */
static size_t origin_length(const char *url)
{
        size_t scheme = !strncmp(url, "https://", 8) ? 8 : !strncmp(url, "http://", 7) ? 7 : 0;
        size_t authority = scheme ? strspn(url + scheme, authority_characters) : 0;

        return authority ? scheme + authority : 0;
}

bool public_url_is_origin(const char *text)
{
        size_t length = origin_length(text);

        return length && !text[length];
}

static char *origin_of(const char *url)
{
        return text_format("%.*s", (int)origin_length(url), url);
}

static bool is_host(const char *host)
{
        size_t length = strspn(host, authority_characters);

        return length && !host[length] && length <= HOST_MAXIMUM;
}

/* The address it listens on, under the name it was called by. */
static char *own_origin(const struct services *services, const char *host)
{
        const char *mark = strstr(services->address, "://");

        if (!mark || !host || !is_host(host))
                return text_copy(services->address);
        return text_format("%.*s://%s", (int)(mark - services->address), services->address, host);
}

char *public_url_site_origin(const struct services *services, const char *host)
{
        const char *site = settings_current()->site_url;

        if (site && origin_length(site))
                return origin_of(site);
        return own_origin(services, services->mcp_address ? NULL : host);
}

char *public_url_mcp_origin(const struct services *services, const char *host)
{
        const struct settings *settings = settings_current();

        if (settings->mcp_public_base_url)
                return origin_of(settings->mcp_public_base_url);
        if (services->mcp_address && !settings->site_url)
                return text_copy(services->mcp_address);
        return public_url_site_origin(services, host);
}

char *public_url_mcp(const struct services *services, const char *host)
{
        auto_free char *origin = public_url_mcp_origin(services, host);

        return text_format("%s/mcp", origin);
}
