/* The commands of the admin door: what `longshored` can ask of a running server, or do itself under the lock. */
#ifndef ADMIN_COMMAND_H
#define ADMIN_COMMAND_H

#include "server/base/field.h"
#include "server/services/services.h"

struct admin_command {
        const char *name;                /* "user.add" is `user add` on the command line */
        const struct field_table *table; /* its arguments; NULL for none */
        const char *const *positionals;  /* NULL-ended names of those given without an option; NULL for none */
        const char *help;
        bool (*run)(struct call *call, const void *input, json_t **result, struct error *error);
        bool is_store_optional; /* runs (with call->db NULL) even when the store cannot be opened */
};

extern const struct admin_command admin_commands[];
extern const size_t admin_command_count;

/* NULL when there is none. */
const struct admin_command *admin_command_find(const char *name);
/* Checks the arguments (NULL for none) and runs the command. May block for seconds. */
MUST_CHECK bool admin_command_run(const struct admin_command *command, struct call *call, json_t *arguments,
                                  json_t **result, struct error *error);

#endif
