/* Every route and every tool, as one table that several tests go through. */
#ifndef TESTS_REST_MATRIX_H
#define TESTS_REST_MATRIX_H

#include "server/base/id.h"
#include "tests/rest/fixture.h"

/* Who calls: a server administrator; a Developer and a Viewer in the environment main; somebody without a role. */
enum role { ADMINISTRATOR, DEVELOPER, VIEWER, STRANGER, ROLE_COUNT };

/* What it asks, and what it is answered: matrix.c. */
struct row {
        const char *method, *path, *body, *expected;
};
extern const struct row matrix_rows[];
extern const size_t matrix_row_count;

struct matrix {
        struct rest_fixture *fixture;
        char *keys[ROLE_COUNT];
        int fresh, faults;
        char task[ID_SIZE];                     /* the last one that was made */
        void (*on_task)(struct matrix *matrix); /* called for it; NULL: nothing is done */
};

/* People with their roles, the environment main, and MCP switched on; matrix_close fails the test after faults. */
struct matrix matrix_open(struct rest_fixture *fixture);
void matrix_close(struct matrix *matrix);
/* A request of an administrator that must succeed; the member of its answer, on the heap. */
char *matrix_make(struct matrix *matrix, const char *method, const char *path, const char *body, const char *member);
/* The text with every $NAME replaced, on the heap. */
char *matrix_fill(struct matrix *matrix, const char *text, enum role role);
/* Asks what the row says, with path and body filled; of a stream comes what it begins with. On the heap. */
struct reply *matrix_call(struct matrix *matrix, const struct row *row, enum role role, const char *path,
                          const char *body);

/* All that is wrong is told, not only the first. */
#define complain(matrix, ...)                                                                                          \
        do {                                                                                                           \
                print_error(__VA_ARGS__);                                                                              \
                (matrix)->faults++;                                                                                    \
        } while (0)

#endif
