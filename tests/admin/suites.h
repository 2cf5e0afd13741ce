/* The groups of tests of the command line and the admin door; each returns the number of failed tests. */
#ifndef TESTS_ADMIN_SUITES_H
#define TESTS_ADMIN_SUITES_H

int run_backup_tests(void);
int run_command_line_tests(void);
int run_process_tests(void);
int run_socket_tests(void);

#endif
