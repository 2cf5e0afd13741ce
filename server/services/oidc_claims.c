#include "server/services/oidc_claims.h"

#include <string.h>

#include "server/base/document.h"

/* 9999-12-31: beyond it a time is no time, and nothing that is added overflows. */
#define SECONDS_MAXIMUM INT64_C(253402300799)

static bool refuse(struct error *error, const char *why)
{
        return error_set(error, ERROR_UNAUTHENTICATED, "The OpenID provider's token %s.", why);
}

/* A NumericDate (RFC 7519, section 2) in seconds; -1 when it is missing or no time. */
static int64_t time_of(const json_t *claims, const char *name)
{
        const json_t *value = json_object_get(claims, name);
        double seconds = json_number_value(value);

        if (!json_is_number(value) || !(seconds >= 0) || seconds > (double)SECONDS_MAXIMUM)
                return -1;
        return (int64_t)seconds;
}

static bool check_audience(const json_t *claims, const char *client_id, struct error *error)
{
        const json_t *audience = json_object_get(claims, "aud"), *party = json_object_get(claims, "azp"), *entry;
        bool is_ours = json_is_string(audience) && !strcmp(json_string_value(audience), client_id);
        size_t i;

        if (json_is_array(audience))
                json_array_foreach(audience, i, entry) is_ours =
                        is_ours || (json_is_string(entry) && !strcmp(json_string_value(entry), client_id));
        if (!is_ours)
                return refuse(error, "is for another client");
        if (party ? !json_is_string(party) || strcmp(json_string_value(party), client_id) != 0
                  : json_array_size(audience) > 1)
                return refuse(error, "was issued to another client");
        return true;
}

static bool check_times(const json_t *claims, const struct oidc_expected *expected, struct error *error)
{
        int64_t now = expected->now / 1000, expires = time_of(claims, "exp"), issued = time_of(claims, "iat");

        if (expires < 0 || expires + OIDC_SKEW_SECONDS <= now)
                return refuse(error, "has expired");
        if (issued < 0 || issued > now + OIDC_SKEW_SECONDS)
                return refuse(error, "was issued in the future");
        if (json_object_get(claims, "nbf") &&
            (time_of(claims, "nbf") < 0 || time_of(claims, "nbf") > now + OIDC_SKEW_SECONDS))
                return refuse(error, "is not valid yet");
        if (!expected->asked_after)
                return true;
        int64_t asked = time_of(claims, "auth_time");
        if (asked < 0)
                return refuse(error,
                              "does not say when you signed in there (auth_time), and a fresh sign-in is needed");
        if (asked > now + OIDC_SKEW_SECONDS || asked + OIDC_SKEW_SECONDS < expected->asked_after / 1000)
                return refuse(error, "is of an older sign-in, and a fresh one is needed");
        return true;
}

bool oidc_claims_check(const json_t *claims, const struct oidc_expected *expected, struct error *error)
{
        const char *issuer = document_get_string(claims, "iss"), *subject = document_get_string(claims, "sub"),
                   *nonce = document_get_string(claims, "nonce");

        if (!issuer || strcmp(issuer, expected->issuer) != 0)
                return refuse(error, "is of another issuer");
        if (!check_audience(claims, expected->client_id, error) || !check_times(claims, expected, error))
                return false;
        if (!nonce || strcmp(nonce, expected->nonce) != 0)
                return refuse(error, "belongs to another sign-in (nonce)");
        if (!subject || !*subject || strlen(subject) > OIDC_SUBJECT_MAXIMUM)
                return refuse(error, "names no subject");
        return true;
}

int64_t oidc_claims_asked_at(const json_t *claims, int64_t now)
{
        int64_t asked = time_of(claims, "auth_time");

        if (asked < 0)
                return 0;
        return asked * 1000 < now ? asked * 1000 : now;
}

const char *oidc_claims_email(const json_t *claims)
{
        return json_is_true(json_object_get(claims, "email_verified")) ? document_get_string(claims, "email") : NULL;
}
