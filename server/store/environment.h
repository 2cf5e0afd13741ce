/* Environments in the store: a stable id and the present name. What an environment is made of stands in the setup
 * folder. */
#ifndef STORE_ENVIRONMENT_H
#define STORE_ENVIRONMENT_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Owns its strings. */
struct store_environment {
        int64_t rid;
        char *id;
        char *name;
};
void store_environment_clear(struct store_environment *environment);
#define auto_store_environment CLEANUP(store_environment_clear) struct store_environment

/* The environment that carries the name now; makes it when there is none. In a piece of work. */
MUST_CHECK bool store_environment_ensure(struct store_db *db, const char *name, int64_t now,
                                         struct store_environment *environment, struct error *error);
/* *is_found is false when no environment carries the name now. */
MUST_CHECK bool store_environment_find(struct store_db *db, const char *name, struct store_environment *environment,
                                       bool *is_found, struct error *error);
MUST_CHECK bool store_environment_find_rid(struct store_db *db, int64_t rid, struct store_environment *environment,
                                           bool *is_found, struct error *error);
/* Gives up the name: a later environment of the same name is another one, with bindings of its own. */
MUST_CHECK bool store_environment_remove(struct store_db *db, int64_t rid, int64_t now, struct error *error);
/* All that are not removed, by name. The caller frees *environments after clearing each. */
MUST_CHECK bool store_environment_list(struct store_db *db, struct store_environment **environments, size_t *count,
                                       struct error *error);

#endif
