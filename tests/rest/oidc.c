/* Sign-in at an OpenID provider: an honest one lets people in, and every other one does not. */
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/oidc.h"
#include "server/services/setting.h"
#include "tests/rest/browser.h"
#include "tests/rest/provider.h"

#define CREATING "{\"OIDC_CREATE_USERS\": true, \"OIDC_DEFAULT_ROLE\": \"Viewer\"}"
#define ANN "{\"preferred_username\": \"ann\", \"email\": \"ann@example.com\", \"email_verified\": true}"

/* A browser on its way through a sign-in. */
struct visit {
        char *state, *cookie; /* the cookie is a header line */
};

static void visit_clear(struct visit *visit)
{
        free(visit->state);
        free(visit->cookie);
}
#define auto_visit CLEANUP(visit_clear) struct visit

static int open_with_context(void **state)
{
        int failed = rest_set_up(state);
        struct rest_fixture *fixture = *state;

        oidc_limit_reset();
        fixture->services.address = "http://127.0.0.1:1";
        return failed;
}

static struct visit begin(struct rest_fixture *fixture, struct provider *provider, const char *path)
{
        auto_reply *reply = ask(fixture->connection, "GET", path, "", NULL);
        struct visit visit = {0};

        if (reply->status != 303)
                fail_msg("%s answered %d: %s", path, reply->status, reply->body);
        const char *cookie = reply_header(reply, "Set-Cookie");
        assert_non_null(strstr(cookie, "HttpOnly"));
        visit.cookie = text_format("Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
        visit.state = provider_visit(provider, reply_header(reply, "Location"));
        return visit;
}

static struct reply *come_back(struct rest_fixture *fixture, const struct visit *visit, const char *more)
{
        auto_free char *path =
                text_format("/login/oidc/callback?code=the-code&state=%s%s", visit->state, more ? more : "");

        return ask(fixture->connection, "GET", path, visit->cookie, NULL);
}

/* Who the browser is after it came back, on the heap; NULL when it was let in as nobody. */
static char *name_after(struct rest_fixture *fixture, const struct reply *reply)
{
        const char *at = strstr(reply->head, "longshore_session=");
        auto_error error = {0};

        if (!at)
                return NULL;
        auto_free char *cookie = text_format("Cookie: %.*s\r\n", (int)strcspn(at, ";"), at);
        auto_reply *shown = ask(fixture->connection, "GET", "/me", cookie, NULL);
        assert_int_equal(shown->status, 200);
        auto_json *me = document_parse(shown->body, shown->length, &error);
        assert_true(json_is_true(json_object_get(me, "sso")) && json_is_true(json_object_get(me, "ssoLinked")));
        return text_copy(document_get_string(me, "name"));
}

static void claim(struct provider *provider, const char *claims)
{
        json_decref(provider->claims);
        provider->claims = json_loads(claims, 0, NULL);
        assert_non_null(provider->claims);
}

/* A whole sign-in; NULL as the name: it must be refused with the status and the words. */
static void expect(struct rest_fixture *fixture, struct provider *provider, const char *name, int status,
                   const char *words)
{
        auto_visit visit = begin(fixture, provider, "/login/oidc?return=/tasks.html");
        auto_reply *reply = come_back(fixture, &visit, NULL);
        auto_free char *found = name_after(fixture, reply);

        if (reply->status != status)
                fail_msg("%d instead of %d: %s", reply->status, status, reply->body);
        if (name)
                assert_string_equal(found ? found : "nobody", name);
        else
                assert_null(found);
        if (name)
                assert_string_equal(reply_header(reply, "Location"), "/tasks.html");
        else if (!strstr(reply->body, words))
                fail_msg("%s does not say: %s", reply->body, words);
}

static void somebody_new_becomes_a_user_with_the_role_and_is_known_again(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        claim(&provider, ANN);
        expect(fixture, &provider, "ann", 303, NULL);
        claim(&provider, "{\"preferred_username\": \"other\"}");
        expect(fixture, &provider, "ann", 303, NULL);
        provider.key = PROVIDER_CURVE;
        expect(fixture, &provider, "ann", 303, NULL);
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *explained = ask(fixture->connection, "GET", "/bindings", headers, NULL);
        assert_non_null(strstr(explained->body, "\"user\":\"ann\""));
        auto_reply *audit = ask(fixture->connection, "GET", "/audit?limit=50", headers, NULL);
        assert_non_null(strstr(audit->body, "identity.link"));
        provider_stop(&provider);
}

static void nobody_comes_in_who_was_not_let_in(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};
        auto_free char *headers = rest_bearer(fixture->administrator);

        provider_start(&provider, NULL);
        claim(&provider, ANN);
        expect(fixture, &provider, NULL, 403, "Nobody here is linked");
        free(rest_key(fixture, "ann", NULL));
        free(rest_key(fixture, "ann@example.com", NULL));
        provider_settings(&provider, CREATING);
        expect(fixture, &provider, NULL, 403, "There is a user ann here already");
        auto_free char *link = text_format("{\"subject\":\"subject-1\"}");
        assert_int_equal(browser_status_of(fixture, "POST", "/users/ann/identities", headers, link), 201);
        assert_int_equal(browser_status_of(fixture, "POST", "/users/ann/identities", headers, link), 409);
        expect(fixture, &provider, "ann", 303, NULL);
        assert_int_equal(browser_status_of(fixture, "DELETE", "/users/ann/identities/subject-1", headers, NULL), 200);
        provider_settings(&provider, NULL);
        expect(fixture, &provider, NULL, 403, "Nobody here is linked");
        provider_stop(&provider);
}

static void an_address_links_only_when_it_is_verified_and_the_setting_says_so(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        free(rest_key(fixture, "ann@example.com", NULL));
        provider_start(&provider, NULL);
        claim(&provider, ANN);
        expect(fixture, &provider, NULL, 403, "Nobody here is linked");
        provider_settings(&provider, "{\"OIDC_LINK_BY_EMAIL\": true}");
        claim(&provider, "{\"email\": \"ann@example.com\", \"email_verified\": false}");
        expect(fixture, &provider, NULL, 403, "Nobody here is linked");
        claim(&provider, "{\"email\": \"ann@example.com\"}");
        expect(fixture, &provider, NULL, 403, "Nobody here is linked");
        claim(&provider, ANN);
        expect(fixture, &provider, "ann@example.com", 303, NULL);
        claim(&provider, "{\"sub\": \"subject-2\", \"email\": \"ann@example.com\", \"email_verified\": true}");
        provider.info = json_pack("{s:s}", "sub", "subject-2");
        expect(fixture, &provider, NULL, 403, "linked to another account");
        provider_stop(&provider);
}

static void only_allowed_domains_are_let_in(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider,
                       "{\"OIDC_CREATE_USERS\": true, \"OIDC_ALLOWED_DOMAINS\": \"example.org, Example.com\"}");
        claim(&provider,
              "{\"preferred_username\": \"ann\", \"email\": \"ann@evil.example\", \"email_verified\": true}");
        expect(fixture, &provider, NULL, 403, "allowed domain");
        claim(&provider,
              "{\"preferred_username\": \"ann\", \"email\": \"ann@xexample.com\", \"email_verified\": true}");
        expect(fixture, &provider, NULL, 403, "allowed domain");
        claim(&provider,
              "{\"preferred_username\": \"ann\", \"email\": \"ann@example.com\", \"email_verified\": false}");
        expect(fixture, &provider, NULL, 403, "allowed domain");
        claim(&provider, "{\"preferred_username\": \"ann\"}");
        expect(fixture, &provider, NULL, 403, "allowed domain");
        claim(&provider, ANN);
        expect(fixture, &provider, "ann", 303, NULL);
        provider_stop(&provider);
}

static void names_come_from_userinfo_when_the_token_lacks_them(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        provider.info = json_pack("{s:s, s:s}", "sub", "somebody else", "preferred_username", "ann");
        expect(fixture, &provider, NULL, 401, "did not tell more");
        json_object_set_new(provider.info, "sub", json_string("subject-1"));
        expect(fixture, &provider, "ann", 303, NULL);
        provider_stop(&provider);
}

/* Claims that a token must not have, relative to now where they are times, and what is said of it. */
static const struct {
        const char *claims, *words;
} faults[] = {
        {"{\"iss\": \"https://elsewhere.example\"}", "another issuer"},
        {"{\"iss\": null}", "another issuer"},
        {"{\"aud\": \"another-client\"}", "for another client"},
        {"{\"aud\": null}", "for another client"},
        {"{\"aud\": [\"longshore-test\", \"another-client\"]}", "issued to another client"},
        {"{\"azp\": \"another-client\"}", "issued to another client"},
        {"{\"nonce\": \"of another sign-in\"}", "(nonce)"},
        {"{\"nonce\": null}", "(nonce)"},
        {"{\"exp\": 1000}", "expired"},
        {"{\"exp\": null}", "expired"},
        {"{\"exp\": \"9999999999\"}", "expired"},
        {"{\"exp\": -5}", "expired"},
        {"{\"iat\": 99999999999}", "in the future"},
        {"{\"iat\": null}", "in the future"},
        {"{\"nbf\": 99999999999}", "not valid yet"},
        {"{\"nbf\": \"soon\"}", "not valid yet"},
        {"{\"sub\": null}", "names no subject"},
        {"{\"sub\": \"\"}", "names no subject"},
        {"{\"sub\": 7}", "names no subject"},
};

static void tokens_with_a_wrong_claim_are_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        for (size_t i = 0; i < COUNT_OF(faults); i++) {
                claim(&provider, faults[i].claims);
                expect(fixture, &provider, NULL, 401, faults[i].words);
        }
        claim(&provider, "{\"aud\": [\"longshore-test\", \"more\"], \"azp\": \"longshore-test\", "
                         "\"preferred_username\": \"ann\", \"email\": \"a\"}");
        expect(fixture, &provider, "ann", 303, NULL);
        provider_stop(&provider);
}

static void tokens_that_the_provider_did_not_sign_are_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        claim(&provider, ANN);
        provider.key = PROVIDER_UNKNOWN;
        expect(fixture, &provider, NULL, 401, "not published");
        provider.header = "{\"alg\":\"RS256\",\"kid\":\"rsa\"}";
        expect(fixture, &provider, NULL, 401, "wrong signature");
        provider.header = "{\"alg\":\"RS384\",\"kid\":\"rsa\"}";
        expect(fixture, &provider, NULL, 401, "not accepted");
        provider.header = "{\"alg\":\"PS256\",\"kid\":\"rsa\"}";
        expect(fixture, &provider, NULL, 401, "not accepted");
        provider.token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzdWJqZWN0LTEifQ.";
        expect(fixture, &provider, NULL, 401, "compact form");
        provider.token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzdWJqZWN0LTEifQ.AAAA";
        expect(fixture, &provider, NULL, 401, "not accepted");
        provider.token = "";
        expect(fixture, &provider, NULL, 401, "compact form");
        provider_stop(&provider);
}

static void a_key_that_is_new_is_fetched_once(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL, .is_rotated = true};

        provider_start(&provider, CREATING);
        claim(&provider, ANN);
        expect(fixture, &provider, "ann", 303, NULL);
        assert_int_equal(provider.keys_told, 2);
        expect(fixture, &provider, "ann", 303, NULL);
        assert_int_equal(provider.keys_told, 2);
        provider_stop(&provider);
}

static void expect_refused(struct rest_fixture *fixture, const char *path, const char *cookie, const char *words)
{
        auto_reply *reply = ask(fixture->connection, "GET", path, cookie, NULL);

        assert_int_equal(reply->status, 401);
        assert_null(strstr(reply->head, "longshore_session="));
        if (!strstr(reply->body, words))
                fail_msg("%s does not say: %s", reply->body, words);
}

static void an_answer_counts_once_and_in_the_browser_that_asked(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        claim(&provider, ANN);
        auto_visit mine = begin(fixture, &provider, "/login/oidc");
        auto_visit other = begin(fixture, &provider, "/login/oidc");
        auto_free char *path = text_format("/login/oidc/callback?code=the-code&state=%s", other.state);
        expect_refused(fixture, path, "", "not begun in this browser");
        expect_refused(fixture, path, "Cookie: longshore_oidc=AAAA\r\n", "not begun in this browser");
        expect_refused(fixture, path, mine.cookie, "another sign-in");
        expect_refused(fixture, "/login/oidc/callback?code=the-code", other.cookie, "not begun in this browser");
        assert_int_equal(provider.codes_taken, 0);
        auto_reply *reply = come_back(fixture, &other, NULL);
        assert_int_equal(reply->status, 303);
        assert_string_equal(reply_header(reply, "Location"), "/");
        expect_refused(fixture, path, other.cookie, "finished already");
        assert_int_equal(provider.codes_taken, 1);
        provider_stop(&provider);
}

static void what_the_provider_refuses_is_told_without_markup(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        auto_visit denied = begin(fixture, &provider, "/login/oidc");
        auto_free char *path = text_format("/login/oidc/callback?error=%%3Cb%%3Eaccess_denied&state=%s", denied.state);
        expect_refused(fixture, path, denied.cookie, "&lt;b&gt;access_denied");
        auto_visit elsewhere = begin(fixture, &provider, "/login/oidc");
        auto_reply *mixed = come_back(fixture, &elsewhere, "&iss=https://elsewhere.example");
        assert_int_equal(mixed->status, 401);
        provider.refusal = "invalid_grant";
        expect(fixture, &provider, NULL, 401, "invalid_grant");
        provider_stop(&provider);
}

static void a_fresh_sign_in_is_asked_for_and_checked(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};
        const char *path = "/login/oidc?return=/mcp/oauth/authorize%3Fclient_id%3Dx%26state%3Dy&fresh=true";
        int64_t now = clock_now() / 1000;

        provider_start(&provider, CREATING);
        auto_reply *sent = ask(fixture->connection, "GET", path, "", NULL);
        assert_non_null(strstr(reply_header(sent, "Location"), "&prompt=login&max_age=0"));
        const struct {
                const char *asked_at;
                int status;
        } cases[] = {{"", 401}, {"-3600", 401}, {"0", 303}};
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_free char *claims = text_format("{\"preferred_username\": \"ann\", \"email\": \"a\"%s%.0lld}",
                                                     *cases[i].asked_at ? ", \"auth_time\": " : "",
                                                     *cases[i].asked_at ? (long long)now + atoi(cases[i].asked_at) : 0);
                claim(&provider, claims);
                auto_visit visit = begin(fixture, &provider, path);
                auto_reply *reply = come_back(fixture, &visit, NULL);
                assert_int_equal(reply->status, cases[i].status);
                if (reply->status == 303)
                        assert_string_equal(reply_header(reply, "Location"),
                                            "/mcp/oauth/authorize?client_id=x&state=y");
        }
        provider_stop(&provider);
}

static void the_browser_is_sent_to_paths_of_this_server_only(void **state)
{
        static const char *const refused[] = {"https://evil.example",
                                              "//evil.example",
                                              "/%5Cevil.example",
                                              "%5C%5Cevil.example",
                                              "/a%0D%0ASet-Cookie:x=y",
                                              "tasks",
                                              ""};
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        for (size_t i = 0; i < COUNT_OF(refused); i++) {
                auto_free char *path = text_format("/login/oidc?return=%s", refused[i]);
                assert_int_equal(browser_status_of(fixture, "GET", path, "", NULL), 400);
        }
        provider_stop(&provider);
}

static void answers_of_one_address_are_limited(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};

        provider_start(&provider, CREATING);
        for (int i = 0; i < 60; i++)
                assert_int_equal(browser_status_of(fixture, "GET", "/login/oidc/callback", "", NULL), 401);
        auto_reply *refused = ask(fixture->connection, "GET", "/login/oidc/callback", "", NULL);
        assert_int_equal(refused->status, 429);
        assert_non_null(reply_header(refused, "Retry-After"));
        provider_stop(&provider);
}

static void without_settings_there_is_no_such_sign_in(void **state)
{
        struct rest_fixture *fixture = *state;

        assert_int_equal(browser_status_of(fixture, "GET", "/login/oidc", "", NULL), 404);
        assert_int_equal(browser_status_of(fixture, "GET", "/login/oidc/callback?code=a&state=b", "", NULL), 404);
        auto_reply *options = ask(fixture->connection, "GET", "/login/options", "", NULL);
        assert_string_equal(options->body, "{\"password\":true,\"sso\":false,\"setupNeeded\":false}");
}

static void the_clients_secret_is_sealed_and_never_shown(void **state)
{
        struct rest_fixture *fixture = *state;
        struct provider provider = {.server = NULL};
        auto_free char *headers = rest_bearer(fixture->administrator);

        provider_start(&provider, "{\"OIDC_CLIENT_SECRET\": null, \"OIDC_CREATE_USERS\": true}");
        claim(&provider, ANN);
        auto_free char *body = text_format("{\"value\":\"%s\"}", PROVIDER_SECRET);
        auto_reply *set = ask(fixture->connection, "PUT", "/settings/OIDC_CLIENT_SECRET", headers, body);
        assert_int_equal(set->status, 200);
        assert_null(strstr(set->body, PROVIDER_SECRET));
        auto_reply *list = ask(fixture->connection, "GET", "/settings", headers, NULL);
        assert_null(strstr(list->body, PROVIDER_SECRET));
        assert_non_null(strstr(list->body, "\"(sealed)\""));
        auto_reply *audit = ask(fixture->connection, "GET", "/audit?limit=50", headers, NULL);
        assert_null(strstr(audit->body, PROVIDER_SECRET));
        expect(fixture, &provider, "ann", 303, NULL);
        assert_int_equal(browser_status_of(fixture, "DELETE", "/settings/OIDC_CLIENT_SECRET", headers, NULL), 200);
        expect(fixture, &provider, NULL, 401, "invalid_client");
        provider_stop(&provider);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_with_context, rest_tear_down)

int run_oidc_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(somebody_new_becomes_a_user_with_the_role_and_is_known_again),
                TEST(nobody_comes_in_who_was_not_let_in),
                TEST(an_address_links_only_when_it_is_verified_and_the_setting_says_so),
                TEST(only_allowed_domains_are_let_in),
                TEST(names_come_from_userinfo_when_the_token_lacks_them),
                TEST(tokens_with_a_wrong_claim_are_refused),
                TEST(tokens_that_the_provider_did_not_sign_are_refused),
                TEST(a_key_that_is_new_is_fetched_once),
                TEST(an_answer_counts_once_and_in_the_browser_that_asked),
                TEST(what_the_provider_refuses_is_told_without_markup),
                TEST(a_fresh_sign_in_is_asked_for_and_checked),
                TEST(the_browser_is_sent_to_paths_of_this_server_only),
                TEST(answers_of_one_address_are_limited),
                TEST(without_settings_there_is_no_such_sign_in),
                TEST(the_clients_secret_is_sealed_and_never_shown),
        };

        return cmocka_run_group_tests_name("oidc", tests, NULL, NULL);
}
