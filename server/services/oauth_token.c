#include "server/services/oauth_token.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/oauth_proof.h"
#include "server/services/oauth_request.h"
#include "server/services/oauth_secret.h"
#include "server/store/oauth.h"

#define VERIFIER_LEAST 43
#define VERIFIER_MOST 128
#define VERIFIER_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/* One exchange, on the writer's thread. A refusal that has to change something (the end of a family) is no failure of
 * the piece of work, which would undo it. */
struct exchange {
        const struct oauth_site *site;
        const struct oauth_form *form;
        int64_t now;
        json_t *result;
        struct error refusal;
        bool is_refused;
};

static const char *parameter(const struct exchange *exchange, const char *name)
{
        return document_get_string(exchange->form->parameters, name);
}

static bool refuse(struct error *error)
{
        return error_set(error, ERROR_OAUTH_GRANT, NULL);
}

/* Ends the family of what was shown twice. */
static bool end_family(struct store_db *db, struct exchange *exchange, const struct store_oauth_grant *grant,
                       const char *what, struct error *error)
{
        struct actor actor = {.user = grant->user, .credential = CREDENTIAL_OAUTH};

        snprintf(actor.user_name, sizeof actor.user_name, "%s", grant->user_name);
        snprintf(actor.credential_id, sizeof actor.credential_id, "%s", grant->id);
        exchange->is_refused = true;
        error_set(&exchange->refusal, ERROR_OAUTH_GRANT, "The %s was used before; everything of its grant has ended.",
                  what);
        return store_oauth_grant_end(db, grant->rid, error) &&
               audit_write(db, &actor, "oauth.replay", grant->client, json_pack("{s:s}", "shown", what), error);
}

struct pair {
        char access[OAUTH_SECRET_SIZE], refresh[OAUTH_SECRET_SIZE];
};

static json_t *answer(const struct pair *pair, int64_t expires_in_ms)
{
        return json_pack("{s:s, s:s, s:I, s:s, s:s}", "access_token", pair->access, "token_type", "Bearer",
                         "expires_in", (json_int_t)(expires_in_ms / 1000), "refresh_token", pair->refresh, "scope",
                         OAUTH_SCOPE);
}

static bool add_token(struct store_db *db, const char *token, int64_t grant, bool is_refresh, int64_t expires_at,
                      struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];

        oauth_secret_hash(token, hash);
        return store_oauth_token_add(db, hash, grant, is_refresh, expires_at, error);
}

static bool add_pair(struct store_db *db, struct exchange *exchange, const struct store_oauth_grant *grant,
                     const struct pair *pair, struct error *error)
{
        int64_t now = exchange->now;

        if (!add_token(db, pair->access, grant->rid, false, now + OAUTH_ACCESS_MS, error) ||
            !add_token(db, pair->refresh, grant->rid, true, now + OAUTH_REFRESH_MS, error) ||
            !store_oauth_grant_extend(db, grant->rid, now + OAUTH_REFRESH_MS, now, error))
                return false;
        exchange->result = answer(pair, OAUTH_ACCESS_MS);
        return true;
}

/* RFC 7636, section 4.6. */
static bool check_verifier(const struct exchange *exchange, const char *challenge, struct error *error)
{
        const char *verifier = parameter(exchange, "code_verifier");
        uint8_t hash[SECRET_HASH_SIZE];

        if (!verifier)
                return error_set(error, ERROR_OAUTH_REQUEST, "code_verifier is missing");
        size_t length = strspn(verifier, VERIFIER_CHARACTERS);
        if (verifier[length] || length < VERIFIER_LEAST || length > VERIFIER_MOST)
                return error_set(error, ERROR_OAUTH_REQUEST, "code_verifier must have %d to %d unreserved characters",
                                 VERIFIER_LEAST, VERIFIER_MOST);
        secret_sha256(verifier, length, hash);
        auto_free char *expected = secret_base64url(hash, sizeof hash);
        if (strlen(challenge) != strlen(expected) || !secret_is_equal(expected, challenge, strlen(expected)))
                return error_set(error, ERROR_OAUTH_GRANT, "code_verifier is not the one of the code");
        return true;
}

/* The grant is this client's, for this server, and its person may still sign in. */
static bool is_good(const struct exchange *exchange, const struct store_oauth_grant *grant, const char *client)
{
        return !strcmp(grant->client, client) && !grant->is_user_disabled && grant->expires_at > exchange->now &&
               oauth_site_is_resource(grant->resource);
}

static bool use_code(struct store_db *db, struct exchange *exchange, const char *client, struct error *error)
{
        const char *shown = parameter(exchange, "code"), *uri = parameter(exchange, "redirect_uri");
        auto_store_oauth_code code = {0};
        uint8_t hash[SECRET_HASH_SIZE];
        bool is_found;

        if (!shown)
                return error_set(error, ERROR_OAUTH_REQUEST, "code is missing");
        oauth_secret_hash(shown, hash);
        if (!store_oauth_code_find(db, hash, &code, &is_found, error))
                return false;
        if (!is_found || strcmp(code.grant.client, client))
                return refuse(error);
        if (code.used_at)
                return end_family(db, exchange, &code.grant, "code", error);
        if (code.expires_at <= exchange->now || !is_good(exchange, &code.grant, client))
                return refuse(error);
        if (uri && strcmp(uri, code.redirect_uri))
                return error_set(error, ERROR_OAUTH_GRANT, "redirect_uri is not the one that the code was sent to");
        if (!check_verifier(exchange, code.challenge, error) || !store_oauth_code_use(db, hash, exchange->now, error))
                return false;
        struct pair pair;
        oauth_secret_new(OAUTH_ACCESS_TOKEN, pair.access);
        oauth_secret_new(OAUTH_REFRESH_TOKEN, pair.refresh);
        return add_pair(db, exchange, &code.grant, &pair, error);
}

/* The successors follow from the token and its salt, so that they need not be kept to be told a second time. */
static void derive(const char *shown, const uint8_t salt[STORE_OAUTH_SALT_SIZE], struct pair *pair)
{
        oauth_secret_derive(OAUTH_ACCESS_TOKEN, shown, salt, STORE_OAUTH_SALT_SIZE, pair->access);
        oauth_secret_derive(OAUTH_REFRESH_TOKEN, shown, salt, STORE_OAUTH_SALT_SIZE, pair->refresh);
}

static bool use_again(struct store_db *db, struct exchange *exchange, const char *shown,
                      const struct store_oauth_token *token, struct error *error)
{
        int64_t age = exchange->now - token->replaced_at;
        struct pair pair;

        if (age > OAUTH_GRACE_MS)
                return end_family(db, exchange, &token->grant, "refresh token", error);
        if (!token->has_salt)
                return refuse(error);
        derive(shown, token->salt, &pair);
        exchange->result = answer(&pair, OAUTH_ACCESS_MS - age);
        return true;
}

static bool use_refresh(struct store_db *db, struct exchange *exchange, const char *client, struct error *error)
{
        const char *shown = parameter(exchange, "refresh_token");
        uint8_t hash[SECRET_HASH_SIZE], salt[STORE_OAUTH_SALT_SIZE];
        auto_store_oauth_token token = {0};
        struct pair pair;
        bool is_found;

        if (!shown)
                return error_set(error, ERROR_OAUTH_REQUEST, "refresh_token is missing");
        oauth_secret_hash(shown, hash);
        if (!store_oauth_token_find(db, hash, &token, &is_found, error))
                return false;
        if (!is_found || !token.is_refresh || token.expires_at <= exchange->now ||
            !is_good(exchange, &token.grant, client))
                return refuse(error);
        if (token.replaced_at)
                return use_again(db, exchange, shown, &token, error);
        secret_random(salt, sizeof salt);
        derive(shown, salt, &pair);
        return store_oauth_token_replace(db, &token, salt, exchange->now, error) &&
               add_pair(db, exchange, &token.grant, &pair, error);
}

static const struct {
        const char *name;
        bool (*use)(struct store_db *db, struct exchange *exchange, const char *client, struct error *error);
} grant_types[] = {
        {"authorization_code", use_code},
        {"refresh_token", use_refresh},
};

static bool issue_work(struct store_db *db, void *context, struct error *error)
{
        struct exchange *exchange = context;
        const char *type = parameter(exchange, "grant_type");
        auto_free char *client = NULL;

        if (!type)
                return error_set(error, ERROR_OAUTH_REQUEST, "grant_type is missing");
        if (!oauth_proof_check(db, exchange->form, &client, error) ||
            !oauth_scope_check(parameter(exchange, "scope"), error) ||
            !oauth_resource_check(exchange->site, parameter(exchange, "resource"), error))
                return false;
        for (size_t i = 0; i < COUNT_OF(grant_types); i++)
                if (!strcmp(type, grant_types[i].name))
                        return grant_types[i].use(db, exchange, client, error);
        return error_set(error, ERROR_OAUTH_GRANT_TYPE, NULL);
}

bool oauth_token_issue(struct services *services, const struct oauth_site *site, const struct oauth_form *form,
                       json_t **result, struct error *error)
{
        struct exchange exchange = {.site = site, .form = form, .now = clock_now()};

        if (!store_write(services->store, issue_work, &exchange, error)) {
                json_decref(exchange.result);
                error_clear(&exchange.refusal);
                return false;
        }
        if (exchange.is_refused)
                return error_move(error, &exchange.refusal);
        *result = exchange.result;
        return true;
}

static bool revoke_work(struct store_db *db, void *context, struct error *error)
{
        const struct oauth_form *form = context;
        const char *shown = document_get_string(form->parameters, "token");
        auto_store_oauth_token token = {0};
        uint8_t hash[SECRET_HASH_SIZE];
        auto_free char *client = NULL;
        bool is_found;

        if (!oauth_proof_check(db, form, &client, error))
                return false;
        if (!shown)
                return error_set(error, ERROR_OAUTH_REQUEST, "token is missing");
        oauth_secret_hash(shown, hash);
        if (!store_oauth_token_find(db, hash, &token, &is_found, error))
                return false;
        if (!is_found)
                return true;
        if (strcmp(token.grant.client, client))
                return error_set(error, ERROR_OAUTH_GRANT, "the token was issued to another client");
        return token.is_refresh ? store_oauth_grant_end(db, token.grant.rid, error)
                                : store_oauth_token_end(db, token.rid, error);
}

bool oauth_token_revoke(struct services *services, const struct oauth_form *form, struct error *error)
{
        return store_write(services->store, revoke_work, (void *)form, error);
}
