/* The whole way of a client, and what ends it. */
#include "tests/oauth/fixture.h"
#include "tests/rest/browser.h"

static const char *text_of(const json_t *document, const char *name)
{
        const char *text = document_get_string(document, name);

        assert_non_null(text);
        return text;
}

static void a_client_that_was_approved_gets_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;

        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        assert_string_equal(text_of(tokens, "token_type"), "Bearer");
        assert_string_equal(text_of(tokens, "scope"), "mcp");
        assert_int_equal(document_get_integer(tokens, "expires_in", 0), 3600);
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "refresh_token")), 401);
}

static void the_answer_carries_state_and_issuer(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "?a=b\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK "?a=b", "&scope=mcp+other&resource=" SITE "/mcp");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);
        auto_free char *location = text_copy(reply_header(reply, "Location"));
        auto_free char *shown = oauth_parameter(location, "state"), *issuer = oauth_parameter(location, "iss");

        assert_int_equal(reply->status, 303);
        assert_int_equal(strncmp(location, CALLBACK "?a=b&code=lsc_", strlen(CALLBACK "?a=b&code=lsc_")), 0);
        assert_string_equal(shown, "xyz");
        assert_string_equal(issuer, SITE);
}

static void whoever_denies_sends_the_client_away(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "deny");
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);

        assert_int_equal(reply->status, 303);
        assert_string_equal(reply_header(reply, "Location"),
                            CALLBACK "?error=access_denied&error_description=The%20person%20did%20not%20consent."
                                     "&state=xyz&iss=https%3A%2F%2Flongshore.example");
}

/* The path of a row with something in the place of its parts. */
static char *path_of(const struct http_route *route)
{
        auto_text path = TEXT_WITH_MAXIMUM(500);

        for (const char *at = route->path; *at; at++) {
                if (*at == ':' || *at == '*') {
                        text_append_string(&path, "x");
                        at += strcspn(at, "/") - 1;
                } else {
                        text_append(&path, at, 1);
                }
        }
        return text_take(&path);
}

static void an_access_token_opens_only_the_mcp_endpoint(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        auto_free char *headers = rest_bearer(text_of(tokens, "access_token"));
        size_t count = 0;

        for (size_t i = 0; i < route_count; i++) {
                if (routes[i].access != HTTP_ACCESS_SESSION)
                        continue;
                auto_free char *path = path_of(&routes[i]);
                bool has_body = routes[i].body != HTTP_BODY_NONE;
                struct connection *connection = connection_open(fixture->server);
                auto_reply *reply = ask(connection, routes[i].method, path, headers, has_body ? "{}" : NULL);
                connection_close(connection);
                if (reply->status != 401)
                        fail_msg("%s %s: %d", routes[i].method, path, reply->status);
                count++;
        }
        assert_true(count > 50);
}

static void a_consent_is_audited_without_its_secrets(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        auto_reply *reply = oauth_get(fixture, "/audit?limit=5", headers);

        assert_non_null(strstr(reply->body, "\"oauth.approve\""));
        assert_non_null(strstr(reply->body, client));
        assert_null(strstr(reply->body, "lsc_"));
        assert_null(strstr(reply->body, "lsr_"));
}

static void what_a_client_does_is_audited_with_its_grant(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_json *tokens = NULL;

        rest_environment(fixture, "main");
        browser_person(fixture, "boss", "Server Admin");
        auto_free char *client = oauth_signed_in(fixture, "boss", &tokens);
        auto_free char *bearer = rest_bearer(text_of(tokens, "access_token"));
        auto_reply *made = ask(fixture->connection, "POST", "/mcp", bearer,
                               "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                               "\"create_task\",\"arguments\":{\"environment\":\"main\",\"instructions\":\"x\","
                               "\"staged\":true}}}");
        assert_non_null(strstr(made->body, "\"status\":\"staged\""));
        auto_reply *audit = oauth_get(fixture, "/audit?limit=1", headers);
        assert_non_null(strstr(audit->body, "\"action\":\"task.create\""));
        assert_non_null(strstr(audit->body, "\"user\":\"boss\""));
        assert_non_null(strstr(audit->body, "\"credential\":\"oauth\""));
        assert_non_null(strstr(audit->body, "\"credentialId\":\"grant-"));
}

static void a_client_is_listed_and_revoked(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        const char *access = text_of(tokens, "access_token");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_reply *me = oauth_get(fixture, "/me", cookie);
        auto_error error = {0};
        auto_json *self = document_parse(me->body, me->length, &error);
        auto_free char *with_csrf = text_format("%sX-CSRF-Token: %s\r\n", cookie, text_of(self, "csrfToken"));
        auto_free char *path = text_format("/api/mcp-oauth/grants/%s", client);

        auto_reply *listed = oauth_get(fixture, "/api/mcp-oauth/grants", cookie);
        assert_int_equal(listed->status, 200);
        assert_non_null(strstr(listed->body, client));
        assert_non_null(strstr(listed->body, "\"redirectHost\":\"client.example\""));
        assert_int_equal(oauth_mcp(fixture, access), 200);
        auto_reply *others = ask(fixture->connection, "DELETE", path, "", NULL);
        assert_int_equal(others->status, 401);
        auto_reply *revoked = ask(fixture->connection, "DELETE", path, with_csrf, NULL);
        assert_string_equal(revoked->body, "{\"revoked\":1}");
        assert_int_equal(oauth_mcp(fixture, access), 401);
        auto_json *refused = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 400);
        assert_string_equal(text_of(refused, "error"), "invalid_grant");
        auto_reply *again = ask(fixture->connection, "DELETE", path, with_csrf, NULL);
        assert_int_equal(again->status, 404);
        auto_reply *all = ask(fixture->connection, "DELETE", "/api/mcp-oauth/grants", with_csrf, NULL);
        assert_string_equal(all->body, "{\"revoked\":0}");
}

static void a_disabled_person_is_out_at_once_and_for_good(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        const char *access = text_of(tokens, "access_token");

        assert_int_equal(oauth_mcp(fixture, access), 200);
        auto_reply *disabled = ask(fixture->connection, "POST", "/users/vera/disable", headers, "{}");
        assert_int_equal(disabled->status, 200);
        assert_int_equal(oauth_mcp(fixture, access), 401);
        auto_reply *enabled = ask(fixture->connection, "POST", "/users/vera/enable", headers, "{}");
        assert_int_equal(enabled->status, 200);
        assert_int_equal(oauth_mcp(fixture, access), 401);
        auto_json *refused = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 400);
        assert_string_equal(text_of(refused, "error"), "invalid_grant");
}

static void a_deleted_person_takes_everything_along(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);

        auto_reply *removed = ask(fixture->connection, "DELETE", "/users/vera", headers, NULL);
        assert_string_equal(removed->body, "{\"name\":\"vera\",\"removed\":true}");
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 401);
        auto_json *refused = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 400);
        assert_string_equal(text_of(refused, "error"), "invalid_grant");
}

static void revoking_an_access_token_leaves_the_client_signed_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        auto_free char *form = text_format("client_id=%s&token=%s&token_type_hint=refresh_token", client,
                                           text_of(tokens, "access_token"));
        auto_reply *revoked = oauth_post(fixture, "/mcp/oauth/revoke", NULL, form);

        assert_int_equal(revoked->status, 200);
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 401);
        auto_json *fresh = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(fresh, "access_token")), 200);
}

static void revoking_a_refresh_token_ends_what_was_issued_with_it(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        auto_free char *form = text_format("client_id=%s&token=%s", client, text_of(tokens, "refresh_token"));

        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 200);
        auto_reply *revoked = oauth_post(fixture, "/mcp/oauth/revoke", NULL, form);
        assert_int_equal(revoked->status, 200);
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 401);
        auto_reply *again = oauth_post(fixture, "/mcp/oauth/revoke", NULL, form);
        assert_int_equal(again->status, 200);
}

static void tokens_end_with_the_switch_and_with_another_address(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        const char *access = text_of(tokens, "access_token");

        assert_int_equal(oauth_mcp(fixture, access), 200);
        oauth_set(fixture, "MCP_OAUTH_ENABLED", "false");
        assert_int_equal(oauth_mcp(fixture, access), 401);
        oauth_set(fixture, "MCP_OAUTH_ENABLED", "true");
        assert_int_equal(oauth_mcp(fixture, access), 200);
        oauth_set(fixture, "SITE_URL", "https://other.example");
        assert_int_equal(oauth_mcp(fixture, access), 401);
}

static void an_expired_access_token_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);

        oauth_sql(fixture, "UPDATE oauth_tokens SET expires_at = 1 WHERE is_refresh = 0");
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 401);
        auto_json *fresh = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(fresh, "access_token")), 200);
}

static void a_client_with_a_secret_must_show_it(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_reply *reply = ask(fixture->connection, "POST", "/mcp/oauth/register",
                                "Content-Type: application/json\r\n", "{\"redirect_uris\":[\"" CALLBACK "\"]}");
        auto_error error = {0};
        auto_json *client = document_parse(reply->body, reply->length, &error);
        const char *id = text_of(client, "client_id"), *secret = text_of(client, "client_secret");
        auto_free char *code = oauth_code(fixture, id, CALLBACK, "vera");

        assert_string_equal(text_of(client, "token_endpoint_auth_method"), "client_secret_basic");
        auto_json *without = oauth_exchange(fixture, id, code, 401);
        assert_string_equal(text_of(without, "error"), "invalid_client");
        auto_free char *pair = text_format("%s:%s", id, secret);
        auto_free char *encoded = secret_base64(pair, strlen(pair));
        auto_free char *basic = text_format("Authorization: Basic %s\r\n", encoded);
        auto_free char *form = text_format("grant_type=authorization_code&code=%s&code_verifier=" VERIFIER, code);
        auto_reply *wrong = oauth_post(fixture, "/mcp/oauth/token", "Authorization: Basic eDp5\r\n", form);
        assert_int_equal(wrong->status, 401);
        assert_string_equal(reply_header(wrong, "WWW-Authenticate"), "Basic realm=\"longshore\"");
        auto_reply *right = oauth_post(fixture, "/mcp/oauth/token", basic, form);
        assert_int_equal(right->status, 200);
        auto_json *tokens = document_parse(right->body, right->length, &error);
        auto_free char *posted = text_format("grant_type=refresh_token&client_id=%s&client_secret=%s&refresh_token=%s",
                                             id, secret, text_of(tokens, "refresh_token"));
        auto_json *fresh = oauth_token_answer(fixture, 200, posted);
        assert_int_equal(oauth_mcp(fixture, text_of(fresh, "access_token")), 200);
}

int run_flow_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_client_that_was_approved_gets_in, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_answer_carries_state_and_issuer, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(whoever_denies_sends_the_client_away, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_access_token_opens_only_the_mcp_endpoint, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_consent_is_audited_without_its_secrets, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(what_a_client_does_is_audited_with_its_grant, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_client_is_listed_and_revoked, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_disabled_person_is_out_at_once_and_for_good, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_deleted_person_takes_everything_along, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(revoking_an_access_token_leaves_the_client_signed_in, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(revoking_a_refresh_token_ends_what_was_issued_with_it, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(tokens_end_with_the_switch_and_with_another_address, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_expired_access_token_is_refused, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_client_with_a_secret_must_show_it, oauth_set_up, oauth_tear_down),
        };

        return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
