#include "server/services/oauth_grant.h"

#include "server/rest/operations.h"

static const struct field grant_rows[] = {
        OUT_STRING("clientId", .is_required = true, .help = "The OAuth client's id; a URL for some."),
        OUT_STRING("clientName", .is_required = true, .help = "What it calls itself; may be empty."),
        OUT_STRING("redirectHost", .is_required = true, .help = "Where you were sent back to."),
        OUT_STRING("scope", .is_required = true, .help = "What it may do."),
        OUT_STRING("createdAt", .is_required = true, .format = "date-time", .help = "When you first approved it."),
        OUT_STRING("lastUsedAt", .is_required = true, .format = "date-time", .help = "When it was last used."),
        OUT_STRING("expiresAt", .is_required = true, .format = "date-time", .help = "When it ends, unless it is used."),
};
static const struct field_table grant_shape = OUTPUT_TABLE("grant", grant_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("grants", grant_shape, .is_required = true, .help = "By client."),
};
static const struct field_table list_output = OUTPUT_TABLE("grants", list_rows);

REST_SERVICE_PLAIN(oauth_grant_list)
const struct rest_operation rest_grant_list = {
        .output = &list_output, .run = run_oauth_grant_list, .page = {"grants", "clientId"}};

static const struct field revoked_rows[] = {
        OUT_INTEGER("revoked", .is_required = true, .help = "How many consents have ended."),
};
static const struct field_table revoked_output = OUTPUT_TABLE("revoked grants", revoked_rows);

REST_SERVICE(oauth_grant_revoke, struct oauth_grant_revoke_input)
const struct rest_operation rest_grant_revoke = {.input = &oauth_grant_revoke_table,
                                                 .output = &revoked_output,
                                                 .mode = REST_WRITES,
                                                 .run = run_oauth_grant_revoke};

REST_SERVICE_PLAIN(oauth_grant_revoke_all)
const struct rest_operation rest_grant_revoke_all = {
        .output = &revoked_output, .mode = REST_WRITES, .run = run_oauth_grant_revoke_all};
