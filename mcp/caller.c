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

bool caller_run(struct caller *caller, const struct tool *tool, const void *input, const json_t *arguments,
                json_t **result, struct error *error)
{
        struct call call = {
                .services = caller->services,
                .db = caller->db,
                .actor = &caller->actor,
                .arguments = arguments,
                .source = "mcp",
                .now = clock_now(),
        };

        return tool->run(&call, input, result, error);
}
