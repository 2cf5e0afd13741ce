/* The groups of tests of server/services; each returns the number of failed tests. */
#ifndef TESTS_SERVICES_SUITES_H
#define TESTS_SERVICES_SUITES_H

int run_access_tests(void);
int run_build_tests(void);
int run_build_engine_tests(void);
int run_agent_tests(void);
int run_creation_tests(void);
int run_environment_tests(void);
int run_event_tests(void);
int run_feed_tests(void);
int run_follow_up_tests(void);
int run_fork_tests(void);
int run_rewind_tests(void);
int run_review_rule_tests(void);
int run_review_tests(void);
int run_task_group_tests(void);
int run_judge_matrix_tests(void);
int run_judge_tests(void);
int run_recommendation_tests(void);
int run_verdict_tests(void);
int run_identity_tests(void);
int run_pin_tests(void);
int run_limit_tests(void);
int run_list_tests(void);
int run_metrics_tests(void);
int run_origin_tests(void);
int run_output_tests(void);
int run_page_tests(void);
int run_password_tests(void);
int run_public_url_tests(void);
int run_question_tests(void);
int run_runtime_tests(void);
int run_runtime_restart_tests(void);
int run_runtime_stop_tests(void);
int run_rate_limit_tests(void);
int run_redaction_tests(void);
int run_reply_tests(void);
int run_setting_tests(void);
int run_submission_tests(void);
int run_stream_tests(void);
int run_turn_tests(void);
int run_value_set_tests(void);
int run_vault_tests(void);
int run_vault_turn_tests(void);

#endif
