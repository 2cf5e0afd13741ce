/* The routes of sign-in at an OpenID provider. */
#ifndef REST_OIDC_H
#define REST_OIDC_H

#include "server/rest/run.h"

/* GET /login/oidc?return=PATH&fresh=true: sends the browser to the provider. Answers later. */
void rest_oidc_begin(const struct rest_door *door, struct http_request *request);
/* GET /login/oidc/callback: begins the session and sends the browser on. Answers later. */
void rest_oidc_callback(const struct rest_door *door, struct http_request *request);

#endif
