#include "mcp/caller.h"

#include <string.h>

#include "server/base/clock.h"

const char *caller_token(const char *authorization)
{
        if (!authorization || strncasecmp(authorization, "Bearer ", 7))
                return "";
        return authorization + 7 + strspn(authorization + 7, " ");
}

bool caller_authenticate(struct caller *caller, struct error *error)
{
        if (!*caller->token)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        return access_authenticate_key(caller->db, caller->token, &caller->actor, error);
}

static struct call call_of(struct caller *caller, const json_t *arguments)
{
        return (struct call){
                .services = caller->services,
                .db = caller->db,
                .actor = &caller->actor,
                .arguments = arguments,
                .source = "mcp",
                .now = clock_now(),
        };
}

bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                json_t **result, struct error *error)
{
        struct call call = call_of(caller, arguments);

        return tool->run(&call, input, result, error);
}

bool caller_prepare(struct caller *caller, const struct tool *tool, void *input, const json_t *arguments,
                    struct error *error)
{
        struct call call = call_of(caller, arguments);

        return tool->prepare(&call, input, error);
}
