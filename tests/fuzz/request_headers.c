/* What clients say of themselves in headers, and addresses in settings: origins and hosts, the headers of a preflight,
 * forwarded addresses, public addresses. The first byte chooses the settings, a line each is one header. */
#include <stdlib.h>
#include <string.h>

#include "server/base/text.h"
#include "server/cors.h"
#include "server/http/address.h"
#include "server/services/origin.h"
#include "server/services/public_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct settings kinds[] = {
        {.host = "127.0.0.1"},
        {.host = "0.0.0.0", .site_url = "https://tasks.example", .mcp_public_base_url = "https://mcp.example:8443"},
        {.host = "::", .allowed_origins = "https://a.example, http://b.example:81/,,https://[2001:db8::1]"},
};

/* The next line, cut off; NULL behind the last. */
static const char *next_line(char **rest)
{
        return strsep(rest, "\n");
}

/* A foreign site's origin is never allowed, whatever else is said. */
static void check_origin(const char *origin, const char *host, const struct settings *settings)
{
        auto_error error = {0}, foreign = {0};
        bool is_allowed = origin_check(origin, host, settings, &error);

        if (origin && is_allowed && strcasestr(origin, "evil.example"))
                abort();
        if (!is_allowed && error.code != ERROR_FOREIGN_ORIGIN)
                abort();
        if (origin && origin_is_own(origin, host, settings) && (!*origin || !strstr(origin, "://")))
                abort();
        if (origin_check("https://evil.example", host, settings, &foreign))
                abort();
}

/* What is let through are names of headers and what separates them. */
static void check_headers(const char *asked)
{
        auto_text out = TEXT_WITH_MAXIMUM(10000);

        cors_append_headers(&out, asked);
        if (out.is_cut || strpbrk(text_string(&out), "\r\n\"()<>@;:\\/[]?={}"))
                abort();
}

static void check_addresses(const char *proxies, const char *told)
{
        auto_free struct address_list *list = NULL, *everything = NULL;
        auto_error error = {0};
        struct address peer = {{[15] = 1}}, before = peer;
        char printed[HTTP_PEER_SIZE];

        if (!address_list_read("0.0.0.0/0, ::/0", &everything, &error))
                abort();
        if (address_list_read(proxies, &list, &error)) {
                bool is_trusted = address_list_has(list, &peer);
                address_forwarded(list, told, &peer);
                if (!is_trusted && memcmp(&peer, &before, sizeof peer))
                        abort();
        }
        address_forwarded(everything, told, &peer);
        address_print(&peer, printed);
        if (!*printed || !address_parse(printed, strlen(printed), &before) || memcmp(&before, &peer, sizeof peer))
                abort();
}

static void check_public_url(const char *text)
{
        if (public_url_is_origin(text) && strpbrk(text + strlen("https://"), "/?#@ \"<>\\"))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (!size)
                return 0;
        const struct settings *settings = &kinds[data[0] % COUNT_OF(kinds)];
        auto_free char *text = memory_new(size);
        memcpy(text, data + 1, size - 1);
        char *rest = text;
        const char *origin = next_line(&rest), *host = next_line(&rest), *asked = next_line(&rest),
                   *proxies = next_line(&rest), *told = next_line(&rest);
        check_origin(origin, host, settings);
        check_headers(asked ? asked : "");
        check_addresses(proxies, told ? told : "");
        check_public_url(origin);
        return 0;
}
