/* What an OpenID provider, and a browser that comes back from one, may send: tokens, claims, tickets, codes. */
#include <string.h>

#include "server/base/document.h"
#include "server/base/jwt.h"
#include "server/base/secret.h"
#include "server/services/letter_code.h"
#include "server/services/oidc.h"
#include "server/services/oidc_claims.h"
#include "server/services/oidc_ticket.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char keys[] =
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4\","
        "\"y\":\"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM\"},"
        "{\"kty\":\"RSA\",\"e\":\"AQAB\",\"n\":\""
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0B"
        "m4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5"
        "z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7"
        "aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        "\"}]}";

/* RFC 7515, appendix A.3; the seed "keys" has its key. */
static const char token[] =
        "eyJhbGciOiJFUzI1NiJ9."
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";

static void check_keys(const json_t *set)
{
        auto_error error = {0};
        bool is_missing;

        auto_json *claims = jwt_open(token, set, &is_missing, &error);
        if (claims && is_missing)
                __builtin_trap();
}

static void check_claims(const json_t *claims)
{
        const struct oidc_expected expected = {.issuer = "https://id.example",
                                               .client_id = "longshore",
                                               .nonce = "n",
                                               .now = 1000000,
                                               .asked_after = 1};
        auto_error error = {0};

        bool is_good = oidc_claims_check(claims, &expected, &error);
        if (!is_good && error.code == ERROR_NONE)
                __builtin_trap();
        if (oidc_claims_asked_at(claims, expected.now) > expected.now)
                __builtin_trap();
        (void)oidc_claims_email(claims);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
        static json_t *set;
        auto_error error = {0}, refused = {0}, unread = {0};
        auto_oidc_ticket ticket = {0};
        char code[LETTER_CODE_SIZE(8)];
        bool is_missing;

        if (!set) {
                secret_init();
                set = json_loads(keys, 0, NULL);
        }
        auto_free char *text = text_format("%.*s", (int)size, (const char *)bytes);
        auto_json *opened = jwt_open(text, set, &is_missing, &error);
        if (opened || error.code == ERROR_NONE)
                __builtin_trap();
        if (oidc_ticket_open(text, text, 0, 1, &ticket, &refused))
                __builtin_trap();
        auto_json *claims = document_parse(text, strlen(text), &unread);
        if (json_is_object(claims)) {
                check_claims(claims);
                check_keys(claims);
        }
        if (letter_code_read(text, code, 8) && strlen(code) != sizeof code - 1)
                __builtin_trap();
        if (oidc_return_is_own(text) && (*text != '/' || strpbrk(text, "\r\n\\")))
                __builtin_trap();
        return 0;
}
