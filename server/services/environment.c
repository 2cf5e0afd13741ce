#include "server/services/environment.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/build.h"
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

/* No task is created before the image is there that it needs. */
static bool can_create(const struct call *call, const struct environment *environment)
{
        auto_error ignored = {0};

        if (!is_active(environment) || !access_allows(call->actor, PERMISSION_TASKS_CREATE, environment->rid))
                return false;
        auto_free char *image = build_image(call->db, environment, &ignored);
        return image != NULL;
}

static json_t *render(const struct call *call, const struct environment *environment)
{
        const struct actor *actor = call->actor;
        bool has_details = access_allows(actor, PERMISSION_ENVIRONMENTS_VIEW_DETAILS, environment->rid);
        json_t *result = json_object();

        json_object_set_new(result, "name", document_string(environment->name));
        json_object_set_new(result, "description", document_string(environment->file.description));
        json_object_set_new(result, "status", json_string(is_active(environment) ? "active" : "disabled"));
        if (environment->broken_reason)
                json_object_set_new(result, "statusReason", document_string(environment->broken_reason));
        json_object_set_new(result, "repositories", repositories(environment, has_details));
        json_object_set_new(result, "defaultAgent", document_string(environment->file.defaultAgent));
        json_object_set_new(result, "agents", agent_names(call->services, environment));
        json_object_set_new(result, "canCreateTasks", json_boolean(can_create(call, environment)));
        return result;
}

bool environment_list(struct call *call, json_t **result, struct error *error)
{
        auto_environment_snapshot *current = environments_current(call->services->environments);
        json_t *list = json_array();

        (void)error;
        for (size_t i = 0; i < current->count; i++)
                if (access_sees_environment(call->actor, current->by_name[i]->rid))
                        json_array_append_new(list, render(call, current->by_name[i]));
        *result = json_object();
        json_object_set_new(*result, "environments", list);
        return true;
}

static const struct field get_rows[] = {
        STRING_FIELD(struct environment_get_input, environment, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Name of the environment."),
};
const struct field_table environment_get_table = FIELD_TABLE(struct environment_get_input, get_rows);

static json_t *limits_of(const struct environment_file *file)
{
        const struct environment_limits *limits = file->limits;

        return limits ? json_pack("{s:I, s:I, s:I, s:I, s:I}", "memoryMb", (json_int_t)limits->memoryMb, "cpusPercent",
                                  (json_int_t)limits->cpusPercent, "pids", (json_int_t)limits->pids, "fileSizeMb",
                                  (json_int_t)limits->fileSizeMb, "turnMinutes", (json_int_t)limits->turnMinutes)
                      : json_null();
}

/* Values of variables may be worth hiding: only names are told. */
static json_t *names_of(json_t *map)
{
        json_t *list = json_array(), *value;
        const char *name;

        json_object_foreach(map, name, value) json_array_append_new(list, json_string(name));
        return list;
}

static json_t *secrets_of(const struct environment_file *file)
{
        const struct environment_secret *secrets = file->secrets.items;
        json_t *list = json_array();

        for (size_t i = 0; i < file->secrets.count; i++)
                json_array_append_new(list, document_string(secrets[i].name));
        return list;
}

static json_t *tests_of(const struct environment_file *file)
{
        const struct environment_test *tests = file->tests.items;
        json_t *list = json_array();

        for (size_t i = 0; i < file->tests.count; i++)
                json_array_append_new(list, document_string(tests[i].name));
        return list;
}

static json_t *app_server_of(const struct environment_file *file)
{
        const struct environment_app_server *server = file->appServer;

        return server ? json_pack("{s:o, s:I, s:o, s:o}", "command", document_string(server->command), "port",
                                  (json_int_t)server->port, "readinessPath", document_string(server->readiness->path),
                                  "variables", names_of(server->environment))
                      : json_null();
}

bool environment_get(struct call *call, const struct environment_get_input *input, json_t **result, struct error *error)
{
        auto_environment *found = environment_require(call, input->environment, error);

        if (!found)
                return false;
        json_t *object = render(call, found);
        if (access_allows(call->actor, PERMISSION_ENVIRONMENTS_VIEW_DETAILS, found->rid)) {
                const struct environment_file *file = &found->file;
                json_object_set_new(object, "image", document_string(file->image));
                json_object_set_new(object, "network", document_string(file->network));
                json_object_set_new(object, "limits", limits_of(file));
                json_object_set_new(object, "variables", names_of(file->environment));
                json_object_set_new(object, "secrets", secrets_of(file));
                json_object_set_new(object, "tests", tests_of(file));
                json_object_set_new(object, "appServer", app_server_of(file));
                json_object_set_new(object, "shareTasks", json_boolean(file->shareTasks));
        }
        *result = object;
        return true;
}
