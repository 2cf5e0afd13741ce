#include "tests/rest/provider.h"

#include <cjose/cjose.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/secret.h"
#include "server/services/setting.h"

static cjose_jwk_t *keys[3];

/* Making an RSA key takes a while: once for all tests. */
static void make_keys(void)
{
        static const uint8_t exponent[] = {1, 0, 1};

        if (keys[PROVIDER_RSA])
                return;
        keys[PROVIDER_RSA] = cjose_jwk_create_RSA_random(2048, exponent, sizeof exponent, NULL);
        keys[PROVIDER_CURVE] = cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, NULL);
        keys[PROVIDER_UNKNOWN] = cjose_jwk_create_RSA_random(2048, exponent, sizeof exponent, NULL);
}

static const char *const algorithms[] = {"RS256", "ES256", "RS256"};
static const char *const ids[] = {"rsa", "curve", "unknown"};

static json_t *published(enum provider_key key)
{
        char *text = cjose_jwk_to_json(keys[key], false, NULL);
        json_t *document = json_loads(text, 0, NULL);

        json_object_set_new(document, "kid", json_string(ids[key]));
        json_object_set_new(document, "use", json_string("sig"));
        cjose_get_dealloc()(text);
        return document;
}

static void answer(struct http_request *request, unsigned status, json_t *document)
{
        auto_json *owned = document;
        char *body = document_print(owned);

        http_respond(request, status, HTTP_JSON, body, strlen(body));
}

static void tell_metadata(struct http_request *request, void *context)
{
        const struct provider *provider = context;
        auto_free char *authorization = text_format("%s/authorize", provider->issuer);
        auto_free char *token = text_format("%s/token", provider->issuer);
        auto_free char *set = text_format("%s/keys", provider->issuer);
        auto_free char *info = text_format("%s/userinfo", provider->issuer);

        answer(request, 200,
               json_pack("{s:s, s:s, s:s, s:s, s:s}", "issuer", provider->issuer, "authorization_endpoint",
                         authorization, "token_endpoint", token, "jwks_uri", set, "userinfo_endpoint", info));
}

static void tell_keys(struct http_request *request, void *context)
{
        struct provider *provider = context;
        json_t *list = json_array();

        if (!provider->is_rotated || provider->keys_told)
                json_array_append_new(list, published(PROVIDER_RSA));
        json_array_append_new(list, published(PROVIDER_CURVE));
        provider->keys_told++;
        answer(request, 200, json_pack("{s:o}", "keys", list));
}

static char *sign(struct provider *provider, json_t *claims)
{
        auto_free char *usual =
                text_format("{\"alg\":\"%s\",\"kid\":\"%s\"}", algorithms[provider->key], ids[provider->key]);
        auto_free char *printed = document_print(claims);
        cjose_header_t *header = json_loads(provider->header ? provider->header : usual, 0, NULL);
        const char *compact = NULL;

        cjose_jws_t *jws = cjose_jws_sign(keys[provider->key], header, (const uint8_t *)printed, strlen(printed), NULL);
        assert_non_null(jws);
        assert_true(cjose_jws_export(jws, &compact, NULL));
        char *token = text_copy(compact);
        cjose_jws_release(jws);
        json_decref(header);
        return token;
}

static json_t *claims_of(const struct provider *provider)
{
        int64_t now = clock_now() / 1000;
        json_t *claims = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "iss", provider->issuer, "aud", PROVIDER_CLIENT,
                                   "sub", "subject-1", "nonce", provider->nonce, "iat", (json_int_t)now, "exp",
                                   (json_int_t)(now + 300));
        const char *name;
        json_t *value;

        json_object_foreach(provider->claims, name, value) if (json_is_null(value)) json_object_del(claims, name);
        else json_object_set(claims, name, value);
        return claims;
}

/* What an honest provider would refuse. */
static const char *fault_of(const struct provider *provider, struct http_request *request)
{
        auto_free char *pair = text_format("%s:%s", PROVIDER_CLIENT, "a%20secret%3A%20with%20%2Fodd%2B%20characters");
        auto_free char *encoded = secret_base64(pair, strlen(pair));
        auto_free char *expected = text_format("Basic %s", encoded);
        const char *shown = http_request_header(request, "Authorization");
        uint8_t hash[SECRET_HASH_SIZE];
        auto_error error = {0};
        size_t length;

        const char *body = http_request_body(request, &length);
        auto_json *form = form_parse(body, length, &error);
        const char *verifier = document_get_string(form, "code_verifier");
        if (!shown || strcmp(shown, expected) != 0)
                return "invalid_client";
        if (!verifier || strcmp(document_get_string(form, "redirect_uri"), provider->redirect) != 0 ||
            strcmp(document_get_string(form, "code"), "the-code") != 0)
                return "invalid_grant";
        secret_sha256(verifier, strlen(verifier), hash);
        auto_free char *challenge = secret_base64url(hash, sizeof hash);
        return strcmp(challenge, provider->challenge) ? "invalid_grant" : provider->refusal;
}

static void tell_tokens(struct http_request *request, void *context)
{
        struct provider *provider = context;
        const char *fault = fault_of(provider, request);

        provider->codes_taken++;
        if (fault) {
                answer(request, 400, json_pack("{s:s}", "error", fault));
                return;
        }
        auto_json *claims = claims_of(provider);
        auto_free char *token = provider->token ? text_copy(provider->token) : sign(provider, claims);
        answer(request, 200,
               json_pack("{s:s, s:s, s:s}", "access_token", "an-access-token", "token_type", "Bearer", "id_token",
                         token));
}

static void tell_info(struct http_request *request, void *context)
{
        const struct provider *provider = context;
        const char *shown = http_request_header(request, "Authorization");

        if (!shown || strcmp(shown, "Bearer an-access-token") != 0)
                answer(request, 401, json_object());
        else
                answer(request, 200,
                       provider->info ? json_incref(provider->info) : json_pack("{s:s}", "sub", "subject-1"));
}

static const struct http_route provider_routes[] = {
        {"GET", "/.well-known/openid-configuration", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, tell_metadata},
        {"GET", "/keys", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, tell_keys},
        {"POST", "/token", HTTP_ACCESS_PUBLIC, HTTP_BODY_BYTES, 20000, tell_tokens},
        {"GET", "/userinfo", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, tell_info},
};

void provider_settings(struct provider *provider, const char *more)
{
        auto_json *flags = json_pack("{s:s, s:s, s:s}", "OIDC_ISSUER", provider->issuer, "OIDC_CLIENT_ID",
                                     PROVIDER_CLIENT, "OIDC_CLIENT_SECRET", PROVIDER_SECRET);
        auto_json *members = more ? json_loads(more, 0, NULL) : NULL;
        auto_error error = {0};
        const char *name;
        json_t *value;

        json_object_foreach(members, name, value) if (json_is_null(value)) json_object_del(flags, name);
        else json_object_set(flags, name, value);
        if (!settings_load(NULL, NULL, flags, &error))
                fail_msg("%s", error.message);
}

void provider_start(struct provider *provider, const char *more)
{
        struct http_server_options options = {.threads = 1,
                                              .routes = provider_routes,
                                              .route_count = COUNT_OF(provider_routes),
                                              .context = provider,
                                              .stop_timeout_ms = 1000};
        auto_error error = {0};

        make_keys();
        provider->server = http_server_start(&options, &error);
        assert_string_equal(error.message, "");
        snprintf(provider->issuer, sizeof provider->issuer, "http://127.0.0.1:%u", http_server_port(provider->server));
        provider_settings(provider, more);
}

void provider_stop(struct provider *provider)
{
        auto_error error = {0};

        http_server_stop(provider->server);
        json_decref(provider->claims);
        json_decref(provider->info);
        assert_true(settings_load(NULL, NULL, NULL, &error));
}

char *provider_visit(struct provider *provider, const char *url)
{
        auto_free char *start = text_format("%s/authorize?", provider->issuer);
        auto_error error = {0};

        assert_memory_equal(url, start, strlen(start));
        const char *query = url + strlen(start);
        auto_json *form = form_parse(query, strlen(query), &error);
        assert_non_null(form);
        assert_string_equal(document_get_string(form, "response_type"), "code");
        assert_string_equal(document_get_string(form, "client_id"), PROVIDER_CLIENT);
        assert_string_equal(document_get_string(form, "code_challenge_method"), "S256");
        snprintf(provider->nonce, sizeof provider->nonce, "%s", document_get_string(form, "nonce"));
        snprintf(provider->challenge, sizeof provider->challenge, "%s", document_get_string(form, "code_challenge"));
        snprintf(provider->redirect, sizeof provider->redirect, "%s", document_get_string(form, "redirect_uri"));
        return text_copy(document_get_string(form, "state"));
}
