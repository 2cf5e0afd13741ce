#include "server/services/user.h"

#include "server/rest/operations.h"

static const struct field user_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id."),
        OUT_STRING("name", .is_required = true, .help = "Name."),
        OUT_BOOLEAN("disabled", .is_required = true, .help = "Whether the user is locked out."),
        OUT_BOOLEAN("hasPassword", .is_required = true, .help = "Whether the user can log in with a password."),
        OUT_STRING("createdAt", .is_nullable = true, .format = "date-time", .help = "When the user was added."),
};
static const struct field_table user_shape = OUTPUT_TABLE("user", user_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("users", user_shape, .is_required = true, .help = "By name."),
};
static const struct field_table list_output = OUTPUT_TABLE("users", list_rows);

REST_SERVICE_PLAIN(user_list)
const struct rest_operation rest_user_list = {.output = &list_output, .run = run_user_list, .page = {"users", "name"}};

static const struct field added_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id."),
        OUT_STRING("name", .is_required = true, .help = "Name."),
        OUT_STRING("role", .help = "The role that was given."),
        OUT_STRING("environment", .help = "Where it holds, when not at the server."),
};
static const struct field_table added_output = OUTPUT_TABLE("new user", added_rows);

REST_SERVICE(user_add, struct user_add_input)
const struct rest_operation rest_user_add = {
        .input = &user_add_table, .output = &added_output, .mode = REST_BLOCKS, .status = 201, .run = run_user_add};

static const struct field disabled_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The user."),
        OUT_BOOLEAN("disabled", .is_required = true, .help = "Whether the user is locked out now."),
};
static const struct field_table disabled_output = OUTPUT_TABLE("user disabled", disabled_rows);

REST_SERVICE(user_disable, struct user_name_input)
const struct rest_operation rest_user_disable = {
        .input = &user_name_table, .output = &disabled_output, .mode = REST_BLOCKS, .run = run_user_disable};

REST_SERVICE(user_enable, struct user_name_input)
const struct rest_operation rest_user_enable = {
        .input = &user_name_table, .output = &disabled_output, .mode = REST_BLOCKS, .run = run_user_enable};

static const struct field removed_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The user."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "true."),
};
static const struct field_table removed_output = OUTPUT_TABLE("user removed", removed_rows);

REST_SERVICE(user_remove, struct user_name_input)
const struct rest_operation rest_user_remove = {
        .input = &user_name_table, .output = &removed_output, .mode = REST_BLOCKS, .run = run_user_remove};

static const struct field password_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The user."),
        OUT_BOOLEAN("hasPassword", .is_required = true, .help = "Whether the user can log in with a password."),
};
static const struct field_table password_output = OUTPUT_TABLE("user password", password_rows);

REST_SERVICE(user_set_password, struct user_password_input)
const struct rest_operation rest_user_password = {
        .input = &user_password_table, .output = &password_output, .mode = REST_BLOCKS, .run = run_user_set_password};
