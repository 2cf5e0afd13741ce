/* The groups of tests of server/store; each returns the number of failed tests. */
#ifndef TESTS_STORE_SUITES_H
#define TESTS_STORE_SUITES_H

int run_commit_tests(void);
int run_feed_tests(void);
int run_follow_up_tests(void);
int run_identity_tests(void);
int run_list_tests(void);
int run_page_tests(void);
int run_plan_tests(void);
int run_space_tests(void);

#endif
