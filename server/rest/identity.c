#include "server/services/identity.h"

#include "server/rest/operations.h"

static const struct field identity_rows[] = {
        OUT_STRING("issuer", .is_required = true, .help = "The provider."),
        OUT_STRING("subject", .is_required = true, .help = "Its id of the account."),
        OUT_STRING("createdAt", .is_required = true, .format = "date-time", .help = "Since when."),
};
static const struct field_table identity_shape = OUTPUT_TABLE("identity", identity_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("identities", identity_shape, .is_required = true, .help = "Of one user; few."),
};
static const struct field_table list_output = OUTPUT_TABLE("identities", list_rows);

REST_SERVICE(identity_list, struct user_name_input)
const struct rest_operation rest_identity_list = {
        .input = &user_name_table, .output = &list_output, .run = run_identity_list};

static const struct field linked_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "The user."),
        OUT_STRING("issuer", .is_required = true, .help = "The provider."),
        OUT_STRING("subject", .is_required = true, .help = "Its id of the account."),
};
static const struct field_table linked_output = OUTPUT_TABLE("linked identity", linked_rows);

REST_SERVICE(identity_link, struct identity_input)
const struct rest_operation rest_identity_link = {.input = &identity_table,
                                                  .output = &linked_output,
                                                  .mode = REST_BLOCKS,
                                                  .status = 201,
                                                  .run = run_identity_link};

REST_SERVICE(identity_unlink, struct identity_input)
const struct rest_operation rest_identity_unlink = {
        .input = &identity_table, .output = &linked_output, .mode = REST_BLOCKS, .run = run_identity_unlink};
