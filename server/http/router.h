/* Finds the row of the route table for a method and a path. */
#ifndef HTTP_ROUTER_H
#define HTTP_ROUTER_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/error.h"
#include "server/base/text.h"
#include "server/http/route.h"

#define ROUTER_PATH_SIZE 512
#define ROUTER_PARAM_MAXIMUM 6

/* A named part of a path: `name` points into the row's pattern, `value` into the match. */
struct router_param {
        const char *name;
        size_t name_length;
        const char *value;
};

struct router_match {
        const char *pattern;            /* NULL: no row has the path */
        const struct http_route *route; /* NULL: the path exists, without this method */
        struct router_param params[ROUTER_PARAM_MAXIMUM];
        size_t param_count;
        char parts[ROUTER_PATH_SIZE];
};

/* Whether every row is complete and can be matched. ERROR_INVALID_INPUT names the one that is not. */
MUST_CHECK bool router_check(const struct http_route *routes, size_t count, struct error *error);
/* Fills `match`, `parts` excepted where the pattern names none. */
void router_find(const struct http_route *routes, size_t count, const char *method, const char *path,
                 struct router_match *match);
/* Writes the methods of a pattern as the value of an Allow header (RFC 9110, section 10.2.1). */
void router_allow(const struct http_route *routes, size_t count, const char *pattern, struct text *allow);

#endif
