#include "tests/rest/fixture.h"

#include "server/base/document.h"
#include "server/services/engine.h"
#include "server/services/metrics.h"

static void health_is_told_at_once_while_the_engine_is_down(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_error error = {0};

        engine_state_set(false, NULL, "nothing listens");
        auto_reply *reply = ask(fixture->connection, "GET", "/health", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "Content-Type"), "application/json");
        auto_json *report = document_parse(reply->body, reply->length, &error);
        assert_string_equal(document_get_string(report, "status"), "degraded");
        assert_string_equal(document_get_string(json_object_get(report, "engine"), "message"), "nothing listens");
}

static void metrics_are_open_on_this_machine_and_count_by_route(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *health = ask(fixture->connection, "GET", "/health", "", NULL);
        auto_reply *nothing = ask(fixture->connection, "GET", "/nothing", "", NULL);
        assert_int_equal(nothing->status, 404);
        auto_reply *reply = ask(fixture->connection, "GET", "/metrics", "", NULL);
        assert_int_equal(reply->status, 200);
        assert_string_equal(reply_header(reply, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
        assert_non_null(strstr(reply->body, "\nlongshore_http_requests_total{route=\"/health\",status=\"200\"} "));
        assert_non_null(strstr(reply->body, "\nlongshore_http_requests_total{route=\"none\",status=\"404\"} "));
        assert_non_null(strstr(reply->body, "\nlongshore_tasks{status=\"running\"} 0\n"));
        assert_non_null(health);
}

static void every_route_is_counted_under_its_own_name(void **state)
{
        struct rest_fixture *fixture = *state;

        for (size_t row = 0; row < route_count; row++)
                metrics_http(routes[row].path, 299);
        auto_reply *reply = ask(fixture->connection, "GET", "/metrics", "", NULL);
        for (size_t row = 0; row < route_count; row++) {
                auto_free char *sample =
                        text_format("\nlongshore_http_requests_total{route=\"%s\",status=\"299\"} ", routes[row].path);
                if (!strstr(reply->body, sample))
                        fail_msg("%s is not counted", routes[row].path);
        }
        assert_null(strstr(reply->body, "{route=\"other\""));
}

static void a_header_that_says_what_is_called_is_there_once(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const names[] = {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "X-MCP-Toolsets"};

        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_free char *headers = text_format("%s: a\r\n%s: a\r\n", names[i], names[i]);
                struct connection *own = connection_open(fixture->server);
                auto_reply *reply = ask(own, "POST", "/mcp", headers, "{}");
                connection_close(own);
                assert_int_equal(reply->status, 400);
                assert_non_null(strstr(reply->body, names[i]));
        }
}

static int metrics_status(struct rest_fixture *fixture, const char *key)
{
        auto_free char *headers = key ? text_format("X-Forwarded-For: 192.0.2.7\r\nAuthorization: bearer %s\r\n", key)
                                      : text_copy("X-Forwarded-For: 192.0.2.7\r\n");
        auto_reply *reply = ask(fixture->connection, "GET", "/metrics", headers, NULL);

        if (reply->status == 401)
                assert_string_equal(reply_header(reply, "WWW-Authenticate"), "Bearer");
        return reply->status;
}

static void metrics_through_a_proxy_need_the_permission(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *viewer = rest_key(fixture, "vera", "Viewer");
        auto_free char *administrator = rest_key(fixture, "ada", "Server Admin");

        assert_int_equal(metrics_status(fixture, NULL), 401);
        assert_int_equal(metrics_status(fixture, "lsk_nonsense"), 401);
        assert_int_equal(metrics_status(fixture, viewer), 403);
        assert_int_equal(metrics_status(fixture, administrator), 200);
}

static void a_method_without_a_row_is_refused_with_those_there_are(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *reply = ask(fixture->connection, "DELETE", "/health", "", NULL);
        assert_int_equal(reply->status, 405);
        assert_string_equal(reply_header(reply, "Allow"), "GET, HEAD, OPTIONS");
}

static void a_page_of_another_site_may_call_nothing(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *reply = ask(fixture->connection, "GET", "/health", "Origin: https://elsewhere.example\r\n", NULL);
        assert_int_equal(reply->status, 403);
        assert_non_null(strstr(reply->body, "foreign_origin"));
}

static void mcp_is_off_by_default(void **state)
{
        struct rest_fixture *fixture = *state;

        auto_reply *post = ask(fixture->connection, "POST", "/mcp", "Content-Type: application/json\r\n", "{}");
        auto_reply *get = ask(fixture->connection, "GET", "/mcp", "", NULL);
        assert_int_equal(post->status, 404);
        assert_int_equal(get->status, 404);
        assert_non_null(strstr(get->body, "\"message\""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_route_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(health_is_told_at_once_while_the_engine_is_down),
                TEST(metrics_are_open_on_this_machine_and_count_by_route),
                TEST(every_route_is_counted_under_its_own_name),
                TEST(a_header_that_says_what_is_called_is_there_once),
                TEST(metrics_through_a_proxy_need_the_permission),
                TEST(a_method_without_a_row_is_refused_with_those_there_are),
                TEST(a_page_of_another_site_may_call_nothing),
                TEST(mcp_is_off_by_default),
        };

        return cmocka_run_group_tests_name("routes", tests, NULL, NULL);
}
