/* An operation of the REST door: what a client is told about it, and what runs when it is called.
 *
 * Arguments come from the path (":name"), the query and the JSON body; together they are the object that the input
 * table reads. Each file of a noun in this folder ends in its operations; the table of routes says where they are. */
#ifndef REST_OPERATION_H
#define REST_OPERATION_H

#include "server/base/bound.h"
#include "server/base/field.h"
#include "server/http/request.h"
#include "server/services/caller.h"

/* Characters of an answer, at most. Strings, lists and maps in it have the limits of tool results (bound.h). */
#define REST_CEILING 4000000

enum rest_mode {
        REST_READS,  /* on the HTTP thread with its reader, checked again just before the answer is sent */
        REST_WRITES, /* as a piece of work on the store's writer thread, answered when that is durable */
        REST_BLOCKS, /* on the worker pool with a reader of that thread */
};

/* A list that is returned in pages although its service returns all of it. */
struct rest_page {
        const char *items; /* member that holds the list; NULL: the operation has no pages of this kind */
        const char *key;   /* member by which it is sorted and continued, unique in the list */
};

struct rest_operation {
        const struct field_table *input; /* NULL: no arguments */
        const struct field_table *output;
        enum rest_mode mode;
        unsigned status; /* of a success; 0: 200 */
        bool is_public;  /* for everybody: no credential is looked at, and the actor is actor_nobody */
        caller_service *run;
        struct rest_page page;
        /* Of a service that writes and may need slow work first: as in mcp/tool.h. NULL when none does. */
        bool (*is_prepared_first)(const void *input);
        bool (*prepare)(struct call *call, void *input, struct error *error);
        void (*release)(const struct services *services, void *input, bool is_kept);
        /* What its answer may measure; 0 as ceiling: REST_CEILING. A tool's are those of its results. */
        struct bound_rules bounds;
        /* Adds to a success what only the door knows (cookies, the CSRF token); may be NULL. */
        void (*decorate)(struct http_request *request, const struct caller *caller, json_t *result);
};

/* Brings a service to an operation's type. */
#define REST_SERVICE(service, type)                                                                                    \
        static bool run_##service(struct call *call, const void *input, json_t **result, struct error *error)          \
        {                                                                                                              \
                return service(call, (const type *)input, result, error);                                              \
        }
#define REST_SERVICE_PLAIN(service)                                                                                    \
        static bool run_##service(struct call *call, const void *input, json_t **result, struct error *error)          \
        {                                                                                                              \
                (void)input;                                                                                           \
                return service(call, result, error);                                                                   \
        }

/* The query parameters of pages, for operations that have some. */
struct rest_page_input {
        int64_t limit;
        const char *cursor;
};
extern const struct field_table rest_page_table;

#endif
