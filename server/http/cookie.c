#include <inttypes.h>

#include "server/base/text.h"
#include "server/http/internal.h"

const char *http_request_cookie(const struct http_request *request, const char *name)
{
        return MHD_lookup_connection_value(request->connection, MHD_COOKIE_KIND, name);
}

void http_request_set_cookie(struct http_request *request, const char *name, const char *value, int64_t seconds,
                             bool is_secure)
{
        auto_free char *age = seconds < 0 ? text_copy("") : text_format("; Max-Age=%" PRId64, seconds);
        auto_free char *cookie = text_format("%s=%s; Path=/%s; HttpOnly; SameSite=Lax%s", name, value, age,
                                             is_secure || http_request_is_secure(request) ? "; Secure" : "");

        http_request_add_header(request, MHD_HTTP_HEADER_SET_COOKIE, cookie);
}
