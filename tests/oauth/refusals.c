/* Every error of the OAuth server, forced. */
#include "tests/oauth/fixture.h"

#define GRANT "grant_type=authorization_code&client_id=$CLIENT&code=$CODE&code_verifier=" VERIFIER
#define JSON_TYPE "Content-Type: application/json\r\n"

/* In path, headers and body stand $CLIENT, $CODE (fresh and good) and $REFRESH. */
static const struct {
        const char *path, *headers, *body;
        int status;
        const char *error;
} refusals[] = {
        {"token", FORM_TYPE, "", 400, "invalid_request"},
        {"token", JSON_TYPE, "{}", 400, "invalid_request"},
        {"token", "", GRANT, 400, "invalid_request"},
        {"token", FORM_TYPE, GRANT "&code=x", 400, "invalid_request"},
        {"token", FORM_TYPE, GRANT "&x=%00", 400, "invalid_request"},
        {"token", FORM_TYPE, "client_id=$CLIENT&code=$CODE&code_verifier=" VERIFIER, 400, "invalid_request"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=$CLIENT&code_verifier=" VERIFIER, 400,
         "invalid_request"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=$CLIENT&code=$CODE", 400, "invalid_request"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=$CLIENT&code=$CODE&code_verifier=short", 400,
         "invalid_request"},
        {"token", FORM_TYPE, "grant_type=refresh_token&client_id=$CLIENT", 400, "invalid_request"},
        {"token", FORM_TYPE "Authorization: Basic eDp5\r\n", GRANT "&client_secret=x", 400, "invalid_request"},
        {"token", FORM_TYPE "Authorization: Basic eDo=\r\n", GRANT, 400, "invalid_request"},
        {"token", FORM_TYPE, "grant_type=password&client_id=$CLIENT&username=a&password=b", 400,
         "unsupported_grant_type"},
        {"token", FORM_TYPE, "grant_type=client_credentials&client_id=$CLIENT", 400, "unsupported_grant_type"},
        {"token", FORM_TYPE, "grant_type=authorization_code&code=$CODE&code_verifier=" VERIFIER, 401, "invalid_client"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=client-x&code=$CODE&code_verifier=" VERIFIER, 401,
         "invalid_client"},
        {"token", FORM_TYPE, GRANT "&client_secret=x", 401, "invalid_client"},
        {"token", FORM_TYPE "Authorization: Basic !\r\n", GRANT, 401, "invalid_client"},
        {"token", FORM_TYPE, GRANT "&resource=https://other.example/mcp", 400, "invalid_target"},
        {"token", FORM_TYPE, GRANT "&scope=a%22b", 400, "invalid_scope"},
        {"token", FORM_TYPE, GRANT "&redirect_uri=https://evil.example/", 400, "invalid_grant"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=$CLIENT&code=lsc_x&code_verifier=" VERIFIER, 400,
         "invalid_grant"},
        {"token", FORM_TYPE, "grant_type=authorization_code&client_id=$CLIENT&code=$CODE&code_verifier=" VERIFIER "x",
         400, "invalid_grant"},
        {"token", FORM_TYPE, "grant_type=refresh_token&client_id=$CLIENT&refresh_token=$CODE", 400, "invalid_grant"},
        {"revoke", FORM_TYPE, "token=x", 401, "invalid_client"},
        {"revoke", FORM_TYPE, "client_id=$CLIENT", 400, "invalid_request"},
        {"revoke", JSON_TYPE, "{}", 400, "invalid_request"},
        {"revoke", FORM_TYPE, "client_id=$OTHER&token=$REFRESH", 400, "invalid_grant"},
        {"register", JSON_TYPE, "", 400, "invalid_client_metadata"},
        {"register", JSON_TYPE, "[]", 400, "invalid_client_metadata"},
        {"register", JSON_TYPE, "{\"a\":1,\"a\":2}", 400, "invalid_client_metadata"},
        {"register", JSON_TYPE, "{}", 400, "invalid_redirect_uri"},
        {"register", JSON_TYPE, "{\"redirect_uris\":[]}", 400, "invalid_redirect_uri"},
        {"register", JSON_TYPE, "{\"redirect_uris\":[1]}", 400, "invalid_redirect_uri"},
        {"register", JSON_TYPE, "{\"redirect_uris\":[\"" CALLBACK "\"],\"client_name\":1}", 400,
         "invalid_client_metadata"},
        {"register", JSON_TYPE,
         "{\"redirect_uris\":[\"" CALLBACK "\"],\"token_endpoint_auth_method\":\"private_key_jwt\"}", 400,
         "invalid_client_metadata"},
        {"register", JSON_TYPE, "{\"redirect_uris\":[\"" CALLBACK "\"],\"grant_types\":[\"implicit\"]}", 400,
         "invalid_client_metadata"},
        {"register", JSON_TYPE, "{\"redirect_uris\":[\"" CALLBACK "\"],\"response_types\":[\"token\"]}", 400,
         "invalid_client_metadata"},
};

static char *fill(const char *text, const char *name, const char *value)
{
        const char *at = text ? strstr(text, name) : NULL;

        return at ? text_format("%.*s%s%s", (int)(at - text), text, value, at + strlen(name)) : text_copy(text);
}

struct known {
        char *client, *other, *code, *refresh;
};

static void refuse(struct rest_fixture *fixture, const struct known *known, size_t i)
{
        auto_free char *path = text_format("/mcp/oauth/%s", refusals[i].path);
        auto_free char *a = fill(refusals[i].body, "$CLIENT", known->client);
        auto_free char *b = fill(a, "$OTHER", known->other);
        auto_free char *c = fill(b, "$CODE", known->code);
        auto_free char *body = fill(c, "$REFRESH", known->refresh);
        auto_reply *reply = ask(fixture->connection, "POST", path, refusals[i].headers, body);
        auto_error error = {0};
        auto_json *answer = document_parse(reply->body, reply->length, &error);
        const char *code = document_get_string(answer, "error");

        if (reply->status != refusals[i].status || !code || strcmp(code, refusals[i].error))
                fail_msg("%s %s: %d %s", path, body, reply->status, reply->body);
        assert_non_null(document_get_string(answer, "error_description"));
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-store");
}

/* None of them spends the code: it is exchanged in the end. */
static void a_client_is_told_what_is_wrong(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        struct known known = {.client = oauth_signed_in(fixture, "vera", &tokens)};

        known.other = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        known.refresh = text_copy(document_get_string(tokens, "refresh_token"));
        known.code = oauth_code(fixture, known.client, CALLBACK, "vera");
        for (size_t i = 0; i < COUNT_OF(refusals); i++)
                refuse(fixture, &known, i);
        json_decref(oauth_exchange(fixture, known.client, known.code, 200));
        json_decref(oauth_refresh(fixture, known.client, known.refresh, 200));
        free(known.client);
        free(known.other);
        free(known.code);
        free(known.refresh);
}

/* Of a request whose client and redirect URI are right: the client is told there. NULL: the person is told here. */
static const struct {
        const char *query; /* behind client_id and redirect_uri */
        const char *error;
} requests[] = {
        {"&code_challenge=" CHALLENGE "&code_challenge_method=S256&state=s", "invalid_request"},
        {"&response_type=token&code_challenge=" CHALLENGE "&code_challenge_method=S256", "unsupported_response_type"},
        {"&response_type=code&state=s", "invalid_request"},
        {"&response_type=code&code_challenge=" CHALLENGE, "invalid_request"},
        {"&response_type=code&code_challenge=" CHALLENGE "&code_challenge_method=plain", "invalid_request"},
        {"&response_type=code&code_challenge=short&code_challenge_method=S256", "invalid_request"},
        {"&response_type=code&code_challenge=" CHALLENGE "&code_challenge_method=S256&scope=a%22b", "invalid_scope"},
        {"&response_type=code&code_challenge=" CHALLENGE "&code_challenge_method=S256&resource=https://other.example/",
         "invalid_target"},
        {"&response_type=code&response_type=token&code_challenge=" CHALLENGE "&code_challenge_method=S256", NULL},
        {"&client_id=other", NULL},
        {"&state=%FF", NULL},
};

static void an_authorization_request_is_refused_where_it_belongs(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");

        for (size_t i = 0; i < COUNT_OF(requests); i++)
                for (int with_session = 0; with_session < 2; with_session++) {
                        auto_free char *path =
                                text_format("/mcp/oauth/authorize?client_id=%s&redirect_uri=" CALLBACK "%s", client,
                                            requests[i].query);
                        auto_reply *reply = oauth_get(fixture, path, with_session ? cookie : NULL);
                        if (reply->status != (requests[i].error ? 303 : 400))
                                fail_msg("%s: %d", requests[i].query, reply->status);
                        if (!requests[i].error)
                                continue;
                        auto_free char *location = text_copy(reply_header(reply, "Location"));
                        auto_free char *error = oauth_parameter(location, "error");
                        auto_free char *issuer = oauth_parameter(location, "iss");
                        assert_int_equal(strncmp(location, CALLBACK "?", strlen(CALLBACK "?")), 0);
                        assert_string_equal(error, requests[i].error);
                        assert_string_equal(issuer, SITE);
                }
}

static void an_unknown_client_is_never_redirected(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *path = oauth_authorize_path("client-unknown", CALLBACK, "");
        auto_reply *reply = oauth_get(fixture, path, NULL);
        auto_reply *nobody = oauth_get(fixture, "/mcp/oauth/authorize?redirect_uri=" CALLBACK, NULL);

        assert_int_equal(reply->status, 400);
        assert_null(reply_header(reply, "Location"));
        assert_int_equal(nobody->status, 400);
        assert_null(reply_header(nobody, "Location"));
}

static void what_is_too_large_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *body = memory_new(70000);

        memset(body, 'a', 69999);
        auto_reply *token = oauth_post(fixture, "/mcp/oauth/token", NULL, body);
        assert_int_equal(token->status, 413);
        body[20000] = '\0';
        struct connection *fresh = connection_open(fixture->server);
        auto_reply *registration = ask(fresh, "POST", "/mcp/oauth/register", JSON_TYPE, body);
        assert_int_equal(registration->status, 413);
        connection_close(fresh);
}

int run_oauth_refusal_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_client_is_told_what_is_wrong, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_authorization_request_is_refused_where_it_belongs, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_unknown_client_is_never_redirected, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(what_is_too_large_is_refused, oauth_set_up, oauth_tear_down),
        };

        return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
