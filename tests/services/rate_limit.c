#include "server/services/rate_limit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/setting.h"
#include "tests/services/suites.h"

#include "tests/cmocka.h"

#define SECOND INT64_C(1000000000)

static void a_bucket_holds_a_minute_and_fills_up_evenly(void **state)
{
        int64_t now = 1000 * SECOND;

        (void)state;
        for (int i = 0; i < 60; i++)
                assert_int_equal(rate_limit_take(101, 60, now), 0);
        assert_int_equal(rate_limit_take(101, 60, now), SECOND);
        assert_int_equal(rate_limit_take(101, 60, now + SECOND - 1), 1);
        assert_int_equal(rate_limit_take(101, 60, now + SECOND), 0);
        assert_int_equal(rate_limit_take(101, 60, now + SECOND), SECOND);
        for (int i = 0; i < 60; i++)
                assert_int_equal(rate_limit_take(101, 60, now + 1000 * SECOND), 0);
        assert_int_not_equal(rate_limit_take(101, 60, now + 1000 * SECOND), 0);
}

static void buckets_do_not_share(void **state)
{
        (void)state;
        for (uint64_t key = 1; key <= 2000; key++)
                assert_int_equal(rate_limit_take(key << 40 | key, 1, 5000 * SECOND), 0);
        for (uint64_t key = 1; key <= 2000; key++)
                assert_int_not_equal(rate_limit_take(key << 40 | key, 1, 5000 * SECOND), 0);
}

#define THREADS 4
static atomic_uint granted;

static void *take_many(void *argument)
{
        (void)argument;
        for (int i = 0; i < 5000; i++)
                if (!rate_limit_take(777, 6000, 9000 * SECOND))
                        atomic_fetch_add(&granted, 1);
        return NULL;
}

static void threads_together_get_no_more_than_one(void **state)
{
        pthread_t threads[THREADS];

        (void)state;
        granted = 0;
        for (size_t i = 0; i < THREADS; i++)
                pthread_create(&threads[i], NULL, take_many, NULL);
        for (size_t i = 0; i < THREADS; i++)
                pthread_join(threads[i], NULL);
        assert_in_range(granted, 6000, 6000 + THREADS);
}

static void load(const char *key, const char *user, const char *address)
{
        auto_error error = {0};

        setenv("RATE_LIMIT_KEY", key, 1);
        setenv("RATE_LIMIT_USER", user, 1);
        setenv("RATE_LIMIT_ADDRESS", address, 1);
        if (!settings_load(NULL, NULL, NULL, &error))
                fail_msg("%s", error.message);
}

static int forget(void **state)
{
        auto_error error = {0};

        (void)state;
        unsetenv("RATE_LIMIT_KEY");
        unsetenv("RATE_LIMIT_USER");
        unsetenv("RATE_LIMIT_ADDRESS");
        return settings_load(NULL, NULL, NULL, &error) ? 0 : 1;
}

static int allowed(const struct actor *actor)
{
        int count = 0;
        auto_error error = {0};

        while (count < 100 && rate_limit_actor(actor, &error))
                count++;
        if (count < 100) {
                assert_int_equal(error.code, ERROR_TOO_MANY);
                assert_in_range(document_get_integer(error.details, "retryAfterSeconds", 0), 1, 60);
        }
        return count;
}

static void keys_and_their_user_are_limited(void **state)
{
        struct actor one = {.credential_id = "key_limit_one", .user = 71},
                     two = {.credential_id = "key_limit_two", .user = 71},
                     other = {.credential_id = "key_limit_other", .user = 72};

        (void)state;
        load("5", "8", "0");
        assert_int_equal(allowed(&one), 5);
        assert_int_equal(allowed(&two), 3);
        assert_int_equal(allowed(&other), 5);
        load("0", "0", "0");
        assert_int_equal(allowed(&one), 100);
}

static void a_wrong_credential_counts_for_its_address(void **state)
{
        auto_error unauthenticated = {0}, denied = {0}, limited = {0};

        (void)state;
        load("0", "0", "2");
        for (int i = 0; i < 2; i++) {
                auto_error error = {0};
                error_set(&error, ERROR_UNAUTHENTICATED, NULL);
                rate_limit_refused("198.51.100.7", &error);
                assert_int_equal(error.code, ERROR_UNAUTHENTICATED);
        }
        error_set(&unauthenticated, ERROR_UNAUTHENTICATED, NULL);
        rate_limit_refused("198.51.100.7", &unauthenticated);
        assert_int_equal(unauthenticated.code, ERROR_TOO_MANY);
        error_set(&denied, ERROR_PERMISSION_DENIED, NULL);
        rate_limit_refused("198.51.100.7", &denied);
        assert_int_equal(denied.code, ERROR_PERMISSION_DENIED);
        assert_false(rate_limit_address("198.51.100.7", &limited));
}

static void addresses_of_one_ipv6_network_are_one(void **state)
{
        auto_error error = {0};

        (void)state;
        load("0", "0", "2");
        assert_true(rate_limit_address("2001:db8:7::1", &error));
        assert_true(rate_limit_address("2001:db8:7::2", &error));
        assert_false(rate_limit_address("2001:db8:7::3", &error));
        assert_true(rate_limit_address("2001:db8:8::1", &error));
}

int run_rate_limit_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_bucket_holds_a_minute_and_fills_up_evenly),
                cmocka_unit_test(buckets_do_not_share),
                cmocka_unit_test(threads_together_get_no_more_than_one),
                cmocka_unit_test(keys_and_their_user_are_limited),
                cmocka_unit_test(a_wrong_credential_counts_for_its_address),
                cmocka_unit_test(addresses_of_one_ipv6_network_are_one),
        };

        return cmocka_run_group_tests_name("rate limits", tests, NULL, forget);
}
