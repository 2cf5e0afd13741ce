#include "server/services/build_view.h"

#include <string.h>
#include <sys/stat.h>

#include "server/base/document.h"
#include "server/base/path.h"

char *build_path_folder(const char *data_folder, const char *build_id)
{
        return text_format("%s/builds/%s", data_folder, build_id);
}

bool build_check_caller(const struct call *call, struct error *error)
{
        if (call->actor->credential == CREDENTIAL_TASK)
                return error_set(error, ERROR_PERMISSION_DENIED, "A task may not use its environment's image builds.");
        return call->services->environments ||
               error_set(error, ERROR_UNAVAILABLE, "no server runs on this data folder: start it first");
}

bool build_check_read(const struct call *call, int64_t environment, const char *name, struct error *error)
{
        return access_allows(call->actor, PERMISSION_ENVIRONMENTS_VIEW_DETAILS, environment) ||
               access_allows(call->actor, PERMISSION_ENVIRONMENTS_BUILD, environment) ||
               error_set(error, ERROR_PERMISSION_DENIED, "You may not see the builds of %s (%s).", name,
                         permission_string(PERMISSION_ENVIRONMENTS_VIEW_DETAILS));
}

bool build_read(struct call *call, const char *id, const char *environment, struct store_build *build,
                struct error *error)
{
        auto_store_build found = {0};
        bool is_found;

        if (!build_check_caller(call, error) || !store_build_find(call->db, id, &found, &is_found, error))
                return false;
        if (!is_found || !access_sees_environment(call->actor, found.environment) ||
            (environment && (found.is_environment_removed || strcmp(environment, found.environment_name))))
                return error_set(error, ERROR_BUILD_NOT_FOUND, NULL);
        if (!build_check_read(call, found.environment, found.environment_name, error))
                return false;
        *build = found;
        found = (struct store_build){0};
        return true;
}

static json_t *person(const struct store_build *build)
{
        if (!build->creator_id)
                return json_null();
        json_t *result = json_object();
        json_object_set_new(result, "id", document_string(build->creator_id));
        json_object_set_new(result, "name", document_string(build->creator_name));
        return result;
}

static int64_t output_size(const struct call *call, const struct store_build *build)
{
        auto_free char *folder = build_path_folder(call->services->data_folder, build->id),
                       *path = path_join(folder, BUILD_LOG);
        struct stat info;

        return stat(path, &info) ? 0 : info.st_size;
}

json_t *build_view(const struct call *call, const struct store_build *build, const char *used,
                   const struct redactor *redactor)
{
        json_t *result = json_object();

        json_object_set_new(result, "buildId", document_string(build->id));
        json_object_set_new(result, "environment", document_string(build->environment_name));
        json_object_set_new(result, "status", document_string(build->state));
        json_object_set_new(result, "fresh", json_boolean(build->is_fresh));
        json_object_set_new(result, "createdBy", person(build));
        json_object_set_new(result, "createdAt", document_time(build->created_at));
        json_object_set_new(result, "startedAt", document_time(build->started_at));
        json_object_set_new(result, "finishedAt", document_time(build->ended_at));
        json_object_set_new(result, "cancelRequestedAt", document_time(build->cancelled_at));
        json_object_set_new(result, "cancelRequestedBy", document_string(build->cancelled_by));
        json_object_set_new(result, "source", document_string(build->source));
        json_object_set_new(result, "baseImage", document_string(build->base_image));
        json_object_set_new(result, "inputsHash", document_string(build->inputs_hash));
        json_object_set_new(result, "image", document_string(build->image));
        json_object_set_new(result, "imageName", document_string(build->image ? build->reference : NULL));
        json_object_set_new(result, "imageBytes", build->image ? json_integer(build->image_size) : json_null());
        json_object_set_new(result, "imageRemoved", json_boolean(build->image && build->is_image_gone));
        json_object_set_new(result, "inUse", json_boolean(used && !strcmp(used, build->id)));
        json_object_set_new(result, "endReason", document_string(build->end_type));
        json_object_set_new(result, "exitCode", build->has_exit_code ? json_integer(build->exit_code) : json_null());
        json_object_set_new(result, "message", redact_string(redactor, build->message));
        json_object_set_new(result, "outputBytes", json_integer(output_size(call, build)));
        return result;
}

bool build_used(struct call *call, int64_t environment_rid, char **id, struct error *error)
{
        auto_environment *environment = environment_find_rid(call->services->environments, environment_rid);
        auto_store_build newest = {0};
        bool is_found = false;

        if (environment && environment->build_source &&
            !store_build_newest_good(call->db, environment_rid, &newest, &is_found, error))
                return false;
        *id = is_found ? take(newest.id) : NULL;
        return true;
}

bool build_view_result(struct call *call, const struct store_build *build, json_t **result, struct error *error)
{
        auto_redactor redactor = {0};
        auto_free char *used = NULL;

        if (!redactor_init(&redactor, call->services, call->db, error) ||
            !build_used(call, build->environment, &used, error))
                return false;
        *result = json_object();
        json_object_set_new(*result, "build", build_view(call, build, used, &redactor));
        return true;
}
