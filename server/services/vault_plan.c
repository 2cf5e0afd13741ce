#include "server/services/vault_plan.h"

#include <stdlib.h>
#include <string.h>

#include "server/services/agent.h"

void vault_plan_clear(struct vault_plan *plan)
{
        for (size_t i = 0; i < plan->count; i++) {
                store_secret_clear(&plan->items[i].row);
                free(plan->items[i].path);
        }
        free(plan->items);
        *plan = (struct vault_plan){0};
}

const struct planned_secret *vault_plan_find(const struct vault_plan *plan, const char *name)
{
        for (size_t i = 0; i < plan->count; i++)
                if (!strcmp(plan->items[i].row.name, name))
                        return &plan->items[i];
        return NULL;
}

static const struct environment_secret *declaration_of(const struct environment *environment, const char *name)
{
        const struct environment_secret *list = environment->file.secrets.items;

        for (size_t i = 0; i < environment->file.secrets.count; i++)
                if (!strcmp(list[i].name, name))
                        return &list[i];
        return NULL;
}

/* Takes the row over when tasks may have it and its name is not planned yet. */
static void add(struct vault_plan *plan, const struct environment *environment, struct store_secret *row)
{
        const struct environment_secret *declared = declaration_of(environment, row->name);
        struct planned_secret *planned;
        const char *as = declared && declared->as ? declared->as : row->given_as, *path = row->path;

        if (!row->is_for_tasks || vault_plan_find(plan, row->name) || (row->environment && !declared))
                return;
        if (declared && declared->path)
                path = declared->path;
        plan->items = memory_resize(plan->items, (plan->count + 1) * sizeof *plan->items);
        planned = &plan->items[plan->count++];
        *planned = (struct planned_secret){.row = *row, .is_declared = declared, .is_file = !strcmp(as, "file")};
        planned->path = planned->is_file ? text_copy(path ? path : row->name) : NULL;
        *row = (struct store_secret){0};
}

bool vault_plan_make(struct store_db *db, const struct environment *environment, int64_t owner, struct vault_plan *plan,
                     struct error *error)
{
        auto_store_secrets own = {0}, shared = {0};

        if ((owner && !store_secret_list(db, 0, owner, &own, error)) ||
            !store_secret_list(db, environment->rid, 0, &shared, error))
                return false;
        for (size_t i = 0; i < own.count; i++)
                add(plan, environment, &own.items[i]);
        for (size_t i = 0; i < shared.count; i++)
                add(plan, environment, &shared.items[i]);
        return true;
}

static bool environment_gives(const struct environment *environment, const struct vault_plan *plan,
                              const struct agent *agent)
{
        for (const char *const *name = agent->accounts; *name; name++) {
                const struct planned_secret *planned = vault_plan_find(plan, *name);
                if ((planned && !planned->is_file) || json_object_get(environment->file.environment, *name))
                        return true;
        }
        return false;
}

static bool check(const struct store_account *account, const struct agent *agent, struct error *error)
{
        if (!account->refused_at)
                return true;
        return error_set(error, ERROR_AGENT_AUTH_INVALID,
                         "%s: the provider refused the credential of %s; set it anew: longshored account set %s%s%s",
                         agent->name, account->user ? "your account" : "the server's default account", agent->name,
                         account->user ? " --user " : "", account->user ? account->user_name : "");
}

bool vault_plan_account(struct store_db *db, const struct environment *environment, const struct vault_plan *plan,
                        int64_t owner, const struct agent *agent, struct store_account *account, bool *is_found,
                        struct error *error)
{
        *is_found = false;
        if (!agent->accounts)
                return true;
        if (owner && !store_account_find(db, owner, agent->name, account, is_found, error))
                return false;
        if (*is_found)
                return check(account, agent, error);
        if (environment_gives(environment, plan, agent))
                return true;
        if (!store_account_find(db, 0, agent->name, account, is_found, error))
                return false;
        return *is_found ? check(account, agent, error)
                         : error_set(error, ERROR_AGENT_AUTH_INVALID,
                                     "%s has no account to authenticate with: set your own or the server's default "
                                     "(longshored account set %s)",
                                     agent->name, agent->name);
}
