#include "server/services/oauth_consent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/services/audit.h"
#include "server/services/oauth_redirect.h"
#include "server/services/session.h"
#include "server/store/oauth.h"

#define MINUTE_MS 60000
#define DIGITS "0123456789abcdef"

static bool is_fresh(int64_t signed_in_at, int64_t now)
{
        int64_t minutes = settings_current()->mcp_oauth_fresh_sign_in_minutes;

        return !minutes || signed_in_at > now - minutes * MINUTE_MS;
}

/* A session that is not good is no failure: `person` says so. */
static bool look(struct store_db *db, const char *session, struct actor *actor, struct oauth_person *person,
                 struct error *error)
{
        struct session_origin origin;

        *person = (struct oauth_person){.is_known = false};
        if (!session || !*session)
                return true;
        if (!access_authenticate_session(db, session, actor, error) || !session_origin(db, actor, &origin, error)) {
                if (error->code != ERROR_UNAUTHENTICATED)
                        return false;
                error_clear(error);
                return true;
        }
        person->is_known = true;
        person->is_fresh = is_fresh(origin.signed_in_at, clock_now());
        person->is_sso = origin.is_sso;
        snprintf(person->name, sizeof person->name, "%s", actor->user_name);
        return true;
}

bool oauth_consent_person(struct store_db *db, const char *session, struct oauth_person *person, struct error *error)
{
        struct actor actor;

        return look(db, session, &actor, person, error);
}

/* The session's token is secret and of a fixed length, so that the hash is one that only this server can make. */
void oauth_consent_ticket(const char *session, const char *query, int64_t issued_at, char ticket[OAUTH_TICKET_SIZE])
{
        auto_free char *text = text_format("oauth-consent:%s:%" PRId64 ":%s", session, issued_at, query);
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(text, strlen(text), hash);
        for (size_t i = 0; i < sizeof hash; i++) {
                ticket[2 * i] = DIGITS[hash[i] >> 4];
                ticket[2 * i + 1] = DIGITS[hash[i] & 15];
        }
        ticket[OAUTH_TICKET_SIZE - 1] = '\0';
}

bool oauth_consent_ticket_is_good(const char *session, const char *query, const char *issued_at, const char *shown,
                                  int64_t now)
{
        char ticket[OAUTH_TICKET_SIZE], *end;

        if (!session || strlen(session) != SESSION_TOKEN_LENGTH || !issued_at || !shown ||
            strlen(shown) != sizeof ticket - 1)
                return false;
        int64_t issued = strtoll(issued_at, &end, 10);
        if (*end || issued > now || issued <= now - OAUTH_CONSENT_MS)
                return false;
        oauth_consent_ticket(session, query, issued, ticket);
        return secret_is_equal(ticket, shown, sizeof ticket - 1);
}

struct approval {
        const char *session;
        const struct oauth_site *site;
        const struct oauth_request *request;
        const char *code;
};

static bool add_grant(struct store_db *db, const struct actor *actor, const struct approval *approval,
                      struct error *error)
{
        const struct oauth_request *request = approval->request;
        auto_free char *host = oauth_redirect_shown(request->redirect_uri);
        int64_t now = clock_now(), rid;
        uint8_t hash[SECRET_HASH_SIZE];
        char id[ID_SIZE];

        oauth_secret_hash(approval->code, hash);
        return store_oauth_grant_add(db,
                                     &(struct store_oauth_grant_new){.user = actor->user,
                                                                     .client = request->client.id,
                                                                     .client_name = request->client.name,
                                                                     .redirect_host = host,
                                                                     .resource = approval->site->resource,
                                                                     .scope = OAUTH_SCOPE,
                                                                     .created_at = now,
                                                                     .expires_at = now + OAUTH_CODE_MS},
                                     id, &rid, error) &&
               store_oauth_code_add(db, hash, rid, request->challenge, request->redirect_uri, now + OAUTH_CODE_MS,
                                    error) &&
               store_oauth_client_use(db, request->client.id, now, error) &&
               audit_write(
                       db, actor, "oauth.approve", request->client.id,
                       json_pack("{s:s, s:s, s:s}", "grant", id, "name", request->client.name, "redirectHost", host),
                       error);
}

static bool approve_work(struct store_db *db, void *context, struct error *error)
{
        const struct approval *approval = context;
        struct oauth_person person;
        struct actor actor;

        if (!look(db, approval->session, &actor, &person, error))
                return false;
        if (!person.is_known || !person.is_fresh)
                return error_set(error, ERROR_UNAUTHENTICATED, "Sign in again.");
        return add_grant(db, &actor, approval, error);
}

bool oauth_consent_approve(struct services *services, const char *session, const struct oauth_site *site,
                           const struct oauth_request *request, char code[OAUTH_SECRET_SIZE], struct error *error)
{
        struct approval approval = {session, site, request, code};

        oauth_secret_new(OAUTH_CODE, code);
        return store_write(services->store, approve_work, &approval, error);
}
