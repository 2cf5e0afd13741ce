/* The program itself, run as a child on a data folder of its own. */
#ifndef TESTS_ADMIN_FIXTURE_H
#define TESTS_ADMIN_FIXTURE_H

#include <jansson.h>
#include <sys/types.h>

#include "server/base/document.h"
#include "tests/cmocka.h"

struct fixture {
        char root[64];
        char *data; /* ROOT/data; not made yet */
        pid_t server;
        int server_errors;
};

int fixture_open(void **state);
/* Ends the server too when one runs. */
int fixture_close(void **state);

/* What a command printed. */
struct ran {
        int status; /* exit status, -1 when it was ended by a signal */
        struct text out, errors;
};
void ran_clear(struct ran *ran);
#define auto_ran CLEANUP(ran_clear) struct ran

/* Runs longshored with the words (split at "|", so that an argument can hold a space) on the data folder; `input` may
 * be NULL. */
struct ran run_with_input(struct fixture *fixture, const char *input, const char *words);
struct ran run(struct fixture *fixture, const char *words);
/* The same with --json, which must succeed; the caller owns the result. */
json_t *run_json(struct fixture *fixture, const char *words);

/* Starts `serve` on a free port without an engine and waits until it listens. */
void start_server(struct fixture *fixture);
/* Sends TERM and returns the exit status (-1 for a signal); *elapsed_ms is how long it took. */
int stop_server(struct fixture *fixture, int64_t *elapsed_ms);

/* A path in the fixture's root; the caller frees it. */
char *root_path(struct fixture *fixture, const char *name);
void write_file(const char *path, const char *content);

#endif
