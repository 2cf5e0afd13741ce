#include "server/services/oauth_client.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/url.h"
#include "server/services/oauth_document.h"
#include "server/services/oauth_limit.h"
#include "server/services/oauth_redirect.h"
#include "server/services/oauth_secret.h"
#include "server/services/oauth_site.h"
#include "server/store/oauth.h"

#define UNUSED_MAXIMUM 5000

void oauth_client_clear(struct oauth_client *client)
{
        free(client->id);
        free(client->name);
        free(client->redirect_uris);
        free(client->document_host);
        *client = (struct oauth_client){0};
}

bool oauth_client_id_is_url(const char *id)
{
        return !strncmp(id, "https://", 8);
}

static bool refuse_unknown(struct error *error)
{
        return error_set(error, ERROR_OAUTH_CLIENT,
                         "There is no client with this id; it may have been forgotten. Register again.");
}

static bool find_registered(struct store_db *db, const char *id, struct oauth_client *client, struct error *error)
{
        auto_store_oauth_client found = {0};
        bool is_found;

        if (!store_oauth_client_find(db, id, &found, &is_found, error))
                return false;
        if (!is_found || (!found.used_at && found.created_at + OAUTH_UNUSED_MS <= clock_now()))
                return refuse_unknown(error);
        *client = (struct oauth_client){.id = take(found.id),
                                        .name = take(found.name),
                                        .redirect_uris = take(found.redirect_uris),
                                        .has_secret = found.has_secret};
        memcpy(client->secret_hash, found.secret_hash, SECRET_HASH_SIZE);
        return true;
}

bool oauth_client_known(struct store_db *db, const char *id, struct oauth_client *client, struct error *error)
{
        struct url url;

        if (!oauth_client_id_is_url(id))
                return find_registered(db, id, client, error);
        if (strlen(id) > OAUTH_CLIENT_ID_MAXIMUM || !url_parse(id, &url))
                return refuse_unknown(error);
        *client = (struct oauth_client){.id = text_copy(id),
                                        .name = text_copy(""),
                                        .redirect_uris = text_copy(""),
                                        .document_host = oauth_redirect_shown(id)};
        return true;
}

bool oauth_client_find(struct store_db *db, const char *id, struct oauth_client *client, struct error *error)
{
        return oauth_client_id_is_url(id) ? oauth_document_find(id, client, error)
                                          : find_registered(db, id, client, error);
}

/* The part of an address that one customer of a network holds: the whole of IPv4, the first 64 bits of IPv6. */
static char *source_of(const char *address)
{
        unsigned char bytes[16];

        if (inet_pton(AF_INET6, address, bytes) != 1)
                return text_copy(address);
        return text_format("%02x%02x:%02x%02x:%02x%02x:%02x%02x::/64", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4],
                           bytes[5], bytes[6], bytes[7]);
}

static bool check_hosts(const char *redirect_uris, struct error *error)
{
        const char *hosts = settings_current()->mcp_oauth_redirect_hosts;

        for (const char *at = redirect_uris; *at; at += *at == '\n') {
                size_t length = strcspn(at, "\n");
                auto_free char *uri = text_format("%.*s", (int)length, at);
                if (!oauth_hosts_allow(hosts, uri))
                        return error_set(error, ERROR_OAUTH_CLIENT_METADATA,
                                         "this server does not allow the redirect URI %.200s: its host is not on the "
                                         "list of MCP_OAUTH_REDIRECT_HOSTS",
                                         uri);
                at += length;
        }
        return true;
}

struct registration {
        struct oauth_metadata metadata;
        char *source;
        char secret[OAUTH_SECRET_SIZE]; /* "" for a public client */
        int64_t now;
        char id[ID_SIZE];
};

static void registration_clear(struct registration *registration)
{
        oauth_metadata_clear(&registration->metadata);
        free(registration->source);
        secret_wipe(registration->secret, sizeof registration->secret);
}

static bool register_work(struct store_db *db, void *context, struct error *error)
{
        struct registration *registration = context;
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(registration->secret, strlen(registration->secret), hash);
        return store_oauth_client_add(
                db,
                &(struct store_oauth_client_new){.name = registration->metadata.name,
                                                 .redirect_uris = registration->metadata.redirect_uris,
                                                 .auth_method = registration->metadata.auth_method,
                                                 .secret_hash = *registration->secret ? hash : NULL,
                                                 .source = registration->source,
                                                 .created_at = registration->now},
                registration->now - OAUTH_UNUSED_MS, UNUSED_MAXIMUM, registration->id, error);
}

static json_t *lines(const char *text)
{
        json_t *list = json_array();

        for (const char *at = text; *at; at += *at == '\n') {
                size_t length = strcspn(at, "\n");
                json_array_append_new(list, json_stringn(at, length));
                at += length;
        }
        return list;
}

static json_t *describe(const struct registration *registration)
{
        const struct oauth_metadata *metadata = &registration->metadata;
        json_t *answer = json_pack("{s:s, s:I, s:s, s:o, s:[s, s], s:[s], s:s, s:s}", "client_id", registration->id,
                                   "client_id_issued_at", (json_int_t)(registration->now / 1000), "client_name",
                                   metadata->name, "redirect_uris", lines(metadata->redirect_uris), "grant_types",
                                   "authorization_code", "refresh_token", "response_types", "code",
                                   "token_endpoint_auth_method", metadata->auth_method, "scope", OAUTH_SCOPE);

        if (*registration->secret) {
                json_object_set_new(answer, "client_secret", json_string(registration->secret));
                json_object_set_new(answer, "client_secret_expires_at", json_integer(0));
        }
        return answer;
}

bool oauth_client_register(struct services *services, const char *body, size_t length, const char *address,
                           json_t **result, struct error *error)
{
        CLEANUP(registration_clear)
        struct registration registration = {.source = source_of(address), .now = clock_now()};
        auto_error reason = {0};

        if (!oauth_limit_take(registration.source, clock_monotonic(), error))
                return false;
        auto_json *document = document_parse(body, length, &reason);
        if (!document)
                return error_set(error, ERROR_OAUTH_CLIENT_METADATA, "%s", reason.message);
        if (!oauth_metadata_read(document, &registration.metadata, error) ||
            !check_hosts(registration.metadata.redirect_uris, error))
                return false;
        if (strcmp(registration.metadata.auth_method, "none"))
                oauth_secret_new(OAUTH_CLIENT_SECRET, registration.secret);
        if (!store_write(services->store, register_work, &registration, error))
                return false;
        *result = describe(&registration);
        return true;
}
