/* Answers against the tables that describe them. */
#ifndef TESTS_REST_CONFORM_H
#define TESTS_REST_CONFORM_H

#include "tests/rest/fixture.h"

/* The row of the route table that a request comes to; fails the test when there is none. */
size_t conform_route(const char *method, const char *path);
/* Fails the test when a success is not as its route's output table says: status, members, types. */
void conform_reply(const char *method, const char *path, const struct reply *reply);

#endif
