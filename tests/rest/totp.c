/* Sign-in with an authenticator app, as a browser sees it. */
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/otp.h"
#include "server/services/login_limit.h"
#include "server/services/secret_store.h"
#include "server/services/totp.h"
#include "tests/rest/browser.h"

struct app {
        char secret[OTP_SECRET_SIZE];
        int64_t step;                   /* of the newest code that it gave */
        char recovery[32];              /* the first of the recovery codes */
        struct browser_session session; /* in which it was enrolled */
};

static json_t *parsed(const struct reply *reply)
{
        auto_error error = {0};
        json_t *body = document_parse(reply->body, reply->length, &error);

        assert_non_null(body);
        return body;
}

/* The code of a step; the server accepts the one before and behind its own. */
static const char *code_of(struct app *app, int64_t step)
{
        static char code[OTP_DIGITS + 1];

        assert_true(otp_code(app->secret, step, code));
        app->step = step;
        return code;
}

static int64_t step_now(void)
{
        return clock_now() / OTP_STEP_MS;
}

static struct reply *login_with(struct rest_fixture *fixture, const char *code)
{
        auto_free char *body = text_format("{\"user\":\"vera\",\"password\":\"correct horse\",\"code\":\"%s\"}", code);

        return ask(fixture->connection, "POST", "/login", JSON_TYPE, body);
}

static void expect_login(struct rest_fixture *fixture, const char *code, int status)
{
        auto_reply *reply = login_with(fixture, code);

        if (reply->status != status)
                fail_msg("the code %s: %d %s", code, reply->status, reply->body);
}

static const char *start_enrolment(struct rest_fixture *fixture, struct app *app)
{
        auto_reply *reply = browser_ask(fixture, "POST", "/me/totp", &app->session, "{\"password\":\"correct horse\"}");

        assert_int_equal(reply->status, 201);
        auto_json *enrolled = parsed(reply);
        snprintf(app->secret, sizeof app->secret, "%s", document_get_string(enrolled, "secret"));
        assert_non_null(strstr(document_get_string(enrolled, "uri"), app->secret));
        return app->secret;
}

/* Confirms with the code of now, so that the next one is left. */
static void confirm(struct rest_fixture *fixture, struct app *app)
{
        auto_free char *body = text_format("{\"code\":\"%s\"}", code_of(app, step_now()));
        auto_reply *reply = browser_ask(fixture, "POST", "/me/totp/confirm", &app->session, body);

        assert_int_equal(reply->status, 200);
        auto_json *confirmed = parsed(reply);
        json_t *codes = json_object_get(confirmed, "recoveryCodes");
        assert_int_equal(json_array_size(codes), TOTP_RECOVERY_COUNT);
        snprintf(app->recovery, sizeof app->recovery, "%s", json_string_value(json_array_get(codes, 0)));
}

static struct app enrol(struct rest_fixture *fixture)
{
        struct app app = {.step = 0};

        login_limit_reset();
        totp_limit_reset();
        browser_person(fixture, "vera", "Viewer");
        app.session = browser_begin(fixture, "vera", "correct horse");
        start_enrolment(fixture, &app);
        confirm(fixture, &app);
        return app;
}

static void an_enrolled_person_needs_a_code_and_uses_it_up(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);
        auto_reply *asked = browser_login(fixture, "vera", "correct horse");

        assert_int_equal(asked->status, 401);
        assert_non_null(strstr(asked->body, "\"totp_required\""));
        auto_reply *wrong = browser_login(fixture, "vera", "wrong");
        assert_int_equal(wrong->status, 401);
        assert_null(strstr(wrong->body, "totp_required"));
        auto_free char *before = text_copy(code_of(&app, app.step));
        auto_free char *next = text_copy(code_of(&app, app.step + 1));
        auto_free char *spaced = text_format("%.3s %s", next, next + 3);
        expect_login(fixture, before, 401);
        expect_login(fixture, spaced, 200);
        expect_login(fixture, next, 401);
        expect_login(fixture, before, 401);
}

static void codes_of_other_times_are_wrong(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);

        expect_login(fixture, code_of(&app, step_now() + 5), 401);
        expect_login(fixture, code_of(&app, step_now() - 5), 401);
        expect_login(fixture, "12345", 401);
        expect_login(fixture, "not a code", 401);
}

static void five_wrong_codes_close_the_way_for_the_right_one_too(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);

        for (int i = 0; i < 5; i++)
                expect_login(fixture, "000", 401);
        login_limit_reset();
        auto_reply *refused = login_with(fixture, code_of(&app, app.step + 1));
        assert_int_equal(refused->status, 429);
        assert_non_null(reply_header(refused, "Retry-After"));
        totp_limit_reset();
        expect_login(fixture, code_of(&app, app.step), 200);
}

static void a_recovery_code_lets_in_once(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);
        auto_free char *plain = text_copy(app.recovery);

        for (char *from = app.recovery, *to = plain; (*to = *from); from++)
                to += *from != '-';
        expect_login(fixture, plain, 200);
        expect_login(fixture, app.recovery, 401);
        auto_reply *reply = ask(fixture->connection, "GET", "/me", app.session.cookie, NULL);
        auto_json *me = parsed(reply);
        assert_true(json_is_true(json_object_get(me, "totpEnrolled")));
        assert_int_equal(document_get_integer(me, "recoveryCodesLeft", 0), TOTP_RECOVERY_COUNT - 1);
        assert_non_null(document_get_string(me, "signedInAt"));
        assert_true(json_is_false(json_object_get(me, "sso")));
}

static void enrolling_needs_the_password_and_holds_when_it_is_confirmed(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = {.step = 0};

        login_limit_reset();
        totp_limit_reset();
        browser_person(fixture, "vera", "Viewer");
        app.session = browser_begin(fixture, "vera", "correct horse");
        assert_int_equal(browser_status(fixture, "POST", "/me/totp", &app.session, "{\"password\":\"x\"}"), 403);
        auto_free char *first = text_copy(start_enrolment(fixture, &app));
        browser_begin(fixture, "vera", "correct horse");
        assert_string_not_equal(start_enrolment(fixture, &app), first);
        assert_int_equal(browser_status(fixture, "POST", "/me/totp/confirm", &app.session, "{\"code\":\"1\"}"), 403);
        confirm(fixture, &app);
        assert_int_equal(browser_status(fixture, "POST", "/me/totp", &app.session, "{\"password\":\"correct horse\"}"),
                         409);
        auto_free char *again = text_format("{\"code\":\"%s\"}", code_of(&app, app.step));
        assert_int_equal(browser_status(fixture, "POST", "/me/totp/confirm", &app.session, again), 409);
}

static void it_is_removed_with_a_proof_only(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);
        const char *remove = "/me/totp/remove";

        assert_int_equal(browser_status(fixture, "POST", remove, &app.session, "{}"), 400);
        assert_int_equal(browser_status(fixture, "POST", remove, &app.session, "{\"code\":\"000000\"}"), 403);
        assert_int_equal(browser_status(fixture, "POST", remove, &app.session, "{\"password\":\"no\"}"), 403);
        auto_free char *renew = text_format("{\"code\":\"%s\"}", code_of(&app, app.step + 1));
        assert_int_equal(browser_status(fixture, "POST", "/me/totp/recovery-codes", &app.session, renew), 200);
        assert_int_equal(browser_status(fixture, "POST", remove, &app.session, renew), 403);
        expect_login(fixture, app.recovery, 401);
        assert_int_equal(browser_status(fixture, "POST", remove, &app.session, "{\"password\":\"correct horse\"}"),
                         200);
        browser_begin(fixture, "vera", "correct horse");
}

static void an_administrator_resets_it_and_nobody_else(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);
        auto_free char *headers = rest_bearer(fixture->administrator);

        assert_int_equal(browser_status(fixture, "DELETE", "/users/vera/totp", &app.session, NULL), 403);
        assert_int_equal(browser_status_of(fixture, "DELETE", "/users/vera/totp", headers, NULL), 200);
        browser_begin(fixture, "vera", "correct horse");
        auto_reply *audit = ask(fixture->connection, "GET", "/audit?limit=50", headers, NULL);
        assert_non_null(strstr(audit->body, "totp.reset"));
        assert_non_null(strstr(audit->body, "totp.confirm"));
        assert_non_null(strstr(audit->body, "totp.enrol"));
        assert_null(strstr(audit->body, app.secret));
}

static void its_secret_outlives_other_secrets_and_not_the_key_file(void **state)
{
        struct rest_fixture *fixture = *state;
        struct app app = enrol(fixture);
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_error error = {0};
        auto_json *forgotten = NULL;

        for (int i = 0; i < 2; i++)
                assert_int_equal(
                        browser_status_of(fixture, "PUT", "/secrets/OWN", headers, "{\"value\":\"a secret value\"}"),
                        200);
        assert_int_equal(browser_status_of(fixture, "DELETE", "/secrets/OWN", headers, NULL), 200);
        expect_login(fixture, code_of(&app, app.step + 1), 200);
        struct store_db *reader = store_reader_open(fixture->services.store, &error);
        struct call call = {.services = &fixture->services, .db = reader, .actor = &actor_local, .now = clock_now()};
        assert_true(secret_forget(&call, &forgotten, &error));
        store_reader_close(reader);
        browser_begin(fixture, "vera", "correct horse");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_totp_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(an_enrolled_person_needs_a_code_and_uses_it_up),
                TEST(codes_of_other_times_are_wrong),
                TEST(five_wrong_codes_close_the_way_for_the_right_one_too),
                TEST(a_recovery_code_lets_in_once),
                TEST(enrolling_needs_the_password_and_holds_when_it_is_confirmed),
                TEST(it_is_removed_with_a_proof_only),
                TEST(its_secret_outlives_other_secrets_and_not_the_key_file),
                TEST(an_administrator_resets_it_and_nobody_else),
        };

        return cmocka_run_group_tests_name("totp", tests, NULL, NULL);
}
