/* The dedicated MCP listener. */
#include "server/ingress.h"

#include "tests/rest/fixture.h"

static struct http_server *listener;
static struct connection *client;

static int set_up(void **state)
{
        struct http_server_options options = {.threads = 1};
        auto_error error = {0};

        rest_set_variable("MCP_SERVER_ENABLED", "true");
        if (rest_set_up(state))
                return 1;
        struct rest_fixture *fixture = *state;
        ingress_apply(&fixture->context, &options);
        listener = http_server_start(&options, &error);
        assert_string_equal(error.message, "");
        client = connection_open(listener);
        return 0;
}

static int tear_down(void **state)
{
        connection_close(client);
        http_server_stop(listener);
        rest_set_variable("MCP_SERVER_ENABLED", NULL);
        return rest_tear_down(state);
}

static const struct {
        const char *method, *path;
} served[] = {
        {"GET", "/health"},
        {"HEAD", "/health"},
        {"POST", "/mcp"},
        {"*", "/mcp"},
        {"POST", "/mcp/oauth/token"},
        {"POST", "/mcp/oauth/register"},
        {"POST", "/mcp/oauth/revoke"},
        {"GET", "/.well-known/oauth-authorization-server"},
        {"HEAD", "/.well-known/oauth-authorization-server"},
        {"GET", "/.well-known/oauth-protected-resource/mcp"},
        {"HEAD", "/.well-known/oauth-protected-resource/mcp"},
};

static bool is_served(const char *path)
{
        for (size_t i = 0; i < COUNT_OF(served); i++)
                if (!strcmp(served[i].path, path))
                        return true;
        return false;
}

static void whatever_is_not_its_own_is_404_there(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *lines = rest_bearer(fixture->administrator);

        for (size_t row = 0; row < route_count; row++) {
                if (is_served(routes[row].path))
                        continue;
                auto_reply *reply = ask(client, routes[row].method, routes[row].path, lines, NULL);
                if (reply->status != 404)
                        fail_msg("%s %s answered %d", routes[row].method, routes[row].path, reply->status);
        }
        static const char *const others[] = {"/", "/mcp/oauth/authorize", "/index.html", "/mcp/", "/mcp/x"};
        for (size_t i = 0; i < COUNT_OF(others); i++) {
                auto_reply *reply = ask(client, "GET", others[i], lines, NULL);
                if (reply->status != 404)
                        fail_msg("%s answered %d", others[i], reply->status);
        }
}

static void mcp_is_answered_there_with_a_bearer_credential_only(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *lines = rest_bearer(fixture->administrator);
        static const char ping[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

        auto_reply *good = ask(client, "POST", "/mcp", lines, ping);
        assert_int_equal(good->status, 200);
        auto_reply *none = ask(client, "POST", "/mcp", "Content-Type: application/json\r\n", ping);
        assert_int_equal(none->status, 401);
        assert_non_null(reply_header(none, "WWW-Authenticate"));
        auto_reply *cookie = ask(client, "POST", "/mcp",
                                 "Content-Type: application/json\r\nCookie: longshore_session=anything\r\n", ping);
        assert_int_equal(cookie->status, 401);
        auto_reply *get = ask(client, "GET", "/mcp", lines, NULL), *delete = ask(client, "DELETE", "/mcp", lines, NULL);
        assert_int_equal(get->status, 405);
        assert_int_equal(delete->status, 405);
        auto_reply *health = ask(client, "GET", "/health", "", NULL);
        assert_int_equal(health->status, 200);
}

static void every_row_of_it_is_there_and_none_is_entered_with_a_session(void **state)
{
        struct routes_context context = {0};
        struct http_server_options options = {0};

        (void)state;
        ingress_apply(&context, &options);
        assert_int_equal(options.route_count, COUNT_OF(served));
        for (size_t i = 0; i < options.route_count; i++)
                assert_int_not_equal(options.routes[i].access, HTTP_ACCESS_SESSION);
}

static bool is_wanted(const char *mode, const char *port, uint16_t *wanted)
{
        rest_set_variable("MCP_INGRESS_MODE", mode);
        rest_set_variable("MCP_INGRESS_PORT", port);
        bool answer = ingress_is_wanted(settings_current(), wanted);
        rest_set_variable("MCP_INGRESS_MODE", NULL);
        rest_set_variable("MCP_INGRESS_PORT", NULL);
        return answer;
}

static void it_is_there_when_the_mode_or_the_port_says_so(void **state)
{
        uint16_t port;

        (void)state;
        assert_false(is_wanted(NULL, NULL, &port));
        assert_true(is_wanted("listener", NULL, &port));
        assert_int_equal(port, 3004);
        assert_true(is_wanted(NULL, "4001", &port));
        assert_int_equal(port, 4001);
        assert_true(is_wanted("listener", "4001", &port));
        assert_int_equal(port, 4001);
        assert_false(is_wanted("main", "4001", &port));
}

static void it_answers_to_names_that_fit_where_it_listens(void **state)
{
        (void)state;
        rest_set_variable("MCP_INGRESS_HOST", "0.0.0.0");
        rest_set_variable("SITE_URL", "https://tasks.example");
        rest_set_variable("MCP_PUBLIC_BASE_URL", "https://mcp.example");
        connection_send(client, "GET /health HTTP/1.1\r\nHost: mcp.example\r\n\r\n");
        auto_reply *public = connection_read(client, true);
        connection_send(client, "GET /health HTTP/1.1\r\nHost: 10.0.0.5:3004\r\n\r\n");
        auto_reply *literal = connection_read(client, true);
        connection_send(client, "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        auto_reply *evil = connection_read(client, true);
        rest_set_variable("MCP_INGRESS_HOST", NULL);
        rest_set_variable("SITE_URL", NULL);
        rest_set_variable("MCP_PUBLIC_BASE_URL", NULL);
        assert_int_equal(public->status, 200);
        assert_int_equal(literal->status, 200);
        assert_int_equal(evil->status, 403);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_ingress_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(whatever_is_not_its_own_is_404_there),
                TEST(mcp_is_answered_there_with_a_bearer_credential_only),
                cmocka_unit_test(every_row_of_it_is_there_and_none_is_entered_with_a_session),
                cmocka_unit_test(it_is_there_when_the_mode_or_the_port_says_so),
                TEST(it_answers_to_names_that_fit_where_it_listens),
        };

        return cmocka_run_group_tests_name("dedicated listener", tests, NULL, NULL);
}
