#ifndef TESTS_WEB_SUITES_H
#define TESTS_WEB_SUITES_H

int run_coding_tests(void);

#endif
