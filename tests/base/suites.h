/* The groups of tests of server/base; each returns the number of failed tests. */
#ifndef TESTS_BASE_SUITES_H
#define TESTS_BASE_SUITES_H

int run_field_tests(void);
int run_jwt_tests(void);
int run_otp_tests(void);
int run_pool_tests(void);
int run_seal_tests(void);
int run_url_tests(void);

#endif
