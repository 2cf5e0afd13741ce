#include "server/services/oidc_provider.h"

#include <pthread.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/url.h"

#define ANSWER_MAXIMUM 262144
#define ANSWER_MS 10000
#define KEPT_MS (INT64_C(60) * 60 * 1000)
#define PAUSE_MS 3000

/* A provider and who uses it. */
struct held {
        struct oidc_provider provider;
        int64_t fetched_at; /* clock_monotonic */
        unsigned users;     /* guarded by `users_mutex` */
};

/* Held while fetching, so that many sign-ins fetch once. */
static pthread_mutex_t fetching = PTHREAD_MUTEX_INITIALIZER;
static struct held *current;
/* The last attempt that failed: whose, when (clock_monotonic) and why. */
static char *failed_issuer;
static int64_t failed_at;
static struct error last_failure;

static pthread_mutex_t users_mutex = PTHREAD_MUTEX_INITIALIZER;

static void held_free(struct held *held)
{
        free(held->provider.issuer);
        free(held->provider.authorization_endpoint);
        free(held->provider.token_endpoint);
        free(held->provider.userinfo_endpoint);
        json_decref(held->provider.keys);
        free(held);
}

static struct held *hold(struct held *held)
{
        pthread_mutex_lock(&users_mutex);
        held->users++;
        pthread_mutex_unlock(&users_mutex);
        return held;
}

static void let_go(struct held *held)
{
        pthread_mutex_lock(&users_mutex);
        bool is_last = --held->users == 0;
        pthread_mutex_unlock(&users_mutex);
        if (is_last)
                held_free(held);
}

void oidc_provider_release(const struct oidc_provider *provider)
{
        if (provider)
                let_go((struct held *)(uintptr_t)provider);
}

json_t *oidc_provider_ask(struct http_fetch wanted, unsigned *status, struct error *error)
{
        auto_http_fetched fetched = {0};
        auto_error unread = {0};

        wanted.maximum = ANSWER_MAXIMUM;
        wanted.timeout_ms = ANSWER_MS;
        wanted.allows_http = true; /* for loopback only: see is_endpoint and the setting's shape */
        if (!http_fetch(&wanted, &fetched, error)) {
                error_prefix(error, "The OpenID provider");
                return NULL;
        }
        *status = fetched.status;
        json_t *document = document_parse(fetched.body, fetched.length, &unread);
        if (json_is_object(document))
                return document;
        json_decref(document);
        error_set(error, ERROR_FETCH_FAILED, "The OpenID provider answered %u without a JSON object.", fetched.status);
        return NULL;
}

static json_t *get(const char *url, struct error *error)
{
        unsigned status = 0;
        json_t *document = oidc_provider_ask((struct http_fetch){.url = url}, &status, error);

        if (!document || status == 200)
                return document;
        json_decref(document);
        error_set(error, ERROR_FETCH_FAILED, "The OpenID provider answered %u to what it publishes.", status);
        return NULL;
}

/* An endpoint is https; on loopback, where tests and side-by-side providers are, it may be http. */
static bool is_endpoint(const char *text)
{
        struct url url;

        return text && url_parse(text, &url) && !url.user.at && !url.fragment.at &&
               (url_part_is(&url.scheme, "https") || (url_part_is(&url.scheme, "http") && url_is_loopback(&url)));
}

static bool has_string(const json_t *list, const char *wanted)
{
        const json_t *entry;
        size_t i;

        json_array_foreach(list, i,
                           entry) if (json_is_string(entry) && !strcmp(json_string_value(entry), wanted)) return true;
        return false;
}

static bool read_metadata(const json_t *metadata, const char *issuer, struct oidc_provider *provider,
                          struct error *error)
{
        const char *named = document_get_string(metadata, "issuer"),
                   *authorization = document_get_string(metadata, "authorization_endpoint"),
                   *token = document_get_string(metadata, "token_endpoint"),
                   *userinfo = document_get_string(metadata, "userinfo_endpoint");
        const json_t *methods = json_object_get(metadata, "token_endpoint_auth_methods_supported");

        if (!named || strcmp(named, issuer) != 0)
                return error_set(error, ERROR_FETCH_FAILED, "The OpenID provider calls itself %.200s, not %.200s.",
                                 named ? named : "nothing", issuer);
        if (!is_endpoint(authorization) || !is_endpoint(token) || (userinfo && !is_endpoint(userinfo)) ||
            !is_endpoint(document_get_string(metadata, "jwks_uri")))
                return error_set(error, ERROR_FETCH_FAILED,
                                 "The OpenID provider lacks an endpoint, or one is no https.");
        provider->issuer = text_copy(issuer);
        provider->authorization_endpoint = text_copy(authorization);
        provider->token_endpoint = text_copy(token);
        provider->userinfo_endpoint = text_copy(userinfo);
        provider->wants_post = has_string(methods, "client_secret_post") && !has_string(methods, "client_secret_basic");
        return true;
}

static struct held *fetch(const char *issuer, struct error *error)
{
        size_t length = strlen(issuer);
        auto_free char *url = text_format("%.*s/.well-known/openid-configuration",
                                          (int)(length - (issuer[length - 1] == '/')), issuer);
        auto_json *metadata = get(url, error);

        if (!metadata)
                return NULL;
        struct held *held = memory_new(sizeof *held);
        held->users = 1;
        held->fetched_at = clock_monotonic();
        if (read_metadata(metadata, issuer, &held->provider, error))
                held->provider.keys = get(document_get_string(metadata, "jwks_uri"), error);
        if (held->provider.keys)
                return held;
        held_free(held);
        return NULL;
}

/* With `fetching` held. */
static const struct oidc_provider *fetch_now(const char *issuer, struct error *error)
{
        if (failed_issuer && !strcmp(failed_issuer, issuer) && clock_monotonic() - failed_at < PAUSE_MS) {
                error_set(error, last_failure.code, "%s", last_failure.message);
                return NULL;
        }
        struct held *held = fetch(issuer, error);
        free(failed_issuer);
        failed_issuer = held ? NULL : text_copy(issuer);
        if (!held) {
                failed_at = clock_monotonic();
                error_set(&last_failure, error->code, "%s", error->message);
                return NULL;
        }
        if (current)
                let_go(current);
        current = held;
        return &hold(held)->provider;
}

static bool is_good(const char *issuer)
{
        return current && !strcmp(current->provider.issuer, issuer) &&
               clock_monotonic() - current->fetched_at < KEPT_MS;
}

const struct oidc_provider *oidc_provider_take(const char *issuer, struct error *error)
{
        pthread_mutex_lock(&fetching);
        const struct oidc_provider *provider = is_good(issuer) ? &hold(current)->provider : fetch_now(issuer, error);
        pthread_mutex_unlock(&fetching);
        return provider;
}

const struct oidc_provider *oidc_provider_renew(const struct oidc_provider *stale, struct error *error)
{
        pthread_mutex_lock(&fetching);
        bool is_newer = is_good(stale->issuer) && &current->provider != stale;
        const struct oidc_provider *provider = is_newer ? &hold(current)->provider : fetch_now(stale->issuer, error);
        pthread_mutex_unlock(&fetching);
        return provider;
}
