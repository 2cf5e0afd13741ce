#include "server/services/environment.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/environment_snapshot.h"
#include "server/services/agent.h"

const struct environment *environment_require(struct call *call, const char *name, struct error *error)
{
        auto_environment *found = environment_find(call->services->environments, name);

        if (!found || !access_sees_environment(call->actor, found->rid)) {
                error_set(error, ERROR_ENVIRONMENT_NOT_FOUND, NULL);
                return NULL;
        }
        return take(found);
}

static bool is_active(const struct environment *environment)
{
        return !environment->broken_reason && !strcmp(environment->file.status, "active");
}

bool environment_check_active(const struct environment *environment, struct error *error)
{
        if (is_active(environment))
                return true;
        if (environment->broken_reason)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The environment %s is disabled: %s",
                                 environment->name, environment->broken_reason);
        return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The environment %s is disabled.", environment->name);
}

/* Addresses are configuration: only those who may read it get them. */
static json_t *repositories(const struct environment *environment, bool has_urls)
{
        const struct environment_repository *list = environment->file.repositories.items;
        json_t *result = json_array();

        for (size_t i = 0; i < environment->file.repositories.count; i++) {
                json_t *repository = json_object();
                json_object_set_new(repository, "name", document_string(list[i].name));
                json_object_set_new(repository, "branch", document_string(list[i].branch));
                if (has_urls)
                        json_object_set_new(repository, "url", document_string(list[i].url));
                json_array_append_new(result, repository);
        }
        return result;
}

static json_t *render(const struct services *services, const struct actor *actor, const struct environment *environment)
{
        bool has_details = access_allows(actor, PERMISSION_ENVIRONMENTS_VIEW_DETAILS, environment->rid);
        bool can_create = is_active(environment) && access_allows(actor, PERMISSION_TASKS_CREATE, environment->rid);
        json_t *result = json_object();

        json_object_set_new(result, "name", document_string(environment->name));
        json_object_set_new(result, "description", document_string(environment->file.description));
        json_object_set_new(result, "status", json_string(is_active(environment) ? "active" : "disabled"));
        if (environment->broken_reason)
                json_object_set_new(result, "statusReason", document_string(environment->broken_reason));
        json_object_set_new(result, "repositories", repositories(environment, has_details));
        json_object_set_new(result, "defaultAgent", document_string(environment->file.defaultAgent));
        json_object_set_new(result, "agents", agent_names(services, environment));
        json_object_set_new(result, "canCreateTasks", json_boolean(can_create));
        return result;
}

bool environment_list(struct call *call, json_t **result, struct error *error)
{
        auto_environment_snapshot *current = environments_current(call->services->environments);
        json_t *list = json_array();

        (void)error;
        for (size_t i = 0; i < current->count; i++)
                if (access_sees_environment(call->actor, current->by_name[i]->rid))
                        json_array_append_new(list, render(call->services, call->actor, current->by_name[i]));
        *result = json_object();
        json_object_set_new(*result, "environments", list);
        return true;
}
