#include "tests/services/suites.h"

#include "server/base/secret.h"

int main(void)
{
        static int (*const groups[])(void) = {
                run_access_tests,  run_identity_tests, run_setting_tests, run_password_tests,  run_environment_tests,
                run_metrics_tests, run_creation_tests, run_turn_tests,    run_redaction_tests, run_reply_tests,
                run_output_tests,  run_page_tests,     run_list_tests,    run_event_tests,
        };
        int failed = 0;

        secret_init();
        for (size_t i = 0; i < COUNT_OF(groups); i++)
                failed += groups[i]();
        return failed;
}
