#include "server/http/address.h"

#include "server/base/text.h"
#include "tests/http/fixture.h"

static struct address address(const char *text)
{
        struct address parsed;

        if (!address_parse(text, strlen(text), &parsed))
                fail_msg("%s", text);
        return parsed;
}

static void expect_text(const char *text, const char *wanted)
{
        struct address parsed = address(text);
        char printed[HTTP_PEER_SIZE];

        address_print(&parsed, printed);
        assert_string_equal(printed, wanted);
}

static void addresses_are_read_with_and_without_a_port(void **state)
{
        struct address parsed;

        (void)state;
        expect_text("10.1.2.3", "10.1.2.3");
        expect_text("10.1.2.3:80", "10.1.2.3");
        expect_text("::ffff:10.1.2.3", "10.1.2.3");
        expect_text("[2001:db8::1]:443", "2001:db8::1");
        expect_text("[2001:db8::1]", "2001:db8::1");
        expect_text("2001:db8:0::1", "2001:db8::1");
        static const char *const refused[] = {"",     "unknown", "10.1.2",  "10.1.2.3.4",
                                              "[::1", "[::1]x",  "_hidden", ":80"};
        for (size_t i = 0; i < COUNT_OF(refused); i++)
                if (address_parse(refused[i], strlen(refused[i]), &parsed))
                        fail_msg("%s", refused[i]);
}

static void expect_in(const char *networks, const char *text, bool is_in)
{
        auto_free struct address_list *list = NULL;
        struct address one = address(text);
        auto_error error = {0};

        if (!address_list_read(networks, &list, &error))
                fail_msg("%s", error.message);
        if (address_list_has(list, &one) != is_in)
                fail_msg("%s in %s", text, networks ? networks : "none");
}

static void networks_hold_their_addresses_and_no_others(void **state)
{
        (void)state;
        expect_in(NULL, "10.0.0.1", false);
        expect_in(" , ", "10.0.0.1", false);
        expect_in("10.0.0.1", "10.0.0.1", true);
        expect_in("10.0.0.1", "10.0.0.2", false);
        expect_in("10.0.0.0/8, fd00::/8", "10.255.1.2", true);
        expect_in("10.0.0.0/8, fd00::/8", "11.0.0.0", false);
        expect_in("10.0.0.0/8, fd00::/8", "fd12::1", true);
        expect_in("10.0.0.0/9", "10.128.0.0", false);
        expect_in("172.16.0.0/12", "172.31.255.255", true);
        expect_in("172.16.0.0/12", "172.32.0.0", false);
        expect_in("0.0.0.0/0", "8.8.8.8", true);
        expect_in("0.0.0.0/0", "2001:db8::1", false);
        expect_in("::/0", "8.8.8.8", true);
}

static void what_is_no_network_is_refused(void **state)
{
        static const char *const refused[] = {"x",      "10.0.0.0/33", "10.0.0.0/",        "10.0.0.0/-1",
                                              "::/129", "10.0.0.0/1x", "10.0.0.1, nowhere"};

        (void)state;
        for (size_t i = 0; i < COUNT_OF(refused); i++) {
                auto_free struct address_list *list = NULL;
                auto_error error = {0};
                if (address_list_read(refused[i], &list, &error))
                        fail_msg("%s", refused[i]);
                assert_int_equal(error.code, ERROR_INVALID_INPUT);
        }
}

static void expect_client(const char *told, const char *wanted)
{
        auto_free struct address_list *proxies = NULL;
        struct address peer = address("10.0.0.1");
        char printed[HTTP_PEER_SIZE];
        auto_error error = {0};

        assert_true(address_list_read("10.0.0.0/8", &proxies, &error));
        address_forwarded(proxies, told, &peer);
        address_print(&peer, printed);
        assert_string_equal(printed, wanted);
}

static void the_client_is_the_last_address_that_is_no_proxy(void **state)
{
        (void)state;
        expect_client("", "10.0.0.1");
        expect_client(",203.0.113.5", "203.0.113.5");
        expect_client("203.0.113.5, 10.0.0.7", "203.0.113.5");
        expect_client("1.1.1.1, 203.0.113.5 ,10.0.0.7,", "203.0.113.5");
        expect_client("10.9.9.9", "10.9.9.9");
        expect_client("1.1.1.1, garbage, 10.0.0.7", "10.0.0.7");
        expect_client("garbage", "10.0.0.1");
        expect_client("1.1.1.1, 2001:db8::5", "2001:db8::5");
}

static void connections_are_counted_by_address_and_by_network_of_ipv6(void **state)
{
        struct address_counts *counts = address_counts_new();
        struct address one = address("192.0.2.1"), other = address("192.0.2.2"), six = address("2001:db8::1"),
                       neighbour = address("2001:db8::ffff:1"), stranger = address("2001:db8:0:1::1"),
                       itself = address("::1");

        (void)state;
        address_counts_add(counts, &one, 1);
        address_counts_add(counts, &one, 1);
        address_counts_add(counts, &six, 1);
        assert_int_equal(address_counts_get(counts, &one), 2);
        assert_int_equal(address_counts_get(counts, &other), 0);
        assert_int_equal(address_counts_get(counts, &neighbour), 1);
        assert_int_equal(address_counts_get(counts, &stranger), 0);
        assert_int_equal(address_counts_get(counts, &itself), 0);
        address_counts_add(counts, &neighbour, -1);
        address_counts_add(counts, &one, -1);
        assert_int_equal(address_counts_get(counts, &six), 0);
        assert_int_equal(address_counts_get(counts, &one), 1);
        address_counts_free(counts);
}

int run_address_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(addresses_are_read_with_and_without_a_port),
                cmocka_unit_test(networks_hold_their_addresses_and_no_others),
                cmocka_unit_test(what_is_no_network_is_refused),
                cmocka_unit_test(the_client_is_the_last_address_that_is_no_proxy),
                cmocka_unit_test(connections_are_counted_by_address_and_by_network_of_ipv6),
        };

        return cmocka_run_group_tests_name("addresses", tests, NULL, NULL);
}
