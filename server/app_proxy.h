/* The port through which people reach the application servers of tasks. */
#ifndef SERVER_APP_PROXY_H
#define SERVER_APP_PROXY_H

#include "server/http/tls.h"
#include "server/services/services.h"

struct gateway;

struct app_proxy {
        struct gateway *gateway; /* NULL: the settings want none */
};

/* Starts to listen as the settings say, and gives the services an app_access, which outlives the proxy: calls that are
 * being answered may use it. Whoever owns the services frees it. On failure app_proxy_close is still due. */
MUST_CHECK bool app_proxy_open(struct app_proxy *proxy, struct services *services, const struct http_tls *tls,
                               struct error *error);
void app_proxy_close(struct app_proxy *proxy);

#endif
