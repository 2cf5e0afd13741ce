/* Secrets and provider accounts: set, listed and removed; a value never comes out again. */
#include "server/rest/operations.h"
#include "server/services/account.h"
#include "server/services/secret_store.h"

/* clang-format off */
#define SECRET_ROWS \
        OUT_STRING("name", .is_required = true, .help = "Name of the secret."), \
        OUT_STRING("environment", .is_nullable = true, .help = "The environment it belongs to."), \
        OUT_STRING("user", .is_nullable = true, .help = "The person it belongs to instead."), \
        OUT_STRING("as", .help = "variable or file."), \
        OUT_STRING("path", .is_nullable = true, .help = "Where a file stands."), \
        OUT_BOOLEAN("tasks", .help = "Whether tasks may have it."), \
        OUT_STRING("createdAt", .is_nullable = true, .format = "date-time", .help = "When it was first set."), \
        OUT_STRING("updatedAt", .is_nullable = true, .format = "date-time", .help = "When it was last set.")
/* clang-format on */

static const struct field secret_rows[] = {SECRET_ROWS};
static const struct field_table secret_shape = OUTPUT_TABLE("secret", secret_rows);
static const struct field secret_list_rows[] = {
        OUT_OBJECTS("secrets", secret_shape, .is_required = true, .help = "By name."),
};
static const struct field_table secret_list_output = OUTPUT_TABLE("secrets", secret_list_rows);

REST_SERVICE(secret_list, struct secret_list_input)
const struct rest_operation rest_secret_list = {.input = &secret_list_table,
                                                .output = &secret_list_output,
                                                .run = run_secret_list,
                                                .page = {"secrets", "name"}};

static const struct field secret_set_rows[] = {
        SECRET_ROWS,
        OUT_BOOLEAN("redacted", .help = "Whether the value is long enough to be left out of what tasks show."),
};
static const struct field_table secret_set_output = OUTPUT_TABLE("secret set", secret_set_rows);

REST_SERVICE(secret_set, struct secret_set_input)
const struct rest_operation rest_secret_set = {
        .input = &secret_set_table, .output = &secret_set_output, .mode = REST_BLOCKS, .run = run_secret_set};

static const struct field secret_removed_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name of the secret."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "It is gone."),
};
static const struct field_table secret_removed_output = OUTPUT_TABLE("secret removed", secret_removed_rows);

REST_SERVICE(secret_remove, struct secret_remove_input)
const struct rest_operation rest_secret_remove = {
        .input = &secret_remove_table, .output = &secret_removed_output, .mode = REST_BLOCKS, .run = run_secret_remove};

static const struct field account_rows[] = {
        OUT_STRING("agent", .is_required = true, .help = "The agent."),
        OUT_STRING("user", .is_nullable = true, .help = "Whose it is, null for the server's default."),
        OUT_STRING("variable", .help = "The variable in which the agent looks for it."),
        OUT_STRING("state", .help = "valid, or refused by the provider."),
        OUT_STRING("reason", .is_nullable = true, .help = "Why it was refused."),
        OUT_STRING("createdAt", .is_nullable = true, .format = "date-time", .help = "When it was first set."),
        OUT_STRING("updatedAt", .is_nullable = true, .format = "date-time", .help = "When it was last set."),
};
static const struct field_table account_shape = OUTPUT_TABLE("account", account_rows);
static const struct field account_list_rows[] = {
        OUT_OBJECTS("accounts", account_shape, .is_required = true, .help = "The server's defaults and your own."),
        OUT_STRING("nextCursor", .is_nullable = true, .help = "Always null: there are few."),
};
static const struct field_table account_list_output = OUTPUT_TABLE("accounts", account_list_rows);

/* At most two an agent: one page holds them. */
static bool run_account_list(struct call *call, const void *input, json_t **result, struct error *error)
{
        if (!account_list(call, input, result, error))
                return false;
        json_object_set_new(*result, "nextCursor", json_null());
        return true;
}

const struct rest_operation rest_account_list = {
        .input = &account_list_table, .output = &account_list_output, .run = run_account_list};

REST_SERVICE(account_set, struct account_set_input)
const struct rest_operation rest_account_set = {
        .input = &account_set_table, .output = &account_shape, .mode = REST_BLOCKS, .run = run_account_set};

static const struct field account_removed_rows[] = {
        OUT_STRING("agent", .is_required = true, .help = "The agent."),
        OUT_BOOLEAN("removed", .is_required = true, .help = "It is gone."),
};
static const struct field_table account_removed_output = OUTPUT_TABLE("account removed", account_removed_rows);

REST_SERVICE(account_remove, struct account_remove_input)
const struct rest_operation rest_account_remove = {.input = &account_remove_table,
                                                   .output = &account_removed_output,
                                                   .mode = REST_BLOCKS,
                                                   .run = run_account_remove};
