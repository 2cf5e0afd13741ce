#include "server/services/run_environment.h"

#include <string.h>

#include "server/services/agent.h"
#include "server/services/task_paths.h"

void run_environment_clear(struct run_environment *environment)
{
        free(environment->items);
        turn_secrets_clear(&environment->secrets);
        *environment = (struct run_environment){0};
}

/* Puts a variable behind the others, or into the place of the one of its name. */
static void set(struct run_environment *out, const char *name, const char *value)
{
        size_t at = 0;

        while (at < out->count && strcmp(out->items[at].name, name) != 0)
                at++;
        if (at == out->count)
                out->items = memory_resize(out->items, ++out->count * sizeof *out->items);
        out->items[at] = (struct runner_variable){name, value};
}

bool run_environment_fill(struct call *call, const struct task_run_order *order, const char *run,
                          struct run_environment *out, struct error *error)
{
        const struct runner_variable fixed[] = {
                {"HOME", AGENT_HOME},
                {"USER", "agent"},
                {"LANG", "C.UTF-8"},
                {"TERM", "dumb"},
                {"LONGSHORE_TASK_ID", order->task->id},
        };
        const char *name;
        json_t *value;

        if (!vault_for_run(call->services, call->db, order->task, order->environment, run, &out->secrets, error) ||
            !run_secret_files_put(call->services, order->task->id, run, &out->secrets, error))
                return false;
        for (size_t i = 0; i < COUNT_OF(fixed); i++)
                set(out, fixed[i].name, fixed[i].value);
        json_object_foreach(order->environment->file.environment, name, value) set(out, name, json_string_value(value));
        for (size_t i = 0; i < out->secrets.count; i++)
                set(out, out->secrets.variables[i].name, out->secrets.variables[i].value);
        for (size_t i = 0; i < order->variable_count; i++)
                set(out, order->variables[i].name, order->variables[i].value);
        return true;
}

char *task_workdir(const struct environment *environment)
{
        const struct environment_repository *repositories = environment->file.repositories.items;

        if (environment->file.repositories.count == 1)
                return text_format("%s/%s", CONTAINER_WORKSPACE, repositories[0].name);
        return text_copy(CONTAINER_WORKSPACE);
}
