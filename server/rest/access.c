#include "server/rest/operations.h"
#include "server/services/explain.h"
#include "server/services/role.h"

static const struct field role_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name."),
        OUT_BOOLEAN("predefined", .is_required = true, .help = "Whether it comes with the program."),
        OUT_STRINGS("permissions", .is_required = true, .help = "What it allows where it is bound."),
};
static const struct field_table role_shape = OUTPUT_TABLE("role", role_rows);
static const struct field role_list_rows[] = {
        OUT_OBJECTS("roles", role_shape, .is_required = true, .help = "By name."),
};
static const struct field_table role_list_output = OUTPUT_TABLE("roles", role_list_rows);

REST_SERVICE_PLAIN(role_list)
const struct rest_operation rest_role_list = {
        .output = &role_list_output, .run = run_role_list, .page = {"roles", "name"}};

static const char *const scopes[] = {"environment", "environments", "server", NULL};

/* clang-format off */
#define BINDING_ROWS \
        OUT_STRING("id", .is_required = true, .help = "Id of the binding."), \
        OUT_STRING("user", .is_nullable = true, .help = "The user who has the role."), \
        OUT_STRING("team", .is_nullable = true, .help = "The team that has it instead."), \
        OUT_STRING("role", .is_required = true, .help = "The role."), \
        OUT_STRING("scope", .is_required = true, .choices = scopes, \
                   .help = "One environment, all environments, or the server."), \
        OUT_STRING("environment", .is_nullable = true, .help = "The environment, for that scope.")
/* clang-format on */

static const struct field binding_rows[] = {BINDING_ROWS};
static const struct field_table binding_shape = OUTPUT_TABLE("binding", binding_rows);
static const struct field binding_list_rows[] = {
        OUT_OBJECTS("bindings", binding_shape, .is_required = true, .help = "By id."),
};
static const struct field_table binding_list_output = OUTPUT_TABLE("bindings", binding_list_rows);

REST_SERVICE_PLAIN(role_list_bindings)
const struct rest_operation rest_binding_list = {
        .output = &binding_list_output, .run = run_role_list_bindings, .page = {"bindings", "id"}};

REST_SERVICE(role_bind, struct role_bind_input)
const struct rest_operation rest_binding_add = {
        .input = &role_bind_table, .output = &binding_shape, .mode = REST_BLOCKS, .status = 201, .run = run_role_bind};

static const struct field removed_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Id of the binding."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "It holds no more."),
};
static const struct field_table removed_output = OUTPUT_TABLE("removed binding", removed_rows);

REST_SERVICE(role_unbind, struct role_unbind_input)
const struct rest_operation rest_binding_remove = {
        .input = &role_unbind_table, .output = &removed_output, .mode = REST_BLOCKS, .run = run_role_unbind};

static const struct field reason_rows[] = {
        BINDING_ROWS,
        OUT_STRING("permission", .is_required = true, .help = "The permission of the role that decides."),
};
static const struct field_table reason_shape = OUTPUT_TABLE("reason", reason_rows);
static const struct field explain_rows[] = {
        OUT_STRING("user", .is_required = true, .help = "The user."),
        OUT_STRING("permission", .is_required = true, .help = "The permission."),
        OUT_STRING("environment", .is_nullable = true, .help = "The environment asked about."),
        OUT_BOOLEAN("disabled", .is_required = true, .help = "Whether the user is locked out altogether."),
        OUT_BOOLEAN("allowed", .is_required = true, .help = "Whether the user may."),
        OUT_OBJECTS("reasons", reason_shape, .is_required = true,
                    .help = "Every binding that gives it, the user's own and those of teams; empty when none does."),
};
static const struct field_table explain_output = OUTPUT_TABLE("explanation", explain_rows);

REST_SERVICE(access_explain, struct access_explain_input)
const struct rest_operation rest_access_explain = {
        .input = &access_explain_table, .output = &explain_output, .run = run_access_explain};
