/* The groups of tests of this program. */
#ifndef TESTS_RUNNER_CASES_H
#define TESTS_RUNNER_CASES_H

int message_cases(void);
int run_cases(void);
int end_cases(void);
int control_cases(void);
int fault_cases(void);
int connect_cases(void);

#endif
