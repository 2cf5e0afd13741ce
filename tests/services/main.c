#include "tests/services/suites.h"

#include <stdlib.h>

#include "server/base/secret.h"
#include "tests/cmocka.h"

/* With an argument, only the tests whose names it matches (* and ?). */
int main(int argc, char **argv)
{
        /* clang-format off */
        static int (*const groups[])(void) = {
                run_access_tests,
                run_identity_tests,
                run_setting_tests,
                run_password_tests,
                run_environment_tests,
                run_metrics_tests,
                run_creation_tests,
                run_turn_tests,
                run_redaction_tests,
                run_reply_tests,
                run_output_tests,
                run_page_tests,
                run_limit_tests,
                run_list_tests,
                run_task_group_tests,
                run_judge_tests,
                run_judge_matrix_tests,
                run_recommendation_tests,
                run_verdict_tests,
                run_pin_tests,
                run_event_tests,
                run_feed_tests,
                run_value_set_tests,
                run_vault_tests,
                run_vault_turn_tests,
                run_submission_tests,
                run_follow_up_tests,
                run_fork_tests,
                run_unused_tests,
                run_change_tests,
                run_rewind_tests,
                run_review_rule_tests,
                run_review_loop_tests,
                run_review_request_tests,
                run_auto_review_tests,
                run_run_tests,
                run_build_tests,
                run_agent_tests,
                run_stream_tests,
                run_public_url_tests,
                run_origin_tests,
                run_rate_limit_tests,
                run_question_tests,
        };
        /* clang-format on */
        static int (*const engine_groups[])(void) = {run_runtime_tests, run_runtime_stop_tests,
                                                     run_runtime_restart_tests, run_build_engine_tests,
                                                     run_run_engine_tests};
        const char *engine = getenv("LONGSHORE_TEST_DOCKER_HOST");
        int failed = 0;

        secret_init();
        if (argc > 1)
                cmocka_set_test_filter(argv[1]);
        for (size_t i = 0; i < COUNT_OF(groups); i++)
                failed += groups[i]();
        for (size_t i = 0; engine && *engine && i < COUNT_OF(engine_groups); i++)
                failed += engine_groups[i]();
        return failed;
}
