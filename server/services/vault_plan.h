/* Internal to the vault: which secrets a task gets and how, before any is unsealed. */
#ifndef SERVICES_VAULT_PLAN_H
#define SERVICES_VAULT_PLAN_H

#include "server/services/environment.h"
#include "server/store/vault.h"

struct planned_secret {
        struct store_secret row;
        bool is_file, is_declared;
        char *path; /* of a file, below CONTAINER_SECRETS */
};

struct vault_plan {
        struct planned_secret *items;
        size_t count;
};
void vault_plan_clear(struct vault_plan *plan);
#define auto_vault_plan CLEANUP(vault_plan_clear) struct vault_plan

/* `owner` is the rid of the task's owner, 0 for none. */
MUST_CHECK bool vault_plan_make(struct store_db *db, const struct environment *environment, int64_t owner,
                                struct vault_plan *plan, struct error *error);
/* The planned secret of that name, NULL when there is none. */
const struct planned_secret *vault_plan_find(const struct vault_plan *plan, const char *name);

struct agent;
/* The account that the agent is given: *is_found is false when it needs none or the environment gives it a credential.
 * ERROR_AGENT_AUTH_INVALID when there is none to be had, or what there is was refused. */
MUST_CHECK bool vault_plan_account(struct store_db *db, const struct environment *environment,
                                   const struct vault_plan *plan, int64_t owner, const struct agent *agent,
                                   struct store_account *account, bool *is_found, struct error *error);

#endif
