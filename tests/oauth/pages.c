/* What a person sees, and that nobody else can act for them. */
#include "server/base/clock.h"
#include "server/base/otp.h"
#include "server/services/login_limit.h"
#include "tests/oauth/fixture.h"
#include "tests/rest/browser.h"

#define FORM_PASSWORD "correct+horse"

static void whoever_is_not_signed_in_signs_in_first(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_reply *page = oauth_get(fixture, path, NULL);
        auto_free char *query = oauth_field(page, "query");

        assert_int_equal(page->status, 200);
        assert_string_equal(query, strchr(path, '?') + 1);
        assert_non_null(strstr(page->body, "name=\"password\""));
        assert_null(strstr(page->body, "<script"));
}

static void a_wrong_password_shows_the_form_again(void **state)
{
        struct rest_fixture *fixture = *state;

        login_limit_reset();
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/sign-in", NULL, "query=a%3Db&user=vera&password=wrong");
        assert_int_equal(reply->status, 403);
        assert_null(reply_header(reply, "Set-Cookie"));
        assert_non_null(strstr(reply->body, "name=\"query\" value=\"a=b\""));
        assert_non_null(strstr(reply->body, "name=\"user\" value=\"vera\""));
        assert_null(strstr(reply->body, "wrong\""));
        auto_reply *nothing = oauth_post(fixture, "/mcp/oauth/sign-in", NULL, "query=a");
        assert_int_equal(nothing->status, 400);
}

static void too_many_attempts_are_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        int status = 0;

        login_limit_reset();
        for (int i = 0; i < 11; i++) {
                auto_reply *reply = oauth_post(fixture, "/mcp/oauth/sign-in", NULL, "user=nobody&password=x");
                status = reply->status;
                if (status == 429)
                        assert_non_null(reply_header(reply, "Retry-After"));
        }
        assert_int_equal(status, 429);
        login_limit_reset();
}

static void the_pages_cannot_be_framed_and_run_nothing(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\",\"" LOOPBACK "\"]");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_reply *sign_in = oauth_get(fixture, path, NULL), *consent = oauth_get(fixture, path, cookie);
        auto_reply *fault = oauth_get(fixture, "/mcp/oauth/authorize", NULL);
        const struct reply *pages[] = {sign_in, consent, fault};

        for (size_t i = 0; i < COUNT_OF(pages); i++) {
                const char *policy = reply_header(pages[i], "Content-Security-Policy");
                assert_non_null(strstr(policy, "default-src 'none'"));
                assert_non_null(strstr(policy, "frame-ancestors 'none'"));
                assert_non_null(
                        strstr(policy, i < 2 ? "form-action 'self' https://client.example;" : "form-action 'self'"));
                assert_string_equal(reply_header(pages[i], "X-Frame-Options"), "DENY");
                assert_string_equal(reply_header(pages[i], "Referrer-Policy"), "no-referrer");
                assert_string_equal(reply_header(pages[i], "Cache-Control"), "no-store");
        }
        auto_reply *style = oauth_get(fixture, "/mcp/oauth/style.css", NULL);
        assert_int_equal(style->status, 200);
}

static void the_consent_page_says_who_asks_and_for_what(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_reply *made = ask(fixture->connection, "POST", "/mcp/oauth/register", "Content-Type: application/json\r\n",
                               "{\"client_name\":\"<b>Evil</b>\\u202e & co\",\"redirect_uris\":[\"" CALLBACK "\"],"
                               "\"token_endpoint_auth_method\":\"none\"}");
        auto_error error = {0};
        auto_json *client = document_parse(made->body, made->length, &error);
        auto_free char *path =
                oauth_authorize_path(document_get_string(client, "client_id"), CALLBACK, "&x=%22%3E%3Cscript%3E");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_reply *page = oauth_get(fixture, path, cookie);

        assert_int_equal(page->status, 200);
        assert_non_null(strstr(page->body, "&lt;b&gt;Evil&lt;/b&gt; &amp; co"));
        assert_non_null(strstr(page->body, "<strong>client.example</strong>"));
        assert_non_null(strstr(page->body, "Signed in as vera"));
        assert_non_null(strstr(page->body, "create, continue, stop"));
        assert_null(strstr(page->body, "<script"));
        assert_null(strstr(page->body, "\xe2\x80\xae"));
}

/* The consent form belongs to its session: with another's cookie, without one, changed or old it is worth nothing. */
static void a_form_is_good_only_in_its_session_and_time(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera"), *other = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");
        auto_free char *changed = text_format("%s", form);
        char *at = strstr(changed, "xyz");

        at[0] = 'a';
        auto_free char *old = text_copy(form);
        char *issued = strstr(old, "issued_at=") + strlen("issued_at=");
        issued[0]--;
        static const char *const none = "decision=approve";
        const struct {
                const char *cookie, *form;
        } tries[] = {{other, form}, {NULL, form}, {cookie, changed}, {cookie, old}, {cookie, none}, {cookie, ""}};
        for (size_t i = 0; i < COUNT_OF(tries); i++) {
                auto_reply *reply = oauth_post(fixture, "/mcp/oauth/consent", tries[i].cookie, tries[i].form);
                if (reply->status != 400)
                        fail_msg("%zu: %d %s", i, reply->status, reply->body);
                assert_non_null(strstr(reply->body, "form expired"));
                assert_null(reply_header(reply, "Location"));
        }
        auto_reply *good = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);
        assert_int_equal(good->status, 303);
}

static void a_page_of_another_site_cannot_post(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const paths[] = {"/mcp/oauth/consent", "/mcp/oauth/sign-in"};
        static const char *const origins[] = {"Origin: https://evil.example\r\n", "Origin: null\r\n"};

        for (size_t i = 0; i < COUNT_OF(paths); i++)
                for (size_t j = 0; j < COUNT_OF(origins); j++) {
                        auto_reply *reply = oauth_post(fixture, paths[i], origins[j], "user=vera&password=" PASSWORD);
                        assert_int_equal(reply->status, 403);
                }
}

static void a_session_that_ended_meanwhile_approves_nothing(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");
        auto_reply *disabled = ask(fixture->connection, "POST", "/users/vera/disable", headers, "{}");
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);

        assert_int_equal(disabled->status, 200);
        assert_int_equal(reply->status, 400);
}

static void consent_may_need_a_fresh_sign_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");

        oauth_set(fixture, "MCP_OAUTH_FRESH_SIGN_IN_MINUTES", "5");
        auto_reply *fresh = oauth_get(fixture, path, cookie);
        assert_non_null(strstr(fresh->body, "name=\"ticket\""));
        oauth_sql(fixture, "UPDATE sessions SET signed_in_at = signed_in_at - 301000");
        auto_reply *page = oauth_get(fixture, path, cookie);
        assert_int_equal(page->status, 200);
        assert_non_null(strstr(page->body, "Sign in again"));
        assert_null(strstr(page->body, "name=\"ticket\""));
        /* The form that was shown before does not help: it leads to the sign-in. */
        auto_reply *late = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);
        assert_int_equal(late->status, 303);
        assert_int_equal(strncmp(reply_header(late, "Location"), "/mcp/oauth/authorize?client_id=", 31), 0);
        auto_free char *again = oauth_browser(fixture, "vera");
        auto_free char *second = oauth_consent_form(fixture, path, again, "approve");
        auto_reply *good = oauth_post(fixture, "/mcp/oauth/consent", again, second);
        assert_int_equal(strncmp(reply_header(good, "Location"), CALLBACK "?code=", strlen(CALLBACK "?code=")), 0);
}

/* Enrols vera's authenticator; the code that comes next. */
static void enrol(struct rest_fixture *fixture, char code[OTP_DIGITS + 1])
{
        struct browser_session session = browser_begin(fixture, "vera", PASSWORD);
        auto_reply *started = browser_ask(fixture, "POST", "/me/totp", &session, "{\"password\":\"" PASSWORD "\"}");
        auto_error error = {0};
        auto_json *enrolled = document_parse(started->body, started->length, &error);
        const char *secret = document_get_string(enrolled, "secret");
        int64_t step = clock_now() / OTP_STEP_MS;

        assert_int_equal(started->status, 201);
        assert_true(otp_code(secret, step, code));
        auto_free char *body = text_format("{\"code\":\"%s\"}", code);
        assert_int_equal(browser_status(fixture, "POST", "/me/totp/confirm", &session, body), 200);
        assert_true(otp_code(secret, step + 1, code));
}

static void an_enrolled_person_is_asked_for_the_code(void **state)
{
        struct rest_fixture *fixture = *state;
        char code[OTP_DIGITS + 1];

        login_limit_reset();
        enrol(fixture, code);
        auto_reply *first =
                oauth_post(fixture, "/mcp/oauth/sign-in", NULL, "query=a%3Db&user=vera&password=" FORM_PASSWORD);
        assert_int_equal(first->status, 403);
        assert_null(reply_header(first, "Set-Cookie"));
        assert_non_null(strstr(first->body, "name=\"code\""));
        auto_reply *wrong = oauth_post(fixture, "/mcp/oauth/sign-in", NULL,
                                       "query=a%3Db&user=vera&password=" FORM_PASSWORD "&code=000000");
        assert_int_equal(wrong->status, 403);
        auto_free char *form = text_format("query=a%%3Db&user=vera&password=correct%%20horse&code=%s", code);
        auto_reply *right = oauth_post(fixture, "/mcp/oauth/sign-in", NULL, form);
        assert_int_equal(right->status, 303);
        assert_non_null(reply_header(right, "Set-Cookie"));
}

static void the_provider_is_offered_where_there_is_one(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_reply *without = oauth_get(fixture, path, NULL);

        assert_null(strstr(without->body, "SSO"));
        oauth_set(fixture, "OIDC_ISSUER", "https://id.example");
        oauth_set(fixture, "OIDC_CLIENT_ID", "longshore");
        auto_reply *with = oauth_get(fixture, path, NULL);
        assert_non_null(strstr(with->body, "href=\"/login/oidc?return=%2Fmcp%2Foauth%2Fauthorize%3Fclient_id%3D"));
        assert_null(strstr(with->body, "fresh=true"));
        auto_free char *cookie = oauth_browser(fixture, "vera");
        oauth_set(fixture, "MCP_OAUTH_FRESH_SIGN_IN_MINUTES", "5");
        oauth_sql(fixture, "UPDATE sessions SET signed_in_at = 1");
        auto_reply *again = oauth_get(fixture, path, cookie);
        assert_non_null(strstr(again->body, "&amp;fresh=true\""));
}

int run_page_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(whoever_is_not_signed_in_signs_in_first, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_wrong_password_shows_the_form_again, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(too_many_attempts_are_refused, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_pages_cannot_be_framed_and_run_nothing, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_consent_page_says_who_asks_and_for_what, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_form_is_good_only_in_its_session_and_time, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_page_of_another_site_cannot_post, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_session_that_ended_meanwhile_approves_nothing, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(consent_may_need_a_fresh_sign_in, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_enrolled_person_is_asked_for_the_code, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_provider_is_offered_where_there_is_one, oauth_set_up,
                                                oauth_tear_down),
        };

        return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
