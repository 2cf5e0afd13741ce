/* Where a person is sent back to, and every trick to have them sent elsewhere. */
#include "server/services/oauth_redirect.h"
#include "tests/oauth/fixture.h"

/* Whether a client that registered the first may ask for the second; NULL: it cannot even be registered. */
static const struct {
        const char *registered, *requested;
        bool is_allowed;
} redirects[] = {
        {CALLBACK, CALLBACK, true},
        {CALLBACK, CALLBACK "/", false},
        {CALLBACK, CALLBACK "?a=b", false},
        {CALLBACK, CALLBACK "#x", false},
        {CALLBACK, "https://client.example/Callback", false},
        {CALLBACK, "https://CLIENT.example/callback", false},
        {CALLBACK, "https://client.example:443/callback", false},
        {CALLBACK, "https://client.example:8443/callback", false},
        {CALLBACK, "http://client.example/callback", false},
        {CALLBACK, "https://user@client.example/callback", false},
        {CALLBACK, "https://client.example@evil.example/callback", false},
        {CALLBACK, "https://client.example.evil.example/callback", false},
        {CALLBACK, "https://evilclient.example/callback", false},
        {CALLBACK, "https://client.example./callback", false},
        {CALLBACK, "https://client.example\\@evil.example/callback", false},
        {CALLBACK, "https://evil.example/callback", false},
        {CALLBACK, "https://client.example/x/../callback", false},
        {CALLBACK, "https://client.example/%63allback", false},
        {CALLBACK, "https://client.example/callback%00", false},
        {CALLBACK, "https://client.example/callback%0d%0aX: y", false},
        {CALLBACK, "//client.example/callback", false},
        {CALLBACK, "javascript:alert(1)", false},
        {CALLBACK, "", false},
        {CALLBACK "?a=b", CALLBACK "?a=b", true},
        {CALLBACK "?a=b", CALLBACK "?a=c", false},
        {CALLBACK "?a=b", CALLBACK, false},
        {LOOPBACK, LOOPBACK, true},
        {LOOPBACK, "http://127.0.0.1:1/callback", true},
        {LOOPBACK, "http://127.0.0.1/callback", true},
        {"http://127.0.0.1/callback", LOOPBACK, true},
        {LOOPBACK, "http://127.0.0.1:7777/other", false},
        {LOOPBACK, "http://127.0.0.1:7777/callback?a=b", false},
        {LOOPBACK, "https://127.0.0.1:7777/callback", false},
        {LOOPBACK, "http://localhost:7777/callback", false},
        {LOOPBACK, "http://[::1]:7777/callback", false},
        {LOOPBACK, "http://127.0.0.2:7777/callback", false},
        {LOOPBACK, "http://127.1:7777/callback", false},
        {LOOPBACK, "http://2130706433:7777/callback", false},
        {LOOPBACK, "http://0x7f000001:7777/callback", false},
        {LOOPBACK, "http://127.0.0.1:0/callback", false},
        {LOOPBACK, "http://127.0.0.1:99999/callback", false},
        {LOOPBACK, "http://127.0.0.1:@evil.example/callback", false},
        {LOOPBACK, "http://127.0.0.1@evil.example:7777/callback", false},
        {LOOPBACK, "http://x@127.0.0.1:7777/callback", false},
        {LOOPBACK, "http://127.0.0.1.evil.example:7777/callback", false},
        {"http://localhost:3118/callback", "http://localhost:50000/callback", true},
        {"http://localhost:3118/callback", "http://localhost.evil.example:50000/callback", false},
        {"http://localhost:3118/callback", "http://localhost./callback", false},
        {"http://[::1]:1/cb", "http://[::1]:2/cb", true},
        {"http://[::1]/cb", "http://[::1]:2/cb", true},
        {"http://[::1]:1/cb", "http://[0:0:0:0:0:0:0:1]:1/cb", false},
        {"http://[::1]:1/cb", "http://[::ffff:127.0.0.1]:1/cb", false},
        {"http://[::1]:1/cb", "http://::1:1/cb", false},
        {"cursor://anysphere.cursor/oauth", "cursor://anysphere.cursor/oauth", true},
        {"cursor://anysphere.cursor/oauth", "cursor://anysphere.cursor:1/oauth", false},
        {"cursor://anysphere.cursor/oauth", "vscode://anysphere.cursor/oauth", false},
        {"com.example.app:/callback", "com.example.app:/callback", true},
        {"https://10.0.0.1/cb", "https://10.0.0.1/cb", true},
        {"https://[2001:db8::1]/cb", "https://[2001:db8::1]/cb", true},
        {"https://[2001:db8::1]/cb", "https://[2001:db8::1]:8443/cb", false},
        {"http://client.example/callback", NULL, false},
        {"http://10.0.0.1/callback", NULL, false},
        {"http://127.0.0.2/callback", NULL, false},
        {"https://user@client.example/callback", NULL, false},
        {"https://client.example/callback#fragment", NULL, false},
        {"https://client.example/a b", NULL, false},
        {"https:///callback", NULL, false},
        {"/callback", NULL, false},
        {"client.example/callback", NULL, false},
        {"javascript:alert(1)", NULL, false},
        {"JavaScript://client.example/%0aalert(1)", NULL, false},
        {"data:text/html,x", NULL, false},
        {"file:///etc/passwd", NULL, false},
        {"ws://localhost/", NULL, false},
        {"", NULL, false},
};

static int status_of_registration(struct rest_fixture *fixture, const char *uri)
{
        auto_free char *body = text_format("{\"redirect_uris\":[\"%s\"]}", uri);
        auto_reply *reply =
                ask(fixture->connection, "POST", "/mcp/oauth/register", "Content-Type: application/json\r\n", body);

        if (reply->status == 400)
                assert_non_null(strstr(reply->body, "\"error\":\"invalid_redirect_uri\""));
        return reply->status;
}

/* Whoever comes with a redirect URI that is not the client's stays here: it must never be redirected to. */
static void only_what_was_registered_is_redirected_to(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *cookie = oauth_browser(fixture, "vera");
        const char *before = "";
        char *client = NULL;

        for (size_t i = 0; i < COUNT_OF(redirects); i++) {
                if (!redirects[i].requested) {
                        oauth_sql(fixture, "DELETE FROM oauth_clients");
                        assert_int_equal(status_of_registration(fixture, redirects[i].registered), 400);
                        continue;
                }
                if (strcmp(before, redirects[i].registered)) {
                        auto_free char *list = text_format("[\"%s\"]", redirects[i].registered);
                        free(client);
                        client = oauth_register_client(fixture, list);
                        before = redirects[i].registered;
                }
                auto_free char *path = oauth_authorize_path(client, redirects[i].requested, "");
                auto_reply *reply = oauth_get(fixture, path, cookie);
                if (reply->status != (redirects[i].is_allowed ? 200 : 400))
                        fail_msg("%s for %s: %d", redirects[i].requested, before, reply->status);
                assert_null(reply_header(reply, "Location"));
                /* Without a session neither. */
                auto_reply *stranger = oauth_get(fixture, path, NULL);
                assert_int_equal(stranger->status, redirects[i].is_allowed ? 200 : 400);
                assert_null(reply_header(stranger, "Location"));
        }
        free(client);
}

static const struct {
        const char *hosts, *uri;
        bool is_allowed;
} allowed[] = {
        {"claude.ai", "https://claude.ai/api/mcp/auth_callback", true},
        {"CLAUDE.ai", "https://claude.AI/cb", true},
        {"claude.ai", "https://claude.ai:8443/cb", true},
        {"claude.ai", "https://www.claude.ai/cb", false},
        {"claude.ai", "https://claude.ai.evil.example/cb", false},
        {"claude.ai", "https://evilclaude.ai/cb", false},
        {"claude.ai", "https://claude.ai@evil.example/cb", false},
        {"*.anthropic.com", "https://a.anthropic.com/cb", true},
        {"*.anthropic.com", "https://a.b.anthropic.com/cb", true},
        {"*.anthropic.com", "https://anthropic.com/cb", false},
        {"*.anthropic.com", "https://evilanthropic.com/cb", false},
        {"*.anthropic.com", "https://.anthropic.com/cb", false},
        {"claude.ai\n*.anthropic.com", "https://x.anthropic.com/cb", true},
        {"claude.ai, *.anthropic.com", "https://claude.ai/cb", true},
        {"claude.ai\r\nother.example\r\n", "https://other.example/cb", true},
        {"claude.ai", LOOPBACK, true},
        {"claude.ai", "http://localhost/cb", true},
        {"claude.ai", "http://[::1]:5/cb", true},
        {"claude.ai", "cursor://claude.ai/cb", false},
        {"claude.ai", "com.example.app:/cb", false},
        {"claude.ai", "https://[2001:db8::1]/cb", false},
        {NULL, "https://anything.example/cb", true},
        {NULL, "cursor://x/cb", true},
};

static void a_list_of_hosts_allows_what_it_names(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(allowed); i++)
                if (oauth_hosts_allow(allowed[i].hosts, allowed[i].uri) != allowed[i].is_allowed)
                        fail_msg("%s for %s", allowed[i].uri, allowed[i].hosts);
        assert_true(oauth_hosts_are_valid("claude.ai\n*.anthropic.com"));
        assert_false(oauth_hosts_are_valid("https://claude.ai"));
        assert_false(oauth_hosts_are_valid("*"));
        assert_false(oauth_hosts_are_valid("a.*.example"));
        assert_false(oauth_hosts_are_valid("*.*.example"));
        assert_false(oauth_hosts_are_valid(" , "));
}

static void the_list_of_hosts_holds_for_clients_registered_before_it(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\",\"" LOOPBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path(client, CALLBACK, "");
        auto_free char *local = oauth_authorize_path(client, LOOPBACK, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");

        oauth_set(fixture, "MCP_OAUTH_REDIRECT_HOSTS", "claude.ai");
        auto_reply *refused = oauth_get(fixture, path, cookie);
        assert_int_equal(refused->status, 400);
        assert_non_null(strstr(refused->body, "MCP_OAUTH_REDIRECT_HOSTS"));
        auto_reply *late = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);
        assert_int_equal(late->status, 400);
        auto_reply *loopback = oauth_get(fixture, local, cookie);
        assert_int_equal(loopback->status, 200);
        auto_reply *other = ask(fixture->connection, "POST", "/mcp/oauth/register",
                                "Content-Type: application/json\r\n", "{\"redirect_uris\":[\"" CALLBACK "\"]}");
        assert_int_equal(other->status, 400);
        assert_non_null(strstr(other->body, "\"error\":\"invalid_client_metadata\""));
        assert_non_null(strstr(other->body, "redirect"));
        free(oauth_register_client(fixture, "[\"https://claude.ai/api/mcp/auth_callback\"]"));
}

static void the_only_redirect_uri_need_not_be_named(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *one = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *two = oauth_register_client(fixture, "[\"" CALLBACK "\",\"" LOOPBACK "\"]");
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *with_one = oauth_authorize_path(one, NULL, "");
        auto_free char *with_two = oauth_authorize_path(two, NULL, "");
        auto_reply *good = oauth_get(fixture, with_one, cookie);
        auto_reply *bad = oauth_get(fixture, with_two, cookie);

        assert_int_equal(good->status, 200);
        assert_int_equal(bad->status, 400);
}

int run_redirect_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(only_what_was_registered_is_redirected_to, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test(a_list_of_hosts_allows_what_it_names),
                cmocka_unit_test_setup_teardown(the_list_of_hosts_holds_for_clients_registered_before_it, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_only_redirect_uri_need_not_be_named, oauth_set_up, oauth_tear_down),
        };

        return cmocka_run_group_tests_name("redirects", tests, NULL, NULL);
}
