#include "server/rest/cookie.h"

#include <string.h>

#include "server/rest/bearer.h"
#include "server/services/session.h"
#include "server/services/setting.h"

bool rest_cookie_is_secure(void)
{
        const char *site = settings_current()->site_url;

        return site && !strncasecmp(site, "https:", 6);
}

void rest_session_cookie(struct http_request *request, const char *token)
{
        http_request_set_cookie(request, REST_SESSION_COOKIE, token ? token : "", token ? session_life_ms() / 1000 : 0,
                                rest_cookie_is_secure());
}
