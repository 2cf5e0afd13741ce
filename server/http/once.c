/* Headers of which a request has one. Of two, a proxy in front may have looked at the other. */
#include <string.h>
#include <strings.h>

#include "server/base/text.h"
#include "server/http/internal.h"

static const char *const own[] = {"Content-Length", "Transfer-Encoding", "Host", "Authorization",
                                  "Origin",         "Content-Type",      NULL};
enum { OWN_COUNT = COUNT_OF(own) - 1, NAMES_MAXIMUM = 32 };
/* The first two of them. */
#define BOTH_LENGTHS UINT32_C(3)

struct seen {
        const char *const *more; /* NULL-ended */
        uint32_t names;
        const char *repeated;
};

static void note(struct seen *seen, const char *name, const char *const *names, unsigned first)
{
        for (unsigned i = 0; names && names[i] && first + i < NAMES_MAXIMUM; i++) {
                bool may_be = (names[i][0] | 32) == (name[0] | 32);
                if (!may_be || strcasecmp(names[i], name))
                        continue;
                if (seen->names & UINT32_C(1) << (first + i))
                        seen->repeated = names[i];
                seen->names |= UINT32_C(1) << (first + i);
        }
}

static enum MHD_Result look(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
        struct seen *seen = context;

        (void)kind, (void)value;
        note(seen, name, own, 0);
        note(seen, name, seen->more, OWN_COUNT);
        return MHD_YES;
}

bool once_check(struct http_request *request, struct error *error)
{
        struct seen seen = {.more = request->worker->server->options.headers_once};

        MHD_get_connection_values(request->connection, MHD_HEADER_KIND, look, &seen);
        request->is_ambiguous = seen.repeated || (seen.names & BOTH_LENGTHS) == BOTH_LENGTHS;
        if (seen.repeated)
                return error_set(error, ERROR_INVALID_INPUT, "The header %s is there more than once.", seen.repeated);
        return !request->is_ambiguous ||
               error_set(error, ERROR_INVALID_INPUT,
                         "The length of the body is told in two ways: Content-Length and Transfer-Encoding.");
}
