#include "server/services/vault.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/agent.h"
#include "server/services/seal.h"
#include "server/services/vault_plan.h"
#include "server/services/vault_scope.h"

/* The header that a secret is put into has to stay one line of a reasonable size. */
#define EXPANDED_MAXIMUM 65536

void turn_secrets_clear(struct turn_secrets *secrets)
{
        for (size_t i = 0; i < secrets->count; i++) {
                free((char *)secrets->variables[i].name);
                seal_free((char *)secrets->variables[i].value);
        }
        for (size_t i = 0; i < secrets->file_count; i++) {
                free(secrets->files[i].path);
                seal_free(secrets->files[i].content);
        }
        free(secrets->variables);
        free(secrets->files);
        *secrets = (struct turn_secrets){0};
}

/* The values that a task is about to be given. */
struct giving {
        const struct services *services;
        struct store_db *db;
        const struct store_task *task;
        const struct environment *environment;
        int64_t turn, account; /* rids: of the turn (0 for none) and of the account's value (0 for none) */
        const char *run;       /* beside the turns: NULL for a turn */
        int64_t *values;
        size_t count;
};

static void giving_clear(struct giving *giving)
{
        free(giving->values);
}
#define auto_giving CLEANUP(giving_clear) struct giving

static char *unseal(struct giving *giving, int64_t value, const char *origin, struct error *error)
{
        char *opened = seal_read(giving->services, giving->db, value, origin, error);

        if (opened) {
                giving->values = memory_resize(giving->values, (giving->count + 1) * sizeof *giving->values);
                giving->values[giving->count++] = value;
        }
        return opened;
}

static char *unseal_secret(struct giving *giving, const struct store_secret *row, struct error *error)
{
        auto_free char *origin = vault_origin_secret(
                row->environment, row->environment ? giving->environment->id : giving->task->creator_id, row->name);

        return unseal(giving, row->value, origin, error);
}

static bool record_work(struct store_db *db, void *context, struct error *error)
{
        const struct giving *giving = context;

        for (size_t i = 0; i < giving->count; i++)
                if (!store_task_value_add(db, giving->task->rid, giving->values[i], error))
                        return false;
        return !giving->account || store_turn_account_put(db, giving->turn, giving->account, error);
}

static bool record(struct giving *giving, struct error *error)
{
        return !giving->count || store_write(giving->services->store, record_work, giving, error);
}

/* Takes the value over; a variable of that name is replaced. */
static void set_variable(struct turn_secrets *out, const char *name, char *value)
{
        for (size_t i = 0; i < out->count; i++)
                if (!strcmp(out->variables[i].name, name)) {
                        seal_free((char *)out->variables[i].value);
                        out->variables[i].value = value;
                        return;
                }
        out->variables = memory_resize(out->variables, (out->count + 1) * sizeof *out->variables);
        out->variables[out->count++] = (struct runner_variable){text_copy(name), value};
}

static bool give_secret(struct giving *giving, const struct planned_secret *planned, struct turn_secrets *out,
                        struct error *error)
{
        char *value = unseal_secret(giving, &planned->row, error);

        if (!value)
                return false;
        if (!planned->is_file) {
                set_variable(out, planned->row.name, value);
                return true;
        }
        set_variable(out, planned->row.name,
                     giving->run
                             ? text_format("%s/%s/%s/%s", CONTAINER_SECRETS, RUN_SECRETS, giving->run, planned->path)
                             : text_format("%s/%s", CONTAINER_SECRETS, planned->path));
        out->files = memory_resize(out->files, (out->file_count + 1) * sizeof *out->files);
        out->files[out->file_count++] = (struct turn_file){text_copy(planned->path), value};
        return true;
}

static bool give_account(struct giving *giving, const struct vault_plan *plan, const char *agent_name,
                         struct turn_secrets *out, struct error *error)
{
        const struct agent *agent = agent_find_known(agent_name);
        auto_store_account account = {0};
        bool is_found = false;

        if (agent && !vault_plan_account(giving->db, giving->environment, plan, giving->task->creator, agent, &account,
                                         &is_found, error))
                return false;
        if (!is_found)
                return true;
        auto_free char *origin =
                vault_origin_account(account.user ? giving->task->creator_id : NULL, account.agent, account.variable);
        char *value = unseal(giving, account.value, origin, error);
        if (!value)
                return false;
        giving->account = account.value;
        set_variable(out, account.variable, value);
        return true;
}

/* Gives the secrets, and the account of `agent` unless that is NULL, and records what was given. */
static bool give_all(struct giving *giving, const char *agent, struct turn_secrets *out, struct error *error)
{
        auto_vault_plan plan = {0};
        auto_turn_secrets given = {0};

        if (!vault_plan_make(giving->db, giving->environment, giving->task->creator, &plan, error))
                return false;
        for (size_t i = 0; i < plan.count; i++)
                if (!give_secret(giving, &plan.items[i], &given, error))
                        return false;
        if ((agent && !give_account(giving, &plan, agent, &given, error)) || !record(giving, error))
                return false;
        *out = given;
        given = (struct turn_secrets){0};
        return true;
}

bool vault_for_turn(const struct services *services, struct store_db *db, const struct store_task *task,
                    const struct store_turn *turn, const struct environment *environment, struct turn_secrets *out,
                    struct error *error)
{
        auto_giving giving = {
                .services = services, .db = db, .task = task, .environment = environment, .turn = turn->rid};

        return give_all(&giving, turn->agent, out, error);
}

bool vault_for_run(const struct services *services, struct store_db *db, const struct store_task *task,
                   const struct environment *environment, const char *run, struct turn_secrets *out,
                   struct error *error)
{
        auto_giving giving = {.services = services, .db = db, .task = task, .environment = environment, .run = run};

        return give_all(&giving, NULL, out, error);
}

static bool expand_one(struct giving *giving, const struct vault_plan *plan, const char *name, struct text *out,
                       struct error *error)
{
        const struct planned_secret *planned = vault_plan_find(plan, name);

        if (!planned || !planned->is_declared)
                return error_set(
                        error, ERROR_INVALID_INPUT,
                        "${secret:%.100s}: the environment declares no secret of that name that is set and that "
                        "tasks may have",
                        name);
        if (planned->is_file)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "${secret:%.100s}: a secret that is given as a file cannot stand in a text", name);
        char *value = unseal_secret(giving, &planned->row, error);
        if (!value)
                return false;
        text_append_string(out, value);
        seal_free(value);
        return true;
}

bool vault_expand(const struct services *services, struct store_db *db, const struct store_task *task,
                  const struct environment *environment, const char *text, char **expanded, struct error *error)
{
        static const char opening[] = "${secret:";
        auto_giving giving = {.services = services, .db = db, .task = task, .environment = environment};
        auto_text out = TEXT_WITH_MAXIMUM(EXPANDED_MAXIMUM);
        auto_vault_plan plan = {0};
        const char *hit, *end;

        if (!vault_plan_make(db, environment, task->creator, &plan, error))
                return false;
        while ((hit = strstr(text, opening)) && (end = strchr(hit, '}'))) {
                const char *begin = hit + strlen(opening);
                auto_free char *name = text_format("%.*s", (int)(end - begin), begin);
                text_append(&out, text, (size_t)(hit - text));
                if (!expand_one(&giving, &plan, name, &out, error))
                        return false;
                text = end + 1;
        }
        text_append_string(&out, text);
        if (out.is_cut)
                return error_set(error, ERROR_TOO_LARGE, "a text with secrets in it is larger than %d bytes",
                                 EXPANDED_MAXIMUM);
        if (!record(&giving, error))
                return false;
        *expanded = text_take(&out);
        return true;
}

bool vault_check_agent(const struct call *call, const struct environment *environment, const char *agent_name,
                       struct error *error)
{
        const struct agent *agent = agent_find_known(agent_name);
        auto_store_account account = {0};
        auto_vault_plan plan = {0};
        bool is_found;

        return !agent || !agent->accounts ||
               (vault_plan_make(call->db, environment, call->actor->user, &plan, error) &&
                vault_plan_account(call->db, environment, &plan, call->actor->user, agent, &account, &is_found, error));
}

bool vault_gives_variable(struct store_db *db, const struct environment *environment, int64_t owner, const char *name,
                          bool *result, struct error *error)
{
        const char *plain = document_get_string(environment->file.environment, name);
        auto_vault_plan plan = {0};

        if (!vault_plan_make(db, environment, owner, &plan, error))
                return false;
        const struct planned_secret *secret = vault_plan_find(&plan, name);
        *result = (plain && *plain) || (secret && !secret->is_file);
        return true;
}

bool vault_account_refused(struct store_db *db, const struct store_turn *turn, const char *reason, int64_t now,
                           struct error *error)
{
        return store_account_refuse(db, turn->rid, reason, now, error);
}

bool vault_copy_values(struct store_db *db, int64_t to_task, int64_t from_task, struct error *error)
{
        return store_task_value_copy(db, to_task, from_task, error);
}
