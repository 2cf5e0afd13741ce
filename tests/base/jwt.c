#include "server/base/jwt.h"

#include <cjose/cjose.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/secret.h"
#include "tests/base/suites.h"
#include "tests/cmocka.h"

#define CLAIMS "{\"sub\":\"ann\",\"n\":1}"

static cjose_jwk_t *rsa, *other_rsa, *weak_rsa, *curve;

static int make_keys(void **state)
{
        static const uint8_t exponent[] = {1, 0, 1};

        (void)state;
        rsa = cjose_jwk_create_RSA_random(2048, exponent, sizeof exponent, NULL);
        other_rsa = cjose_jwk_create_RSA_random(2048, exponent, sizeof exponent, NULL);
        weak_rsa = cjose_jwk_create_RSA_random(1024, exponent, sizeof exponent, NULL);
        curve = cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, NULL);
        return !rsa || !other_rsa || !weak_rsa || !curve;
}

static int release_keys(void **state)
{
        (void)state;
        cjose_jwk_release(rsa);
        cjose_jwk_release(other_rsa);
        cjose_jwk_release(weak_rsa);
        cjose_jwk_release(curve);
        return 0;
}

/* The public key as a provider publishes it; `more` is merged into it (NULL for nothing). */
static json_t *published(const cjose_jwk_t *key, const char *more)
{
        char *text = cjose_jwk_to_json(key, false, NULL);
        json_t *document = json_loads(text, 0, NULL);

        if (more) {
                auto_json *members = json_loads(more, 0, NULL);
                json_object_update(document, members);
        }
        cjose_get_dealloc()(text);
        return document;
}

static json_t *set_of(json_t *key)
{
        return json_pack("{s:[o]}", "keys", key);
}

static char *sign(const cjose_jwk_t *key, const char *header, const char *claims)
{
        cjose_header_t *members = json_loads(header, 0, NULL);
        const char *compact = NULL;

        cjose_jws_t *jws = cjose_jws_sign(key, members, (const uint8_t *)claims, strlen(claims), NULL);
        assert_non_null(jws);
        assert_true(cjose_jws_export(jws, &compact, NULL));
        char *token = text_copy(compact);
        cjose_jws_release(jws);
        json_decref(members);
        return token;
}

static void expect_open(const char *token, json_t *set)
{
        auto_json *owned = set;
        auto_error error = {0};
        bool is_missing;

        auto_json *claims = jwt_open(token, set, &is_missing, &error);
        assert_string_equal(error.message, "");
        assert_string_equal(document_get_string(claims, "sub"), "ann");
        assert_false(is_missing);
}

static void expect_refused(const char *token, json_t *set, bool is_key_missing, const char *why)
{
        auto_json *owned = set;
        auto_error error = {0};
        bool is_missing;

        assert_null(jwt_open(token, set, &is_missing, &error));
        assert_int_equal(error.code, ERROR_UNAUTHENTICATED);
        assert_non_null(strstr(error.message, why));
        assert_int_equal(is_missing, is_key_missing);
}

static void tokens_of_both_algorithms_are_opened_with_the_published_key(void **state)
{
        auto_free char *by_rsa = sign(rsa, "{\"alg\":\"RS256\",\"kid\":\"a\"}", CLAIMS);
        auto_free char *by_curve = sign(curve, "{\"alg\":\"ES256\"}", CLAIMS);

        (void)state;
        expect_open(by_rsa, set_of(published(rsa, "{\"kid\":\"a\",\"use\":\"sig\",\"alg\":\"RS256\"}")));
        expect_open(by_curve, set_of(published(curve, NULL)));
        auto_free char *unnamed = sign(rsa, "{\"alg\":\"RS256\"}", CLAIMS);
        expect_open(unnamed, json_pack("{s:[o,o,o]}", "keys", published(curve, NULL), published(other_rsa, NULL),
                                       published(rsa, "{\"kid\":\"a\",\"key_ops\":[\"verify\"]}")));
}

static void a_key_that_is_not_in_the_set_is_told_as_missing(void **state)
{
        auto_free char *token = sign(rsa, "{\"alg\":\"RS256\",\"kid\":\"b\"}", CLAIMS);

        (void)state;
        expect_refused(token, set_of(published(rsa, "{\"kid\":\"a\"}")), true, "not published");
        expect_refused(token, set_of(published(rsa, NULL)), true, "not published");
        expect_refused(token, json_object(), true, "not published");
        expect_refused(token, set_of(published(rsa, "{\"kid\":\"b\",\"use\":\"enc\"}")), true, "not published");
        expect_refused(token, set_of(published(rsa, "{\"kid\":\"b\",\"alg\":\"RS512\"}")), true, "not published");
        expect_refused(token, set_of(published(rsa, "{\"kid\":\"b\",\"key_ops\":[\"sign\"]}")), true, "not published");
}

static void a_signature_of_another_key_is_wrong(void **state)
{
        auto_free char *token = sign(other_rsa, "{\"alg\":\"RS256\",\"kid\":\"a\"}", CLAIMS);
        auto_free char *weak = sign(weak_rsa, "{\"alg\":\"RS256\",\"kid\":\"a\"}", CLAIMS);
        auto_free char *good = sign(rsa, "{\"alg\":\"RS256\",\"kid\":\"a\"}", CLAIMS);
        char *claims = strchr(good, '.') + 1;

        (void)state;
        expect_refused(token, set_of(published(rsa, "{\"kid\":\"a\"}")), false, "wrong signature");
        expect_refused(weak, set_of(published(weak_rsa, "{\"kid\":\"a\"}")), false, "wrong signature");
        claims[5] = claims[5] == 'A' ? 'B' : 'A';
        expect_refused(good, set_of(published(rsa, "{\"kid\":\"a\"}")), false, "wrong signature");
}

/* The header and claims as given, with the signature. */
static char *forged(const char *header, const char *signature)
{
        auto_free char *first = secret_base64url(header, strlen(header));
        auto_free char *second = secret_base64url(CLAIMS, strlen(CLAIMS));

        return text_format("%s.%s.%s", first, second, signature);
}

static const struct {
        const char *header, *signature, *why;
} forgeries[] = {
        {"{\"alg\":\"none\"}", "", "compact form"},
        {"{\"alg\":\"none\"}", "AAAA", "not accepted"},
        {"{\"alg\":\"HS256\"}", "AAAA", "not accepted"},
        {"{\"alg\":\"RS512\"}", "AAAA", "not accepted"},
        {"{\"alg\":\"PS256\"}", "AAAA", "not accepted"},
        {"{\"alg\":\"rs256\"}", "AAAA", "not accepted"},
        {"{\"alg\":[\"RS256\"]}", "AAAA", "not accepted"},
        {"{}", "AAAA", "not accepted"},
        {"{\"alg\":\"RS256\",\"crit\":[\"exp\"]}", "AAAA", "not accepted"},
        {"{\"alg\":\"RS256\",\"alg\":\"none\"}", "AAAA", "no header"},
        {"[]", "AAAA", "no header"},
        {"not json", "AAAA", "no header"},
        {"{\"alg\":\"RS256\"}", "AA=A", "compact form"},
        {"{\"alg\":\"RS256\"}", "A+/A", "compact form"},
        {"{\"alg\":\"RS256\"}", "A", "compact form"},
        {"{\"alg\":\"RS256\"}", "AAAA", "wrong signature"},
        {"{\"alg\":\"ES256\"}", "AAAA", "not published"},
};

static void headers_that_choose_another_way_are_refused(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(forgeries); i++) {
                auto_free char *token = forged(forgeries[i].header, forgeries[i].signature);
                expect_refused(token, set_of(published(rsa, NULL)), strstr(forgeries[i].why, "published") != NULL,
                               forgeries[i].why);
        }
        expect_refused("", json_object(), false, "compact form");
        expect_refused("a.b", json_object(), false, "compact form");
        expect_refused("a.b.c.d", json_object(), false, "compact form");
}

/* What the provider publishes is not trusted to be well made either. */
static void broken_keys_open_nothing(void **state)
{
        static const char *const changes[] = {"{\"n\":\"\"}",     "{\"n\":\"=\"}",    "{\"n\":\"a b\"}",
                                              "{\"n\":\"A\"}",    "{\"n\":7}",        "{\"e\":\"\"}",
                                              "{\"e\":\"!!!!\"}", "{\"n\":\"AAAA\"}", "{\"kty\":\"RSA\",\"e\":null}"};
        auto_free char *token = sign(rsa, "{\"alg\":\"RS256\"}", CLAIMS);
        auto_free char *by_curve = sign(curve, "{\"alg\":\"ES256\"}", CLAIMS);

        (void)state;
        for (size_t i = 0; i < COUNT_OF(changes); i++)
                expect_refused(token, set_of(published(rsa, changes[i])), false, "wrong signature");
        expect_refused(by_curve, set_of(published(curve, "{\"x\":\"AAAA\"}")), false, "wrong signature");
        expect_refused(by_curve, set_of(published(curve, "{\"y\":\"====\"}")), false, "wrong signature");
        expect_refused(by_curve, set_of(published(curve, "{\"crv\":\"P-384\"}")), true, "not published");
        expect_refused(token, json_pack("{s:s}", "keys", "none"), true, "not published");
        expect_refused(token, json_pack("{s:[s, i]}", "keys", "none", 7), true, "not published");
}

/* The old trick: the public key's bytes as the secret of an HMAC. */
static void a_public_key_is_no_shared_secret(void **state)
{
        auto_json *shown = published(rsa, NULL);
        const char *modulus = document_get_string(shown, "n");
        auto_free char *secret = secret_base64url(modulus, strlen(modulus));
        auto_json *shared = json_pack("{s:s, s:s}", "kty", "oct", "k", secret);
        auto_free char *printed = document_print(shared);
        cjose_jwk_t *key = cjose_jwk_import(printed, strlen(printed), NULL);

        (void)state;
        auto_free char *token = sign(key, "{\"alg\":\"HS256\"}", CLAIMS);
        cjose_jwk_release(key);
        expect_refused(token, set_of(published(rsa, NULL)), false, "not accepted");
        expect_refused(token, set_of(json_incref(shared)), false, "not accepted");
}

int run_jwt_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(tokens_of_both_algorithms_are_opened_with_the_published_key),
                cmocka_unit_test(a_key_that_is_not_in_the_set_is_told_as_missing),
                cmocka_unit_test(a_signature_of_another_key_is_wrong),
                cmocka_unit_test(headers_that_choose_another_way_are_refused),
                cmocka_unit_test(broken_keys_open_nothing),
                cmocka_unit_test(a_public_key_is_no_shared_secret),
        };

        return cmocka_run_group_tests_name("jwt", tests, make_keys, release_keys);
}
