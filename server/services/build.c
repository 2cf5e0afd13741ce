#include "server/services/build.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/build_view.h"
#include "server/services/builder.h"
#include "server/services/write.h"

static const struct field start_rows[] = {
        STRING_FIELD(struct build_start_input, environment, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The environment whose image is built."),
        BOOLEAN_FIELD(struct build_start_input, fresh, .help = "Whether every step is run anew, without the cache."),
};
const struct field_table build_start_table = FIELD_TABLE(struct build_start_input, start_rows);

static const struct field get_rows[] = {
        STRING_FIELD(struct build_get_input, buildId, .is_required = true, .minimum = 1, .maximum = ID_SIZE,
                     .help = "The build's id."),
        STRING_FIELD(struct build_get_input, environment, .minimum = 1, .maximum = 64,
                     .help = "The environment that the build must be of."),
};
const struct field_table build_get_table = FIELD_TABLE(struct build_get_input, get_rows);

struct starting {
        const struct build_start_input *input;
        const struct environment *environment;
        char id[ID_SIZE];
};

static bool add_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct starting *starting = context;
        auto_store_build unfinished = {0}, made = {0};
        bool is_found;

        if (!store_build_unfinished(call->db, starting->environment->rid, &unfinished, &is_found, error))
                return false;
        if (is_found)
                return error_set_details(error, ERROR_BUILD_BUSY, json_pack("{s:s}", "buildId", unfinished.id),
                                         "The image of %s is being built already: build %s is %s.",
                                         starting->environment->name, unfinished.id, unfinished.state);
        return store_build_add(call->db, starting->id, starting->environment->rid, starting->input->fresh,
                               call->actor->user, call->now, error) &&
               audit_write(call->db, call->actor, "environment.build", starting->environment->name,
                           json_pack("{s:s, s:b}", "buildId", starting->id, "fresh", starting->input->fresh), error) &&
               store_build_find(call->db, starting->id, &made, &is_found, error) &&
               build_view_result(call, &made, result, error);
}

bool build_start(struct call *call, const struct build_start_input *input, json_t **result, struct error *error)
{
        if (!build_check_caller(call, error))
                return false;
        auto_environment *environment = environment_require(call, input->environment, error);
        if (!environment)
                return false;
        if (!access_allows(call->actor, PERMISSION_ENVIRONMENTS_BUILD, environment->rid))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not build the image of %s (%s).",
                                 environment->name, permission_string(PERMISSION_ENVIRONMENTS_BUILD));
        if (!environment_check_active(environment, error))
                return false;
        if (!environment->build_source)
                return error_set(error, ERROR_BUILD_NOTHING, NULL);
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is started.");
        struct starting starting = {input, environment, ""};
        id_new("build", starting.id);
        if (!call_write(call, add_work, &starting, result, error))
                return false;
        builder_wake(call->services->builder);
        return true;
}

bool build_get(struct call *call, const struct build_get_input *input, json_t **result, struct error *error)
{
        auto_store_build build = {0};

        return build_read(call, input->buildId, input->environment, &build, error) &&
               build_view_result(call, &build, result, error);
}

/* A build that waits ends here; one that runs is told once this is durable. */
static bool cancel(struct call *call, const struct store_build *build, struct error *error)
{
        const struct store_build_end end = {
                .state = "cancelled", .type = "cancelled", .message = "The build was cancelled before it began."};

        if (build->cancelled_at || (strcmp(build->state, "queued") && strcmp(build->state, "running")))
                return true;
        return store_build_cancel(call->db, build->rid, call->actor->user_name, call->now, error) &&
               (strcmp(build->state, "queued") || store_build_end(call->db, build->rid, &end, call->now, error)) &&
               audit_write(call->db, call->actor, "environment.build-cancel", build->environment_name,
                           json_pack("{s:s}", "buildId", build->id), error);
}

static bool cancel_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct build_get_input *input = context;
        auto_store_build before = {0}, now = {0};
        bool is_found;

        if (!build_read(call, input->buildId, input->environment, &before, error))
                return false;
        if (!access_allows(call->actor, PERMISSION_ENVIRONMENTS_BUILD, before.environment))
                return error_set(error, ERROR_PERMISSION_DENIED, "You may not cancel builds of %s (%s).",
                                 before.environment_name, permission_string(PERMISSION_ENVIRONMENTS_BUILD));
        return cancel(call, &before, error) && store_build_find(call->db, before.id, &now, &is_found, error) &&
               build_view_result(call, &now, result, error);
}

bool build_cancel(struct call *call, const struct build_get_input *input, json_t **result, struct error *error)
{
        auto_store_build build = {0};

        if (!build_read(call, input->buildId, input->environment, &build, error) ||
            !call_write(call, cancel_work, input, result, error))
                return false;
        builder_cancel(call->services->builder, build.rid);
        return true;
}
