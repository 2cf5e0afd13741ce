#include "server/services/oidc.h"

#include <pthread.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/jwt.h"
#include "server/services/attempts.h"
#include "server/services/oidc_claims.h"
#include "server/services/oidc_person.h"
#include "server/services/oidc_provider.h"
#include "server/services/oidc_ticket.h"
#include "server/services/seal.h"
#include "server/services/setting_secret.h"

#define URL_MAXIMUM 8192
#define FORM_MAXIMUM 16384
#define ATTEMPTS_MAXIMUM 60
#define ATTEMPTS_WINDOW_MS 60000

static struct attempts attempts = ATTEMPTS_INITIALIZER;

void oidc_limit_reset(void)
{
        attempts_reset(&attempts);
}

bool oidc_is_on(const struct settings *settings)
{
        return settings->oidc_issuer && settings->oidc_client_id;
}

bool oidc_return_is_own(const char *path)
{
        if (*path != '/' || path[1] == '/' || path[1] == '\\' || strlen(path) > OIDC_RETURN_MAXIMUM)
                return false;
        for (; *path; path++)
                if ((unsigned char)*path <= ' ' || (unsigned char)*path >= 0x7f || *path == '\\')
                        return false;
        return true;
}

void oidc_start_clear(struct oidc_start *start)
{
        free(start->url);
        free(start->ticket);
        *start = (struct oidc_start){0};
}

void oidc_end_clear(struct oidc_end *end)
{
        json_decref(end->session.result);
        free(end->return_path);
        secret_wipe(&end->session, sizeof end->session);
        *end = (struct oidc_end){0};
}

static bool require_on(struct error *error)
{
        return oidc_is_on(settings_current()) ||
               error_set(error, ERROR_NOT_FOUND, "Sign-in at an OpenID provider is not set up here.");
}

static char *redirect_uri(const struct services *services)
{
        const char *site = settings_current()->site_url;

        return text_format("%s%s", site ? site : services->address, OIDC_CALLBACK_PATH);
}

static char *authorization_url(const struct services *services, const struct oidc_provider *provider,
                               const struct oidc_ticket *ticket)
{
        const struct settings *settings = settings_current();
        auto_free char *redirect = redirect_uri(services);
        auto_text url = TEXT_WITH_MAXIMUM(URL_MAXIMUM);
        uint8_t hash[SECRET_HASH_SIZE];

        secret_sha256(ticket->verifier, strlen(ticket->verifier), hash);
        auto_free char *challenge = secret_base64url(hash, sizeof hash);
        const char *const parameters[][2] = {
                {"response_type", "code"},     {"client_id", settings->oidc_client_id},
                {"redirect_uri", redirect},    {"scope", settings->oidc_scopes},
                {"state", ticket->state},      {"nonce", ticket->nonce},
                {"code_challenge", challenge}, {"code_challenge_method", "S256"},
        };

        text_append_string(&url, provider->authorization_endpoint);
        text_append_string(&url, strchr(provider->authorization_endpoint, '?') ? "&" : "?");
        for (size_t i = 0; i < COUNT_OF(parameters); i++)
                form_append(&url, parameters[i][0], parameters[i][1]);
        if (ticket->is_fresh) {
                form_append(&url, "prompt", "login");
                form_append(&url, "max_age", "0");
        }
        return text_take(&url);
}

bool oidc_begin(const struct services *services, const char *return_path, bool is_fresh, struct oidc_start *start,
                struct error *error)
{
        if (!require_on(error))
                return false;
        if (!oidc_return_is_own(return_path))
                return error_set(error, ERROR_INVALID_INPUT, "return must be a path of this server");
        const struct oidc_provider *provider = oidc_provider_take(settings_current()->oidc_issuer, error);
        if (!provider)
                return false;
        auto_oidc_ticket ticket = oidc_ticket_new(provider->issuer, return_path, is_fresh, clock_now());
        start->url = authorization_url(services, provider, &ticket);
        start->ticket = oidc_ticket_seal(&ticket);
        oidc_provider_release(provider);
        return true;
}

/* RFC 6749, section 2.3.1: both are form-encoded before they are joined. */
static char *basic_authorization(const char *id, const char *secret)
{
        auto_text pair = TEXT_WITH_MAXIMUM(FORM_MAXIMUM), encoded = TEXT_WITH_MAXIMUM(FORM_MAXIMUM);

        form_append(&encoded, "", id);
        text_printf(&pair, "%s:", text_string(&encoded) + 1);
        text_clear(&encoded);
        encoded = TEXT_WITH_MAXIMUM(FORM_MAXIMUM);
        form_append(&encoded, "", secret);
        text_append_string(&pair, text_string(&encoded) + 1);
        auto_free char *joined = secret_base64(pair.data, pair.length);
        secret_wipe(pair.data, pair.length);
        secret_wipe(encoded.data, encoded.length);
        return text_format("Basic %s", joined);
}

/* What one sign-in knows on its way. */
struct finishing {
        const struct services *services;
        struct store_db *db;
        const struct oidc_provider *provider;
        const struct oidc_ticket *ticket;
        const char *code;
        json_t *claims;
        struct oidc_end *end;
        int64_t now;
};

static json_t *ask_tokens(const struct finishing *finishing, const char *secret, unsigned *status, struct error *error)
{
        const char *client_id = settings_current()->oidc_client_id;
        bool is_basic = secret && !finishing->provider->wants_post;
        auto_free char *redirect = redirect_uri(finishing->services);
        auto_free char *authorization = is_basic ? basic_authorization(client_id, secret) : NULL;
        auto_text form = TEXT_WITH_MAXIMUM(FORM_MAXIMUM);

        form_append(&form, "grant_type", "authorization_code");
        form_append(&form, "code", finishing->code);
        form_append(&form, "redirect_uri", redirect);
        form_append(&form, "code_verifier", finishing->ticket->verifier);
        if (!is_basic)
                form_append(&form, "client_id", client_id);
        if (secret && !is_basic)
                form_append(&form, "client_secret", secret);
        json_t *answer = oidc_provider_ask((struct http_fetch){.url = finishing->provider->token_endpoint,
                                                               .body = text_string(&form),
                                                               .content_type = "application/x-www-form-urlencoded",
                                                               .authorization = authorization},
                                           status, error);
        secret_wipe(form.data, form.length);
        return answer;
}

static json_t *fetch_tokens(const struct finishing *finishing, struct error *error)
{
        const char *set = settings_current()->oidc_client_secret;
        char *secret = NULL;
        unsigned status = 0;

        if (set && !(secret = setting_secret(finishing->services, finishing->db, "OIDC_CLIENT_SECRET", set, error)))
                return NULL;
        auto_json *answer = ask_tokens(finishing, secret, &status, error);
        seal_free(secret);
        if (answer && status != 200) {
                const char *reason = document_get_string(answer, "error");
                error_set(error, ERROR_UNAUTHENTICATED, "The OpenID provider refused the sign-in: %.100s.",
                          reason ? reason : "it did not say why");
                return NULL;
        }
        return take(answer);
}

/* Opens the token, with keys fetched anew when it names one that was not known. */
static json_t *open_token(struct finishing *finishing, const char *token, struct error *error)
{
        bool is_key_missing;
        json_t *claims = jwt_open(token, finishing->provider->keys, &is_key_missing, error);

        if (claims || !is_key_missing)
                return claims;
        error_clear(error);
        const struct oidc_provider *newer = oidc_provider_renew(finishing->provider, error);
        if (!newer)
                return NULL;
        oidc_provider_release(finishing->provider);
        finishing->provider = newer;
        return jwt_open(token, newer->keys, &is_key_missing, error);
}

/* Some providers tell names and addresses only at the userinfo endpoint (OpenID Connect Core 1.0, section 5.3); what
 * the signed token says goes before that. */
static bool add_userinfo(struct finishing *finishing, const json_t *tokens, struct error *error)
{
        const char *access = document_get_string(tokens, "access_token"), *url = finishing->provider->userinfo_endpoint;
        unsigned status = 0;

        bool is_whole = json_object_get(finishing->claims, "email") &&
                        json_object_get(finishing->claims, settings_current()->oidc_name_claim);
        if (is_whole || !url || !access)
                return true;
        auto_free char *authorization = text_format("Bearer %s", access);
        auto_json *info =
                oidc_provider_ask((struct http_fetch){.url = url, .authorization = authorization}, &status, error);
        if (!info)
                return false;
        const char *subject = document_get_string(info, "sub");
        if (status != 200 || !subject || strcmp(subject, document_get_string(finishing->claims, "sub")) != 0)
                return error_set(error, ERROR_UNAUTHENTICATED,
                                 "The OpenID provider did not tell more of the person who signed in.");
        return json_object_update_missing(finishing->claims, info) == 0;
}

static bool read_claims(struct finishing *finishing, struct error *error)
{
        const struct oidc_expected expected = {.issuer = finishing->ticket->issuer,
                                               .client_id = settings_current()->oidc_client_id,
                                               .nonce = finishing->ticket->nonce,
                                               .now = finishing->now,
                                               .asked_after =
                                                       finishing->ticket->is_fresh ? finishing->ticket->begun_at : 0};
        auto_json *tokens = fetch_tokens(finishing, error);

        if (!tokens)
                return false;
        const char *token = document_get_string(tokens, "id_token");
        if (!token)
                return error_set(error, ERROR_UNAUTHENTICATED, "The OpenID provider gave no ID token.");
        finishing->claims = open_token(finishing, token, error);
        return finishing->claims && oidc_claims_check(finishing->claims, &expected, error) &&
               add_userinfo(finishing, tokens, error);
}

static bool begin_work(struct store_db *db, void *context, struct error *error)
{
        struct finishing *finishing = context;
        const struct session_origin origin = {.signed_in_at = oidc_claims_asked_at(finishing->claims, finishing->now),
                                              .is_sso = true};
        struct actor actor;
        int64_t user;

        return oidc_person(finishing->services, db, finishing->claims, finishing->now, &user, error) &&
               session_begin(db, user, &origin, &actor, &finishing->end->session, error);
}

static bool finish(struct finishing *finishing, struct error *error)
{
        return read_claims(finishing, error) && store_write(finishing->services->store, begin_work, finishing, error);
}

/* What came with the browser, before anything is asked of the provider. */
static bool check_answer(const struct oidc_answer *answer, struct oidc_ticket *ticket, struct error *error)
{
        int64_t wait = attempts_take(&attempts, answer->address ? answer->address : "", ATTEMPTS_MAXIMUM,
                                     ATTEMPTS_WINDOW_MS, clock_monotonic());

        if (wait)
                return attempts_refuse(wait, "sign in", error);
        if (!answer->ticket || !answer->state)
                return error_set(error, ERROR_UNAUTHENTICATED, "This sign-in was not begun in this browser.");
        if (!oidc_ticket_open(answer->ticket, answer->state, clock_now(), OIDC_TICKET_SECONDS * INT64_C(1000), ticket,
                              error))
                return false;
        if (strcmp(ticket->issuer, settings_current()->oidc_issuer) != 0 ||
            (answer->issuer && strcmp(answer->issuer, ticket->issuer) != 0))
                return error_set(error, ERROR_UNAUTHENTICATED, "The answer comes from another OpenID provider.");
        if (answer->failure)
                return error_set(error, ERROR_UNAUTHENTICATED, "The OpenID provider refused the sign-in: %.100s.",
                                 answer->failure);
        return answer->code || error_set(error, ERROR_UNAUTHENTICATED, "The OpenID provider gave no code.");
}

bool oidc_finish(const struct services *services, struct store_db *db, const struct oidc_answer *answer,
                 struct oidc_end *end, struct error *error)
{
        auto_oidc_ticket ticket = {0};

        if (!require_on(error) || !check_answer(answer, &ticket, error))
                return false;
        struct finishing finishing = {.services = services,
                                      .db = db,
                                      .provider = oidc_provider_take(ticket.issuer, error),
                                      .ticket = &ticket,
                                      .code = answer->code,
                                      .end = end,
                                      .now = clock_now()};
        if (!finishing.provider)
                return false;
        bool is_good = finish(&finishing, error);
        oidc_provider_release(finishing.provider);
        json_decref(finishing.claims);
        if (is_good)
                end->return_path = take(ticket.return_path);
        return is_good;
}
