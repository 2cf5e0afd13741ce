/* A store in a temporary folder, with a reader. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "server/store/store.h"
#include "tests/cmocka.h"

struct fixture {
        char folder[64];
        struct store *store;
        struct store_db *db;
};

/* cmocka setup and teardown; *state is a struct fixture. */
int fixture_open(void **state);
int fixture_close(void **state);

/* Runs the work and fails the test when it fails. */
void fixture_write(struct fixture *fixture, store_work *work, void *context);

#endif
