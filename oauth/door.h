/* The OAuth door: the endpoints of the authorization server, and the pages on which a person signs in and consents.
 *
 * Each function answers one row of the table of HTTP routes, at once or later. The rules are in
 * server/services/oauth_*; here they get their HTTP form: JSON with OAuth's error members for clients, pages for
 * people, redirects between them. No page needs JavaScript, and none may be framed. */
#ifndef OAUTH_DOOR_H
#define OAUTH_DOOR_H

#include "server/base/pool.h"
#include "server/http/request.h"
#include "server/services/services.h"

#define OAUTH_FORM_MAXIMUM 65536

/* Outlives the HTTP server and the pool's work. */
struct oauth_door {
        struct services *services;
        struct pool *pool;
};

/* GET and HEAD: the metadata documents (RFC 8414, RFC 9728). */
void oauth_server_metadata(const struct oauth_door *door, struct http_request *request);
void oauth_resource_metadata(const struct oauth_door *door, struct http_request *request);
/* POST, for clients: registration (RFC 7591), tokens (RFC 6749), revocation (RFC 7009). */
void oauth_register(const struct oauth_door *door, struct http_request *request);
void oauth_token(const struct oauth_door *door, struct http_request *request);
void oauth_revoke(const struct oauth_door *door, struct http_request *request);
/* GET, for people: the beginning of a sign-in; POST: the two forms on its pages. */
void oauth_authorize(const struct oauth_door *door, struct http_request *request);
void oauth_sign_in(const struct oauth_door *door, struct http_request *request);
void oauth_consent(const struct oauth_door *door, struct http_request *request);
/* GET: the pages' stylesheet. */
void oauth_style(struct http_request *request);

#endif
