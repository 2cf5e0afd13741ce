#include "server/services/key.h"

#include "server/rest/operations.h"

/* clang-format off */
#define KEY_ROWS \
        OUT_STRING("id", .is_required = true, .help = "Id of the key."), \
        OUT_STRING("user", .is_required = true, .help = "Whom it acts for."), \
        OUT_STRING("name", .is_required = true, .help = "What it is for.")
#define TOOLSETS_ROW \
        OUT_STRING("toolsets", .is_nullable = true, .help = "Toolsets it is limited to, null for no limit.")
/* clang-format on */

static const struct field key_rows[] = {
        KEY_ROWS,
        OUT_STRING("hint", .is_required = true, .help = "Its first characters."),
        OUT_STRING("createdAt", .is_nullable = true, .format = "date-time", .help = "When it was made."),
        OUT_STRING("expiresAt", .is_nullable = true, .format = "date-time", .help = "When it ends, null for never."),
        OUT_STRING("lastUsedAt", .is_nullable = true, .format = "date-time", .help = "When it was last used."),
        OUT_STRING("revokedAt", .is_nullable = true, .format = "date-time", .help = "When it was revoked."),
        TOOLSETS_ROW,
};
static const struct field_table key_shape = OUTPUT_TABLE("key", key_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("keys", key_shape, .is_required = true, .help = "By id."),
};
static const struct field_table list_output = OUTPUT_TABLE("keys", list_rows);

REST_SERVICE(key_list, struct key_list_input)
const struct rest_operation rest_key_list = {
        .input = &key_list_table, .output = &list_output, .run = run_key_list, .page = {"keys", "id"}};

static const struct field added_rows[] = {
        KEY_ROWS,
        OUT_STRING("key", .is_required = true, .help = "The key itself: it is shown this once."),
        OUT_STRING("expiresAt", .is_nullable = true, .format = "date-time", .help = "When it ends, null for never."),
        TOOLSETS_ROW,
};
static const struct field_table added_output = OUTPUT_TABLE("new key", added_rows);

REST_SERVICE(key_add, struct key_add_input)
const struct rest_operation rest_key_add = {
        .input = &key_add_table, .output = &added_output, .mode = REST_BLOCKS, .status = 201, .run = run_key_add};

static const struct field revoked_rows[] = {
        KEY_ROWS,
        OUT_BOOLEAN("revoked", .is_required = true, .help = "It works no more."),
};
static const struct field_table revoked_output = OUTPUT_TABLE("revoked key", revoked_rows);

REST_SERVICE(key_revoke, struct key_revoke_input)
const struct rest_operation rest_key_revoke = {
        .input = &key_revoke_table, .output = &revoked_output, .mode = REST_BLOCKS, .run = run_key_revoke};
