/* Secrets of environments and of people: set, listed and removed; a value never comes out again.
 *
 * Those of an environment need environments:manage in it; personal ones are the person's own business (on the server's
 * machine the command line may set them for anybody). A task's own credential can do nothing here. */
#ifndef SERVICES_SECRET_STORE_H
#define SERVICES_SECRET_STORE_H

#include "server/base/field.h"
#include "server/services/services.h"

struct secret_set_input {
        const char *name, *value;
        const char *environment, *user; /* one of them; neither: the caller's own */
        const char *as;                 /* variable or file */
        const char *path;               /* of a file; NULL: its name */
        bool tasks;                     /* whether tasks may have it */
};
extern const struct field_table secret_set_table;
/* {name, environment or user, as, path, tasks, createdAt, updatedAt, redacted}: `redacted` is false for a value too
 * short to be left out of texts. A secret of that name is replaced. Blocks: seals, then writes. */
MUST_CHECK bool secret_set(struct call *call, const struct secret_set_input *input, json_t **result,
                           struct error *error);

struct secret_list_input {
        const char *environment, *user; /* neither: the caller's own; on the command line: all there are */
};
extern const struct field_table secret_list_table;
/* {secrets: [{name, environment, user, as, path, tasks, createdAt, updatedAt}]}, by name. Reads. */
MUST_CHECK bool secret_list(struct call *call, const struct secret_list_input *input, json_t **result,
                            struct error *error);

struct secret_remove_input {
        const char *name;
        const char *environment, *user; /* as for secret_set */
};
extern const struct field_table secret_remove_table;
/* {name, removed}; ERROR_SECRET_NOT_FOUND. What tasks were given of it stays redacted for them. Blocks: writes. */
MUST_CHECK bool secret_remove(struct call *call, const struct secret_remove_input *input, json_t **result,
                              struct error *error);

/* {forgotten: N}: gives up every secret, every account, all that tasks were given, sealed settings and authenticator
 * apps (whose people sign in without a code then), for a store whose key file is lost. What tasks were given is not
 * left out of their texts any more. For server administrators. Blocks: writes. */
MUST_CHECK bool secret_forget(struct call *call, json_t **result, struct error *error);

#endif
