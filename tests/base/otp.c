#include "server/base/otp.h"

#include <string.h>

#include "tests/base/suites.h"
#include "tests/cmocka.h"

/* RFC 6238, appendix B: the last six digits of its codes for SHA-1. */
#define RFC_SECRET "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
static const struct {
        int64_t seconds;
        const char *code;
} vectors[] = {
        {59, "287082"},         {1111111109, "081804"}, {1111111111, "050471"},
        {1234567890, "005924"}, {2000000000, "279037"}, {20000000000, "353130"},
};

static void codes_are_those_of_the_standard(void **state)
{
        char code[OTP_DIGITS + 1];

        (void)state;
        for (size_t i = 0; i < COUNT_OF(vectors); i++) {
                assert_true(otp_code(RFC_SECRET, vectors[i].seconds * 1000 / OTP_STEP_MS, code));
                assert_string_equal(code, vectors[i].code);
        }
        assert_false(otp_code("not base32!", 1, code));
}

static void a_code_holds_one_step_around_its_own_and_not_before_the_last(void **state)
{
        int64_t now = INT64_C(1111111109) * 1000, step = 0, own = now / OTP_STEP_MS;

        (void)state;
        assert_true(otp_is_right(RFC_SECRET, "081804", now, 0, &step));
        assert_int_equal(step, own);
        assert_true(otp_is_right(RFC_SECRET, "081804", now + OTP_STEP_MS, 0, &step));
        assert_true(otp_is_right(RFC_SECRET, "081804", now - OTP_STEP_MS, own - 1, &step));
        assert_false(otp_is_right(RFC_SECRET, "081804", now + 2 * OTP_STEP_MS, 0, &step));
        assert_false(otp_is_right(RFC_SECRET, "081804", now - 2 * OTP_STEP_MS, 0, &step));
        assert_false(otp_is_right(RFC_SECRET, "081804", now, own, &step));
        assert_false(otp_is_right(RFC_SECRET, "81804", now, 0, &step));
        assert_false(otp_is_right(RFC_SECRET, "0818040", now, 0, &step));
        assert_false(otp_is_right(RFC_SECRET, "", now, 0, &step));
}

static void secrets_are_new_and_of_160_bits(void **state)
{
        char one[OTP_SECRET_SIZE], other[OTP_SECRET_SIZE], code[OTP_DIGITS + 1];

        (void)state;
        otp_secret_new(one);
        otp_secret_new(other);
        assert_int_equal(strlen(one), 32);
        assert_string_not_equal(one, other);
        assert_true(otp_code(one, 1, code));
}

int run_otp_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(codes_are_those_of_the_standard),
                cmocka_unit_test(a_code_holds_one_step_around_its_own_and_not_before_the_last),
                cmocka_unit_test(secrets_are_new_and_of_160_bits),
        };

        return cmocka_run_group_tests_name("otp", tests, NULL, NULL);
}
