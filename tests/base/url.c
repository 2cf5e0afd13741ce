#include "tests/base/suites.h"
#include "tests/cmocka.h"

#include <stdio.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/secret.h"
#include "server/base/url.h"

/* The parts as "scheme|user|host|port|path|query|fragment", '-' for an absent one; NULL: refused. */
static const struct {
        const char *text, *parts;
} urls[] = {
        {"https://claude.ai/api/mcp/auth_callback", "https|-|claude.ai|-|/api/mcp/auth_callback|-|-"},
        {"http://127.0.0.1:8080/cb?a=b#c", "http|-|127.0.0.1|8080|/cb|a=b|c"},
        {"http://[::1]:9/x", "http|-|::1|9|/x|-|-"},
        {"https://user:pw@host/x", "https|user:pw|host|-|/x|-|-"},
        {"https://good.example@evil.example/x", "https|good.example|evil.example|-|/x|-|-"},
        {"https://host", "https|-|host|-||-|-"},
        {"https://host?", "https|-|host|-|||-"},
        {"com.example.app:/cb", "com.example.app|-|-|-|/cb|-|-"},
        {"cursor://anysphere.cursor/oauth", "cursor|-|anysphere.cursor|-|/oauth|-|-"},
        {"https://host/%41%c3", "https|-|host|-|/%41%c3|-|-"},
        {"https://host:65535/", "https|-|host|65535|/|-|-"},
        {"", NULL},
        {"/relative", NULL},
        {"//host/x", NULL},
        {"https:///x", NULL},
        {"https://@/x", NULL},
        {"https://host:/x", NULL},
        {"https://host:0/x", NULL},
        {"https://host:080/x", NULL},
        {"https://host:65536/x", NULL},
        {"https://host:1a/x", NULL},
        {"https://a@b@c/x", NULL},
        {"https://ho st/x", NULL},
        {"https://host\\@evil/x", NULL},
        {"https://host/a b", NULL},
        {"https://host/a\nb", NULL},
        {"https://host/%zz", NULL},
        {"https://host/%4", NULL},
        {"https://host/\xc3\xa9", NULL},
        {"https://h\xc3\xb6st/", NULL},
        {"https://ho%73t/", NULL},
        {"https://127.1/x", NULL},
        {"https://0x7f000001/x", NULL},
        {"https://2130706433/x", NULL},
        {"https://1.2.3.256/x", NULL},
        {"https://01.2.3.4/x", NULL},
        {"https://a..b/x", NULL},
        {"https://.a/x", NULL},
        {"https://[::1/x", NULL},
        {"https://[::g]/x", NULL},
        {"https://[::1]x/x", NULL},
        {"https://[fe80::1%25eth0]/x", NULL},
        {"1https://host/", NULL},
        {"ht tp://host/", NULL},
};

static void print_part(char *out, size_t size, const struct url_part *part)
{
        size_t length = strlen(out);

        if (part->at)
                snprintf(out + length, size - length, "%.*s|", (int)part->length, part->at);
        else
                snprintf(out + length, size - length, "-|");
}

static void a_url_is_taken_apart_or_refused(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(urls); i++) {
                char found[300] = "";
                struct url url;
                if (url_parse(urls[i].text, &url)) {
                        const struct url_part parts[] = {url.scheme, url.user,  url.host,    url.port,
                                                         url.path,   url.query, url.fragment};
                        for (size_t j = 0; j < COUNT_OF(parts); j++)
                                print_part(found, sizeof found, &parts[j]);
                        found[strlen(found) - 1] = '\0';
                }
                if (strcmp(found, urls[i].parts ? urls[i].parts : ""))
                        fail_msg("%s: %s", urls[i].text, found);
        }
}

static const struct {
        const char *text;
        bool is_loopback;
} hosts[] = {
        {"http://localhost/", true},
        {"http://LOCALHOST:1/", true},
        {"http://127.0.0.1:1/", true},
        {"http://[::1]/", true},
        {"http://[0:0:0:0:0:0:0:1]/", false},
        {"http://127.0.0.2/", false},
        {"http://localhost.evil.example/", false},
        {"http://localhost./", false},
        {"http://127.0.0.1.nip.io/", false},
        {"http://user@localhost/", true},
        {"http://localhost@evil.example/", false},
};

static void this_machine_has_three_spellings(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(hosts); i++) {
                struct url url;
                assert_true(url_parse(hosts[i].text, &url));
                if (url_is_loopback(&url) != hosts[i].is_loopback)
                        fail_msg("%s", hosts[i].text);
        }
}

static void a_form_is_read_back_as_it_was_printed(void **state)
{
        auto_text out = TEXT_WITH_MAXIMUM(1000);
        auto_error error = {0};

        (void)state;
        auto_json *form = form_parse("a=1+2&b=%26%3D%c3%a9&c&&d=%zz%", 30, &error);
        assert_non_null(form);
        assert_int_equal(json_object_size(form), 4);
        assert_string_equal(json_string_value(json_object_get(form, "a")), "1 2");
        assert_string_equal(json_string_value(json_object_get(form, "b")), "&=\xc3\xa9");
        assert_string_equal(json_string_value(json_object_get(form, "c")), "");
        assert_string_equal(json_string_value(json_object_get(form, "d")), "%zz%");
        form_print(form, &out);
        assert_string_equal(text_string(&out), "a=1%202&b=%26%3D%C3%A9&c=&d=%25zz%25");
        auto_json *again = form_parse(out.data, out.length, &error);
        assert_true(json_equal(form, again));
}

static void a_form_that_could_be_read_in_two_ways_is_refused(void **state)
{
        static const char *const forms[] = {"a=1&a=2", "a&%61=2", "a=%00", "a=%ff", "%00=a"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
                auto_error error = {0};
                assert_null(form_parse(forms[i], strlen(forms[i]), &error));
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
        }
}

/* RFC 7636, appendix B. */
static void a_challenge_follows_from_its_verifier(void **state)
{
        static const char verifier[] = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        uint8_t hash[SECRET_HASH_SIZE];

        (void)state;
        secret_sha256(verifier, strlen(verifier), hash);
        auto_free char *challenge = secret_base64url(hash, sizeof hash);
        assert_string_equal(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

int run_url_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_url_is_taken_apart_or_refused),
                cmocka_unit_test(this_machine_has_three_spellings),
                cmocka_unit_test(a_form_is_read_back_as_it_was_printed),
                cmocka_unit_test(a_form_that_could_be_read_in_two_ways_is_refused),
                cmocka_unit_test(a_challenge_follows_from_its_verifier),
        };

        return cmocka_run_group_tests_name("url", tests, NULL, NULL);
}
