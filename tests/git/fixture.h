/* What every test of git/ starts from: a remote, and a data folder of its own. */
#ifndef TESTS_GIT_FIXTURE_H
#define TESTS_GIT_FIXTURE_H

#include "git/repository.h"
#include "tests/cmocka.h"
#include "tests/git/remote.h"

#define FIXTURE_UID 54321
#define FIXTURE_GID 54322

struct fixture {
        struct remote remote;
        char *data; /* closed to FIXTURE_UID, as a server's is */
        char *mirrors;
        char *workspace; /* where fixture_workspace() puts one */
        char *branch;    /* of the last workspace */
        char *git;       /* what fixture_git() made */
        char head[REPOSITORY_HEAD_SIZE];
};

extern const struct repository_limits fixture_limits;

int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Updates the mirror of the repository, which must work. */
void fixture_mirror(struct fixture *fixture, const char *name);
/* Makes the workspace anew from the mirror; the result of repository_workspace_make(). */
MUST_CHECK bool fixture_workspace(struct fixture *fixture, const char *name, const char *branch, struct error *error);
/* The same, which must work. */
void fixture_workspace_works(struct fixture *fixture, const char *name, const char *branch);
/* Number of entries in a folder beneath the data folder that hold `part` in their names. */
size_t fixture_count(const struct fixture *fixture, const char *folder, const char *part);
/* Runs a shell script in the workspace, for whose owner git takes it; it must end well. */
void fixture_script(const struct fixture *fixture, const char *script);
/* From now on, and until the test ends, this shell script is the git program. */
void fixture_git(struct fixture *fixture, const char *script);
/* Fails the test unless the error has the code and its message holds `part`. */
void fixture_expect(const struct error *error, enum error_code code, const char *part);

/* Each runs one group of tests and gives the number of failures. */
int address_tests(void);
int mirror_tests(void);
int workspace_tests(void);
int bundle_tests(void);
int change_tests(void);
int fault_tests(void);
int damage_tests(void);

#define FIXTURE_TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

#endif
