#include "server/base/secret.h"
#include "tests/rest/fixture.h"

int main(void)
{
        /* clang-format off */
        static int (*const groups[])(void) = {
                run_route_tests,
                run_session_tests,
                run_totp_tests,
                run_setup_tests,
                run_oidc_tests,
                run_device_tests,
                run_page_tests,
                run_refusal_tests,
                run_body_size_tests,
                run_bound_tests,
                run_matrix_tests,
                run_group_matrix_tests,
                run_planted_tests,
                run_reference_tests,
                run_upload_tests,
                run_cors_tests,
                run_request_limit_tests,
                run_ingress_tests,
                run_bound_tests,
        };
        /* clang-format on */
        int failed = 0;

        secret_init();
        for (size_t i = 0; i < COUNT_OF(groups); i++)
                failed += groups[i]();
        return failed;
}
