#include "server/base/jwt.h"

#include <cjose/cjose.h>
#include <string.h>

#include "server/base/document.h"

#define RSA_BITS_MINIMUM 2048
#define RSA_BITS_MAXIMUM 8192
#define KEY_ID_MAXIMUM 200
/* Characters: an RSA modulus of RSA_BITS_MAXIMUM, and leading zeros. */
#define KEY_MEMBER_MAXIMUM 1500

/* The algorithms, and which members of a key make up its public part. */
static const struct algorithm {
        const char *name, *kind, *curve;
        const char *members[3];
} algorithms[] = {
        {"RS256", "RSA", NULL, {"n", "e", NULL}},
        {"ES256", "EC", "P-256", {"x", "y", NULL}},
};

static void jws_release(cjose_jws_t **jws)
{
        if (*jws)
                cjose_jws_release(*jws);
}
#define auto_jws CLEANUP(jws_release) cjose_jws_t

static bool refuse(struct error *error, const char *why)
{
        return error_set(error, ERROR_UNAUTHENTICATED, "the token %s", why);
}

/* The library ends the process on what is no base64url (RFC 4648, section 5): nothing else gets to it. */
static bool is_base64url(const char *text, size_t length)
{
        static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

        return length && length % 4 != 1 && strspn(text, alphabet) >= length;
}

/* The protected header, read strictly: what is given twice could be read differently elsewhere. */
static json_t *read_header(const char *token, struct error *error)
{
        uint8_t *bytes = NULL;
        size_t length = 0;
        auto_error unread = {0};

        json_t *header = cjose_base64url_decode(token, strcspn(token, "."), &bytes, &length, NULL)
                                 ? document_parse((const char *)bytes, length, &unread)
                                 : NULL;
        free(bytes);
        if (!json_is_object(header)) {
                json_decref(header);
                refuse(error, "has no header");
                return NULL;
        }
        return header;
}

static const struct algorithm *algorithm_of(const json_t *header)
{
        const char *name = document_get_string(header, "alg");

        for (size_t i = 0; name && i < COUNT_OF(algorithms); i++)
                if (!strcmp(algorithms[i].name, name))
                        return &algorithms[i];
        return NULL;
}

/* Whether an optional member is missing or the string. */
static bool is_or_missing(const json_t *object, const char *name, const char *wanted)
{
        const json_t *value = json_object_get(object, name);

        return !value || (json_is_string(value) && !strcmp(json_string_value(value), wanted));
}

static bool may_verify(const json_t *key)
{
        const json_t *uses = json_object_get(key, "key_ops"), *use;
        size_t i;

        if (!uses)
                return true;
        json_array_foreach(uses, i,
                           use) if (json_is_string(use) && !strcmp(json_string_value(use), "verify")) return true;
        return false;
}

static bool is_key_for(const json_t *key, const struct algorithm *algorithm, const char *id)
{
        const char *kind = document_get_string(key, "kty"), *own = document_get_string(key, "kid");

        return kind && !strcmp(kind, algorithm->kind) && is_or_missing(key, "use", "sig") &&
               is_or_missing(key, "alg", algorithm->name) && may_verify(key) &&
               (!algorithm->curve || !strcmp(algorithm->curve, document_get_string(key, "crv") ?: "")) &&
               (!id || (own && !strcmp(own, id)));
}

/* Only the public members go on: nothing else that stands in the set means anything here. */
static cjose_jwk_t *import(const json_t *key, const struct algorithm *algorithm)
{
        auto_json *public = json_pack("{s:s}", "kty", algorithm->kind);

        if (algorithm->curve)
                json_object_set_new(public, "crv", json_string(algorithm->curve));
        for (const char *const *member = algorithm->members; *member; member++) {
                const char *value = document_get_string(key, *member);
                if (!value || strlen(value) > KEY_MEMBER_MAXIMUM || !is_base64url(value, strlen(value)))
                        return NULL;
                json_object_set_new(public, *member, json_string(value));
        }
        auto_free char *printed = document_print(public);
        return cjose_jwk_import(printed, strlen(printed), NULL);
}

static bool is_strong(const cjose_jwk_t *key, const struct algorithm *algorithm)
{
        size_t bits = cjose_jwk_get_keysize(key, NULL);

        return algorithm->curve || (bits >= RSA_BITS_MINIMUM && bits <= RSA_BITS_MAXIMUM);
}

static bool is_signed_by(cjose_jws_t *jws, const json_t *key, const struct algorithm *algorithm)
{
        cjose_jwk_t *imported = import(key, algorithm);

        if (!imported)
                return false;
        bool is_signed = is_strong(imported, algorithm) && cjose_jws_verify(jws, imported, NULL);
        cjose_jwk_release(imported);
        return is_signed;
}

/* The library may not be asked twice about one object after a failure. */
static json_t *try_key(const char *token, const json_t *key, const struct algorithm *algorithm)
{
        auto_jws *jws = cjose_jws_import(token, strlen(token), NULL);
        uint8_t *bytes = NULL;
        size_t length = 0;
        auto_error unread = {0};

        if (!jws || !is_signed_by(jws, key, algorithm) || !cjose_jws_get_plaintext(jws, &bytes, &length, NULL))
                return NULL;
        json_t *claims = document_parse((const char *)bytes, length, &unread);
        if (!claims || json_is_object(claims))
                return claims;
        json_decref(claims);
        return NULL;
}

static json_t *try_keys(const char *token, const json_t *key_set, const struct algorithm *algorithm, const char *id,
                        bool *is_key_missing)
{
        const json_t *key;
        json_t *claims = NULL;
        size_t i;

        *is_key_missing = true;
        json_array_foreach(json_object_get(key_set, "keys"), i, key)
        {
                if (i >= JWT_KEYS_MAXIMUM || claims)
                        break;
                if (!is_key_for(key, algorithm, id))
                        continue;
                *is_key_missing = false;
                claims = try_key(token, key, algorithm);
        }
        return claims;
}

/* Three parts of base64url with dots between. */
static bool is_compact(const char *token)
{
        if (strnlen(token, JWT_MAXIMUM + 1) > JWT_MAXIMUM)
                return false;
        for (int part = 0; part < 3; part++) {
                size_t length = strcspn(token, ".");
                if (!is_base64url(token, length) || token[length] != (part < 2 ? '.' : '\0'))
                        return false;
                token += length + (part < 2);
        }
        return true;
}

json_t *jwt_open(const char *token, const json_t *key_set, bool *is_key_missing, struct error *error)
{
        *is_key_missing = false;
        auto_json *header = is_compact(token) ? read_header(token, error) : NULL;
        if (!header) {
                if (error->code == ERROR_NONE)
                        refuse(error, "is not a signed one in the compact form");
                return NULL;
        }
        const struct algorithm *algorithm = algorithm_of(header);
        const char *id = document_get_string(header, "kid");
        if (!algorithm || json_object_get(header, "crit") || (id && strlen(id) > KEY_ID_MAXIMUM)) {
                refuse(error, "is signed in a way that is not accepted: RS256 or ES256 is needed");
                return NULL;
        }
        json_t *claims = try_keys(token, key_set, algorithm, id, is_key_missing);
        if (!claims)
                refuse(error, *is_key_missing ? "is signed with a key that is not published" : "has a wrong signature");
        return claims;
}
