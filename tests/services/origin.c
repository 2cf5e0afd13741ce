#include "server/services/origin.h"

#include "tests/services/suites.h"

#include "server/base/cleanup.h"
#include "tests/cmocka.h"

static const struct settings local = {.host = "127.0.0.1"};
static const struct settings proxied = {.host = "localhost",
                                        .site_url = "https://Tasks.example/longshore",
                                        .allowed_origins = "http://a.example:81/, https://b.example"};
static const struct settings open_named = {.host = "0.0.0.0", .site_url = "https://tasks.example"};
static const struct settings open_unnamed = {.host = "::"};

static void expect(const struct settings *settings, const char *origin, const char *host, bool is_allowed)
{
        auto_error error = {0};

        if (origin_check(origin, host, settings, &error) != is_allowed)
                fail_msg("origin %s, host %s: %s", origin ? origin : "none", host ? host : "none", error.message);
        assert_int_equal(error.code, is_allowed ? ERROR_NONE : ERROR_FOREIGN_ORIGIN);
}

static void origins_that_may_call(void **state)
{
        (void)state;
        expect(&local, NULL, "127.0.0.1:3000", true);
        expect(&local, "http://localhost:5173", "localhost:3000", true);
        expect(&local, "http://127.0.0.1", "127.0.0.1:3000", true);
        expect(&local, "http://[::1]:80", "[::1]:3000", true);
        expect(&local, "https://evil.example", "127.0.0.1:3000", false);
        expect(&local, "http://localhost.evil.example", "127.0.0.1:3000", false);
        expect(&local, "http://127.0.0.1.evil.example", "127.0.0.1:3000", false);
        expect(&local, "null", "127.0.0.1:3000", false);
        expect(&local, "", "127.0.0.1:3000", false);
        expect(&local, "http://localhost/evil.example", "127.0.0.1:3000", false);
        expect(&local, "http://localhost:80@evil.example", "127.0.0.1:3000", false);
        expect(&local, "http://localhost@evil.example", "127.0.0.1:3000", false);
        expect(&local, "x y://localhost", "127.0.0.1:3000", false);
        expect(&local, "evil.example://localhost", "127.0.0.1:3000", false);
        expect(&proxied, "https://tasks.example", "tasks.example", true);
        expect(&proxied, "https://tasks.example:443", "tasks.example", true);
        expect(&proxied, "http://tasks.example", "tasks.example", false);
        expect(&proxied, "https://tasks.example:444", "tasks.example", false);
        expect(&proxied, "http://a.example:81", "tasks.example", true);
        expect(&proxied, "https://b.example", "tasks.example", true);
        expect(&proxied, "https://a.example:81", "tasks.example", false);
        expect(&open_unnamed, "http://10.0.0.5:3000", "10.0.0.5:3000", true);
        expect(&open_unnamed, "http://10.0.0.6:3000", "10.0.0.5:3000", false);
        expect(&open_unnamed, "http://10.0.0.5:80", "10.0.0.5:3000", false);
        expect(&open_unnamed, "http://evil.example:3000", "evil.example:3000", false);
}

static void names_that_the_server_answers_to(void **state)
{
        (void)state;
        expect(&local, NULL, NULL, true);
        expect(&local, NULL, "localhost", true);
        expect(&local, NULL, "LOCALHOST:3000", true);
        expect(&local, NULL, "127.8.9.1:1", true);
        expect(&local, NULL, "[::1]:3000", true);
        expect(&local, NULL, "evil.example", false);
        expect(&local, NULL, "10.0.0.5:3000", false);
        expect(&local, NULL, "[::1", false);
        expect(&local, NULL, "[::1]x", false);
        expect(&local, NULL, "", false);
        expect(&proxied, NULL, "tasks.example", true);
        expect(&proxied, NULL, "b.example", true);
        expect(&proxied, NULL, "c.example", false);
        expect(&open_named, NULL, "10.0.0.5:3000", true);
        expect(&open_named, NULL, "[fe80::1]:3000", true);
        expect(&open_named, NULL, "tasks.example", true);
        expect(&open_named, NULL, "evil.example", false);
        expect(&open_unnamed, NULL, "buildbox:3000", true);
        expect(&(struct settings){.host = "192.168.1.9", .site_url = "http://x"}, NULL, "192.168.1.9:3000", true);
}

static void the_public_address_of_mcp_is_known(void **state)
{
        static const struct settings split = {.host = "127.0.0.1",
                                              .site_url = "https://tasks.example",
                                              .mcp_public_base_url = "https://mcp.example:8443"};

        (void)state;
        expect(&split, NULL, "mcp.example:8443", true);
        expect(&split, "https://mcp.example:8443", "mcp.example:8443", true);
        expect(&split, "https://mcp.example", "mcp.example:8443", false);
        expect(&split, NULL, "tasks.example", true);
        expect(&split, NULL, "other.example", false);
}

static void only_the_page_itself_is_of_the_own_origin(void **state)
{
        static const struct {
                const struct settings *settings;
                const char *origin, *host;
                bool is_own;
        } cases[] = {
                {&local, "http://localhost:3000", "localhost:3000", true},
                {&local, "https://localhost:3000", "localhost:3000", true},
                {&local, "http://localhost", "localhost:80", true},
                {&local, "http://localhost", "LOCALHOST", true},
                {&local, "http://[::1]:3000", "[::1]:3000", true},
                {&local, "http://localhost:5173", "localhost:3000", false},
                {&local, "http://127.0.0.1:3000", "localhost:3000", false},
                {&local, "null", "localhost:3000", false},
                {&local, "http://localhost:3000", NULL, false},
                {&proxied, "https://tasks.example", "127.0.0.1:3000", true},
                {&proxied, "https://b.example", "tasks.example", false},
                {&proxied, "http://tasks.example", "tasks.example:8", false},
        };

        (void)state;
        for (size_t i = 0; i < COUNT_OF(cases); i++)
                if (origin_is_own(cases[i].origin, cases[i].host, cases[i].settings) != cases[i].is_own)
                        fail_msg("%s at %s", cases[i].origin, cases[i].host ? cases[i].host : "none");
}

int run_origin_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(origins_that_may_call),
                cmocka_unit_test(names_that_the_server_answers_to),
                cmocka_unit_test(the_public_address_of_mcp_is_known),
                cmocka_unit_test(only_the_page_itself_is_of_the_own_origin),
        };

        return cmocka_run_group_tests_name("origins", tests, NULL, NULL);
}
