/* Review loops and requests for the table of routes, written straight into the store. */
#ifndef TESTS_REST_PLANT_REVIEW_H
#define TESTS_REST_PLANT_REVIEW_H

#include "tests/rest/matrix.h"

/* LOOPED: the id of a task whose loop goes on; LOOP: the id of such a loop; ENDED: of one that ran out of rounds;
 * REQUEST: of a request of the administrator's that waits. NULL for any other word. On the heap. */
char *plant_review(struct matrix *matrix, const char *what);

#endif
