#include "server/cors.h"

#include <string.h>

#include "server/base/text.h"

/* Where the browser's own session is made, ended or acts. */
static const char *const closed_paths[] = {
        "/login", "/logout", "/setup", "/mcp/oauth/authorize", "/mcp/oauth/sign-in", "/mcp/oauth/consent"};

#define METHODS "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
#define EXPOSED                                                                                                        \
        "WWW-Authenticate, Retry-After, X-Request-Id, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, "    \
        "Content-Range, Accept-Ranges, ETag, Content-Disposition, Allow"
/* Browsers keep a preflight's answer no longer than two hours. */
#define MAX_AGE "7200"
#define ASKED_MAXIMUM 2000

/* Of headers that a page asks for, these belong to pages of the own origin. */
static const char *const closed_headers[] = {"cookie", "x-csrf-token", "origin", "host"};

static bool is_beneath(const char *path, const char *folder)
{
        size_t length = strlen(folder);

        return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static bool is_closed(const char *path)
{
        for (size_t i = 0; i < COUNT_OF(closed_paths); i++)
                if (is_beneath(path, closed_paths[i]))
                        return true;
        return false;
}

static bool is_closed_header(const char *name, size_t length)
{
        for (size_t i = 0; i < COUNT_OF(closed_headers); i++)
                if (strlen(closed_headers[i]) == length && !strncasecmp(name, closed_headers[i], length))
                        return true;
        return false;
}

/* The characters of a token (RFC 9110, section 5.6.2). */
static size_t token_length(const char *text)
{
        return strspn(text, "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

void cors_append_headers(struct text *out, const char *asked)
{
        static const char between[] = ", \t";

        if (strlen(asked) > ASKED_MAXIMUM)
                return;
        for (const char *at = asked + strspn(asked, between); *at; at += strspn(at, between)) {
                size_t length = strcspn(at, between);
                if (token_length(at) >= length && !is_closed_header(at, length))
                        text_printf(out, "%s%.*s", out->length ? ", " : "", (int)length, at);
                at += length;
        }
}

static void allow_request(struct http_request *request)
{
        const char *asked = http_request_header(request, "Access-Control-Request-Headers");
        auto_text headers = TEXT_WITH_MAXIMUM(2 * ASKED_MAXIMUM);

        http_request_add_header(request, "Access-Control-Allow-Methods", METHODS);
        http_request_add_header(request, "Access-Control-Max-Age", MAX_AGE);
        if (asked)
                cors_append_headers(&headers, asked);
        if (headers.length)
                http_request_add_header(request, "Access-Control-Allow-Headers", text_string(&headers));
}

void cors_decorate(struct http_request *request)
{
        const char *origin = http_request_header(request, "Origin"), *path = http_request_path(request);

        /* Discovery documents may be kept by caches, which must not give one page's answer to another. */
        if (origin || is_beneath(path, "/.well-known"))
                http_request_add_header(request, "Vary", "Origin");
        if (!origin || is_closed(path))
                return;
        http_request_add_header(request, "Access-Control-Allow-Origin", origin);
        if (!strcmp(http_request_method(request), "OPTIONS") &&
            http_request_header(request, "Access-Control-Request-Method"))
                allow_request(request);
        else
                http_request_add_header(request, "Access-Control-Expose-Headers", EXPOSED);
}
