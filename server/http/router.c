#include "server/http/router.h"

#include <string.h>

static size_t segment_length(const char *at)
{
        return strcspn(at, "/");
}

/* Whether the path has the pattern's shape; the parts are taken out only of the one pattern that has. */
static bool matches(const char *pattern, const char *path)
{
        while (*pattern) {
                if (*pattern == '*')
                        return true;
                if (*pattern != ':') {
                        if (*pattern++ != *path++)
                                return false;
                        continue;
                }
                size_t length = segment_length(path);
                if (!length)
                        return false;
                path += length;
                pattern += segment_length(pattern);
        }
        return !*path;
}

static void add_param(struct router_match *match, const char *name, size_t name_length, const char *value)
{
        match->params[match->param_count++] =
                (struct router_param){.name = name, .name_length = name_length, .value = value};
}

/* Cuts the copy of the path behind every named part. */
static void take_params(const char *pattern, const char *path, struct router_match *match)
{
        char *at = match->parts;

        strcpy(at, path);
        while (*pattern) {
                if (*pattern == '*') {
                        add_param(match, pattern + 1, strlen(pattern + 1), at);
                        return;
                }
                if (*pattern != ':') {
                        pattern++, at++;
                        continue;
                }
                size_t name_length = segment_length(pattern), length = segment_length(at);
                bool is_last = !at[length];
                add_param(match, pattern + 1, name_length - 1, at);
                at[length] = '\0';
                pattern += name_length;
                if (is_last || !*pattern)
                        return;
                at += length + 1;
                pattern++;
        }
}

static const struct http_route *find_method(const struct http_route *routes, size_t count, const char *pattern,
                                            const char *method)
{
        const struct http_route *any = NULL;

        for (size_t i = 0; i < count; i++) {
                if (strcmp(routes[i].path, pattern))
                        continue;
                if (!strcmp(routes[i].method, method))
                        return &routes[i];
                if (!strcmp(routes[i].method, "*"))
                        any = &routes[i];
        }
        return any;
}

void router_find(const struct http_route *routes, size_t count, const char *method, const char *path,
                 struct router_match *match)
{
        match->pattern = NULL;
        match->route = NULL;
        match->param_count = 0;
        for (size_t i = 0; i < count; i++) {
                if (!matches(routes[i].path, path))
                        continue;
                match->pattern = routes[i].path;
                match->route = find_method(routes + i, count - i, match->pattern, method);
                if (strpbrk(match->pattern, ":*"))
                        take_params(match->pattern, path, match);
                return;
        }
}

void router_allow(const struct http_route *routes, size_t count, const char *pattern, struct text *allow)
{
        bool has_options = false;

        for (size_t i = 0; i < count; i++) {
                if (strcmp(routes[i].path, pattern) || !strcmp(routes[i].method, "*"))
                        continue;
                has_options = has_options || !strcmp(routes[i].method, "OPTIONS");
                text_printf(allow, "%s%s", allow->length ? ", " : "", routes[i].method);
        }
        if (!has_options)
                text_append_string(allow, allow->length ? ", OPTIONS" : "OPTIONS");
}

/* Named parts fill whole segments, and a rest is the last of them. */
static bool is_pattern(const char *pattern)
{
        size_t params = 0;

        if (*pattern != '/' || strlen(pattern) >= ROUTER_PATH_SIZE)
                return false;
        for (const char *at = pattern; *at; at++) {
                if (*at != ':' && *at != '*')
                        continue;
                params++;
                if (at[-1] != '/' || !segment_length(at + 1) || (*at == '*' && at[segment_length(at)]))
                        return false;
        }
        return params <= ROUTER_PARAM_MAXIMUM;
}

bool router_check(const struct http_route *routes, size_t count, struct error *error)
{
        for (size_t i = 0; i < count; i++) {
                const struct http_route *route = &routes[i];
                if (!route->method || !route->path || !route->handler || !is_pattern(route->path))
                        return error_set(error, ERROR_INVALID_INPUT, "Row %zu of the routes (%s) is not complete: %s.",
                                         i, route->path ? route->path : "no path",
                                         "it needs a method, a path of whole segments and a handler");
                if (route->access == HTTP_ACCESS_UNSET)
                        return error_set(error, ERROR_INVALID_INPUT, "The route %s %s does not say who may call it.",
                                         route->method, route->path);
        }
        return true;
}
