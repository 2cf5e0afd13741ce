#include "tests/base/suites.h"
#include "tests/cmocka.h"

#include <string.h>

#include "server/base/secret.h"

static const uint8_t key[SECRET_SEAL_KEY_SIZE] = {1, 2, 3};
static const char plain[] = "a value to be sealed";

static void what_was_sealed_is_opened_again(void **state)
{
        uint8_t sealed[sizeof plain + SECRET_SEAL_OVERHEAD];
        char opened[sizeof plain];

        (void)state;
        secret_seal(key, "origin", plain, sizeof plain, sealed);
        assert_true(secret_unseal(key, "origin", sealed, sizeof sealed, opened));
        assert_string_equal(opened, plain);
}

static void the_same_value_is_sealed_differently_each_time(void **state)
{
        uint8_t one[sizeof plain + SECRET_SEAL_OVERHEAD], other[sizeof one];

        (void)state;
        secret_seal(key, "origin", plain, sizeof plain, one);
        secret_seal(key, "origin", plain, sizeof plain, other);
        assert_memory_not_equal(one, other, sizeof one);
        assert_memory_not_equal(one + sizeof one - 20, other + sizeof other - 20, 20);
}

static void another_key_or_origin_and_a_changed_byte_open_nothing(void **state)
{
        static const uint8_t another[SECRET_SEAL_KEY_SIZE] = {1, 2, 4};
        uint8_t sealed[sizeof plain + SECRET_SEAL_OVERHEAD];
        char opened[sizeof plain];

        (void)state;
        secret_seal(key, "origin", plain, sizeof plain, sealed);
        assert_false(secret_unseal(another, "origin", sealed, sizeof sealed, opened));
        assert_false(secret_unseal(key, "another", sealed, sizeof sealed, opened));
        for (size_t i = 0; i < sizeof sealed; i++) {
                sealed[i] ^= 1;
                assert_false(secret_unseal(key, "origin", sealed, sizeof sealed, opened));
                sealed[i] ^= 1;
        }
        for (size_t length = 0; length < sizeof sealed; length++)
                assert_false(secret_unseal(key, "origin", sealed, length, opened));
}

int run_seal_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_was_sealed_is_opened_again),
                cmocka_unit_test(the_same_value_is_sealed_differently_each_time),
                cmocka_unit_test(another_key_or_origin_and_a_changed_byte_open_nothing),
        };

        return cmocka_run_group_tests_name("seal", tests, NULL, NULL);
}
