#include "server/services/public_url.h"

#include "tests/services/suites.h"

#include "tests/cmocka.h"

static const struct services alone = {.address = "http://127.0.0.1:3000"};
static const struct services split = {.address = "https://127.0.0.1:3000", .mcp_address = "https://127.0.0.1:3004"};

static void load(const char *site, const char *base)
{
        auto_error error = {0};

        site ? setenv("SITE_URL", site, 1) : unsetenv("SITE_URL");
        base ? setenv("MCP_PUBLIC_BASE_URL", base, 1) : unsetenv("MCP_PUBLIC_BASE_URL");
        if (!settings_load(NULL, NULL, NULL, &error))
                fail_msg("%s", error.message);
}

static int forget(void **state)
{
        (void)state;
        load(NULL, NULL);
        return 0;
}

static void expect(const struct services *services, const char *host, const char *site, const char *mcp)
{
        auto_free char *site_origin = public_url_site_origin(services, host),
                       *mcp_origin = public_url_mcp_origin(services, host), *endpoint = public_url_mcp(services, host);
        auto_free char *wanted = text_format("%s/mcp", mcp);

        assert_string_equal(site_origin, site);
        assert_string_equal(mcp_origin, mcp);
        assert_string_equal(endpoint, wanted);
}

static void without_settings_the_address_is_the_one_that_was_called(void **state)
{
        (void)state;
        load(NULL, NULL);
        expect(&alone, NULL, "http://127.0.0.1:3000", "http://127.0.0.1:3000");
        expect(&alone, "localhost:3000", "http://localhost:3000", "http://localhost:3000");
        expect(&alone, "[::1]:3000", "http://[::1]:3000", "http://[::1]:3000");
        expect(&alone, "evil\"/x", "http://127.0.0.1:3000", "http://127.0.0.1:3000");
        expect(&alone, "", "http://127.0.0.1:3000", "http://127.0.0.1:3000");
}

static void a_listener_without_settings_is_known_by_where_it_listens(void **state)
{
        (void)state;
        load(NULL, NULL);
        expect(&split, "localhost:3004", "https://127.0.0.1:3000", "https://127.0.0.1:3004");
        load("https://tasks.example", NULL);
        expect(&split, NULL, "https://tasks.example", "https://tasks.example");
}

static void published_addresses_follow_the_settings_without_their_paths(void **state)
{
        (void)state;
        load("https://tasks.example/longshore", NULL);
        expect(&alone, "localhost:3000", "https://tasks.example", "https://tasks.example");
        load("https://tasks.example:8443", "https://mcp.example");
        expect(&alone, "localhost:3000", "https://tasks.example:8443", "https://mcp.example");
        expect(&split, "mcp.example", "https://tasks.example:8443", "https://mcp.example");
}

static void the_base_url_is_an_origin_and_nothing_else(void **state)
{
        (void)state;
        assert_true(public_url_is_origin("https://mcp.example"));
        assert_true(public_url_is_origin("http://127.0.0.1:3004"));
        assert_true(public_url_is_origin("https://[2001:db8::1]:3004"));
        static const char *const refused[] = {"",
                                              "https://",
                                              "mcp.example",
                                              "ftp://mcp.example",
                                              "https://mcp.example/",
                                              "https://mcp.example/mcp",
                                              "https://user@mcp.example",
                                              "https://mcp.example?x",
                                              "https://mcp.example#x",
                                              "https://mcp example"};
        for (size_t i = 0; i < COUNT_OF(refused); i++)
                if (public_url_is_origin(refused[i]))
                        fail_msg("%s", refused[i]);
}

int run_public_url_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(without_settings_the_address_is_the_one_that_was_called),
                cmocka_unit_test(a_listener_without_settings_is_known_by_where_it_listens),
                cmocka_unit_test(published_addresses_follow_the_settings_without_their_paths),
                cmocka_unit_test(the_base_url_is_an_origin_and_nothing_else),
        };

        return cmocka_run_group_tests_name("published addresses", tests, NULL, forget);
}
