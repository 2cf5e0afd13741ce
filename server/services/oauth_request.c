#include "server/services/oauth_request.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/url.h"
#include "server/services/oauth_redirect.h"

#define CHALLENGE_LENGTH 43
#define BASE64URL "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define INVALID(...) error_set(error, ERROR_OAUTH_REQUEST, __VA_ARGS__)

void oauth_request_clear(struct oauth_request *request)
{
        oauth_client_clear(&request->client);
        free(request->redirect_uri);
        free(request->state);
        free(request->challenge);
        *request = (struct oauth_request){0};
}

const char *oauth_error_code(const struct error *error)
{
        switch (error->code) {
        case ERROR_INVALID_INPUT:
                return error_kind(ERROR_OAUTH_REQUEST)->code;
        case ERROR_UNAVAILABLE:
        case ERROR_STORE_FULL:
        case ERROR_STORE_FAILED:
                return "temporarily_unavailable";
        default:
                return error_kind(error->code)->status == 500 ? "server_error" : error_kind(error->code)->code;
        }
}

char *oauth_description(const struct error *error)
{
        char *text = text_copy(error->message);

        for (char *at = text; *at; at++)
                if (*at == '"' || *at == '\\')
                        *at = '\'';
                else if (*at < ' ' || *at > '~')
                        *at = '?';
        return text;
}

bool oauth_scope_check(const char *scope, struct error *error)
{
        for (const char *at = scope ? scope : ""; *at; at++)
                if (*at < ' ' || *at > '~' || *at == '"' || *at == '\\')
                        return error_set(error, ERROR_OAUTH_SCOPE, "scope has characters that no scope has");
        return true;
}

bool oauth_resource_check(const struct oauth_site *site, const char *resource, struct error *error)
{
        if (!resource || !strcmp(resource, site->resource))
                return true;
        return error_set(error, ERROR_OAUTH_TARGET, "the resource %.200s is not the one here: %s", resource,
                         site->resource);
}

static bool check_lengths(const json_t *parameters, struct error *error)
{
        const char *name;
        json_t *value;

        json_object_foreach((json_t *)parameters, name,
                            value) if (json_string_length(value) >
                                       OAUTH_PARAMETER_MAXIMUM) return INVALID("%.100s is too long", name);
        return true;
}

/* The URI that the request names, or the only one that the client has. */
static bool find_redirect_uri(const json_t *parameters, struct oauth_request *request, struct error *error)
{
        const char *uri = document_get_string(parameters, "redirect_uri"), *known = request->client.redirect_uris;

        if (!uri && strchr(known, '\n'))
                return INVALID("redirect_uri is missing, and the client has registered several");
        if (!uri)
                uri = known;
        if (!oauth_redirect_check(uri, error)) {
                error->code = ERROR_OAUTH_REQUEST;
                return false;
        }
        if (!oauth_redirect_is_registered(known, uri))
                return INVALID("the redirect URI %.200s is not one that the client registered", uri);
        if (!oauth_hosts_allow(settings_current()->mcp_oauth_redirect_hosts, uri))
                return INVALID("this server does not allow the redirect URI %.200s: its host is not on the list of "
                               "MCP_OAUTH_REDIRECT_HOSTS",
                               uri);
        request->redirect_uri = text_copy(uri);
        return true;
}

static bool check_challenge(const json_t *parameters, struct oauth_request *request, struct error *error)
{
        const char *challenge = document_get_string(parameters, "code_challenge");
        const char *method = document_get_string(parameters, "code_challenge_method");

        if (!challenge)
                return INVALID("code_challenge is missing: PKCE is required");
        if (!method || strcmp(method, "S256"))
                return INVALID("code_challenge_method must be S256");
        if (strspn(challenge, BASE64URL) != CHALLENGE_LENGTH || challenge[CHALLENGE_LENGTH])
                return INVALID("code_challenge is not the base64url of a SHA-256 hash");
        request->challenge = text_copy(challenge);
        return true;
}

/* What the client is told about at its redirect URI. */
static bool check_rest(const json_t *parameters, const struct oauth_site *site, struct oauth_request *request,
                       struct error *error)
{
        const char *type = document_get_string(parameters, "response_type");

        if (!type)
                return INVALID("response_type is missing");
        if (strcmp(type, "code"))
                return error_set(error, ERROR_OAUTH_RESPONSE_TYPE, NULL);
        return check_challenge(parameters, request, error) &&
               oauth_scope_check(document_get_string(parameters, "scope"), error) &&
               oauth_resource_check(site, document_get_string(parameters, "resource"), error);
}

/* Which documents may be fetched at all. A list of hosts holds for them too, unless the person is sent back to a
 * program on their own computer, which is always allowed. */
static bool check_document(const char *client, const json_t *parameters, struct error *error)
{
        const struct settings *settings = settings_current();
        const char *uri = document_get_string(parameters, "redirect_uri");
        struct url url;

        if (!oauth_client_id_is_url(client))
                return true;
        if (!settings->mcp_oauth_client_documents)
                return error_set(error, ERROR_OAUTH_CLIENT,
                                 "This server takes no client that publishes its metadata at a URL; register it.");
        if ((uri && url_parse(uri, &url) && url_is_loopback(&url)) ||
            oauth_hosts_allow(settings->mcp_oauth_redirect_hosts, client))
                return true;
        return error_set(error, ERROR_OAUTH_CLIENT,
                         "this server does not allow the client's host: it is not on the list of "
                         "MCP_OAUTH_REDIRECT_HOSTS");
}

bool oauth_request_read(struct store_db *db, const struct oauth_site *site, const json_t *parameters, bool may_fetch,
                        struct oauth_request *request, struct error *error)
{
        const char *client = document_get_string(parameters, "client_id");

        request->state = text_copy(document_get_string(parameters, "state"));
        if (!client)
                return INVALID("client_id is missing");
        if (!check_lengths(parameters, error) || !check_document(client, parameters, error) ||
            !(may_fetch ? oauth_client_find(db, client, &request->client, error)
                        : oauth_client_known(db, client, &request->client, error)))
                return false;
        if (request->client.document_host && !may_fetch)
                return true;
        return find_redirect_uri(parameters, request, error) && check_rest(parameters, site, request, error);
}

char *oauth_request_answer(const struct oauth_request *request, const struct oauth_site *site, const char *code,
                           const struct error *error)
{
        auto_text url = TEXT_WITH_MAXIMUM(OAUTH_REDIRECT_MAXIMUM + 4 * OAUTH_PARAMETER_MAXIMUM);

        text_append_string(&url, request->redirect_uri);
        if (!strchr(request->redirect_uri, '?'))
                text_append_string(&url, "?");
        if (code) {
                form_append(&url, "code", code);
        } else {
                auto_free char *description = oauth_description(error);
                form_append(&url, "error", oauth_error_code(error));
                form_append(&url, "error_description", description);
        }
        if (request->state)
                form_append(&url, "state", request->state);
        form_append(&url, "iss", site->issuer);
        return text_take(&url);
}
