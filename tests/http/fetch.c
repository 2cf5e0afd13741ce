#include "server/http/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tests/http/fixture.h"

static struct http_server *server;
static char url[64];

static int start(void **state)
{
        struct http_server_options options = fixture_options();

        (void)state;
        server = fixture_start(&options);
        return 0;
}

static int stop(void **state)
{
        (void)state;
        http_server_stop(server);
        return 0;
}

static const char *at(const char *path)
{
        snprintf(url, sizeof url, "http://127.0.0.1:%u%s", http_server_port(server), path);
        return url;
}

static struct http_fetch wanting(const char *path)
{
        return (struct http_fetch){.url = at(path), .maximum = 4096, .timeout_ms = 5000, .allows_http = true};
}

static void an_answer_is_fetched_with_its_headers(void **state)
{
        struct http_fetch wanted = wanting("/hello");
        auto_http_fetched fetched = {0};
        auto_error error = {0};

        (void)state;
        assert_true(http_fetch(&wanted, &fetched, &error));
        assert_int_equal(fetched.status, 200);
        assert_string_equal(fetched.body, "\"hello\"");
        assert_string_equal(fetched.content_type, "application/json");
        assert_string_equal(fetched.cache_control, "no-store");
}

static void a_body_is_posted(void **state)
{
        struct http_fetch wanted = wanting("/hello");
        auto_http_fetched fetched = {0};
        auto_error error = {0};

        (void)state;
        wanted.body = "{\"a\":1}";
        wanted.content_type = "application/json";
        assert_true(http_fetch(&wanted, &fetched, &error));
        assert_int_equal(fetched.status, 200);
        assert_non_null(strstr(fetched.body, "{\"a\":1}"));
}

static void expect_failure(const struct http_fetch *wanted, const char *why)
{
        auto_http_fetched fetched = {0};
        auto_error error = {0};

        assert_false(http_fetch(wanted, &fetched, &error));
        assert_int_equal(error.code, ERROR_FETCH_FAILED);
        assert_non_null(strstr(error.message, why));
        assert_null(strstr(error.message, "/hello"));
}

static void what_is_larger_than_the_maximum_is_an_error(void **state)
{
        struct http_fetch wanted = wanting("/hello");

        (void)state;
        wanted.maximum = 3;
        expect_failure(&wanted, "127.0.0.1: the answer is too large");
}

static void plain_http_is_refused_unless_allowed(void **state)
{
        struct http_fetch wanted = wanting("/hello");

        (void)state;
        wanted.allows_http = false;
        expect_failure(&wanted, "rotocol");
        wanted.url = "file:///etc/passwd";
        wanted.allows_http = true;
        expect_failure(&wanted, "rotocol");
}

static void an_address_of_this_machine_is_not_public(void **state)
{
        struct http_fetch wanted = wanting("/hello");

        (void)state;
        wanted.is_public_only = true;
        expect_failure(&wanted, "its address is not a public one");
}

static void a_server_that_does_not_answer_is_given_up(void **state)
{
        struct http_fetch wanted = wanting("/wait");

        (void)state;
        wanted.timeout_ms = 50;
        expect_failure(&wanted, "127.0.0.1: Timeout");
        http_respond(fixture_next_parked(), 200, NULL, NULL, 0);
}

static const struct {
        const char *address;
        bool is_public;
} addresses[] = {
        {"8.8.8.8", true},          {"0.0.0.0", false},         {"10.1.2.3", false},    {"100.63.255.255", true},
        {"100.64.0.1", false},      {"100.128.0.1", true},      {"127.0.0.1", false},   {"169.254.169.254", false},
        {"172.15.0.1", true},       {"172.31.255.1", false},    {"192.0.0.8", false},   {"192.0.2.1", false},
        {"192.168.0.1", false},     {"198.19.0.1", false},      {"203.0.113.9", false}, {"224.0.0.1", false},
        {"255.255.255.255", false}, {"2606:4700::1111", true},  {"::1", false},         {"::", false},
        {"fe80::1", false},         {"fd00::1", false},         {"ff02::1", false},     {"::ffff:127.0.0.1", false},
        {"::ffff:8.8.8.8", true},   {"64:ff9b::7f00:1", false}, {"2001:db8::1", false}, {"2002:7f00:1::1", false},
        {"2001::1", false},         {"::127.0.0.1", false},
};

static void special_addresses_are_told_from_public_ones(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(addresses); i++) {
                struct sockaddr_in four = {.sin_family = AF_INET};
                struct sockaddr_in6 six = {.sin6_family = AF_INET6};
                bool is_six = strchr(addresses[i].address, ':') != NULL;
                struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
                void *number = is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr;
                assert_int_equal(inet_pton(address->sa_family, addresses[i].address, number), 1);
                if (http_address_is_public(address) != addresses[i].is_public)
                        fail_msg("%s", addresses[i].address);
        }
}

int run_fetch_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(an_answer_is_fetched_with_its_headers),
                cmocka_unit_test(a_body_is_posted),
                cmocka_unit_test(what_is_larger_than_the_maximum_is_an_error),
                cmocka_unit_test(plain_http_is_refused_unless_allowed),
                cmocka_unit_test(an_address_of_this_machine_is_not_public),
                cmocka_unit_test(a_server_that_does_not_answer_is_given_up),
                cmocka_unit_test(special_addresses_are_told_from_public_ones),
        };

        return cmocka_run_group_tests_name("fetch", tests, start, stop);
}
