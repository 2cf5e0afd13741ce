/* The endpoints that clients call by themselves. */
#include "oauth/answer.h"
#include "server/services/oauth_client.h"
#include "server/services/oauth_token.h"

static void answer_metadata(const struct oauth_door *door, struct http_request *request,
                            json_t *(*metadata)(const struct oauth_site *site))
{
        auto_oauth_site site = {0};
        auto_error error = {0};

        if (oauth_site_find(door->services, http_request_header(request, "Host"), &site, &error))
                answer_document(request, 200, metadata(&site));
        else
                answer_error(request, &error);
}

void oauth_server_metadata(const struct oauth_door *door, struct http_request *request)
{
        answer_metadata(door, request, oauth_site_server_metadata);
}

void oauth_resource_metadata(const struct oauth_door *door, struct http_request *request)
{
        answer_metadata(door, request, oauth_site_resource_metadata);
}

/* What every endpoint needs: the site, and parameters that could be read. */
static bool begin(struct asked *asked, struct oauth_site *site, struct error *error)
{
        if (!oauth_site_find(asked->door->services, asked->host, site, error))
                return false;
        return !asked->fault.code || error_move(error, &asked->fault);
}

static struct oauth_form form_of(const struct asked *asked)
{
        return (struct oauth_form){asked->parameters, asked->authorization};
}

static bool run_register(struct asked *asked)
{
        auto_oauth_site site = {0};
        auto_error error = {0};
        json_t *result;

        if (begin(asked, &site, &error) && oauth_client_register(asked->door->services, asked->body ? asked->body : "",
                                                                 asked->length, asked->peer, &result, &error))
                answer_document(asked->request, 201, result);
        else
                answer_refuse(asked, &error);
        return true;
}

void oauth_register(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_BODY, run_register);
}

static bool run_token(struct asked *asked)
{
        struct oauth_form form = form_of(asked);
        auto_oauth_site site = {0};
        auto_error error = {0};
        json_t *result;

        if (begin(asked, &site, &error) && oauth_token_issue(asked->door->services, &site, &form, &result, &error)) {
                http_request_add_header(asked->request, "Pragma", "no-cache");
                answer_document(asked->request, 200, result);
        } else {
                answer_refuse(asked, &error);
        }
        return true;
}

void oauth_token(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_FORM, run_token);
}

static bool run_revoke(struct asked *asked)
{
        struct oauth_form form = form_of(asked);
        auto_oauth_site site = {0};
        auto_error error = {0};

        if (begin(asked, &site, &error) && oauth_token_revoke(asked->door->services, &form, &error))
                http_respond(asked->request, 200, NULL, NULL, 0);
        else
                answer_refuse(asked, &error);
        return true;
}

void oauth_revoke(const struct oauth_door *door, struct http_request *request)
{
        asked_later(door, request, ASKED_FORM, run_revoke);
}
