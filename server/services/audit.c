#include "server/services/audit.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/store/audit.h"

static const char *const credential_names[] = {
        [CREDENTIAL_LOCAL] = "local", [CREDENTIAL_SESSION] = "session", [CREDENTIAL_API_KEY] = "api_key",
        [CREDENTIAL_OAUTH] = "oauth", [CREDENTIAL_TASK] = "task",       [CREDENTIAL_NONE] = "none",
};

const char *audit_credential_name(enum credential credential)
{
        return credential_names[credential];
}

static const char *or_null(const char *string)
{
        return *string ? string : NULL;
}

bool audit_write(struct store_db *db, const struct actor *actor, const char *action, const char *target,
                 json_t *details, struct error *error)
{
        auto_json *owned = details;
        auto_free char *printed = owned ? document_print(owned) : NULL;

        return store_audit_add(db,
                               &(struct store_audit){.at = clock_now(),
                                                     .user = actor->user,
                                                     .user_name = actor->user_name,
                                                     .credential = credential_names[actor->credential],
                                                     .credential_id = or_null(actor->credential_id),
                                                     .task_id = or_null(actor->task_id),
                                                     .action = action,
                                                     .target = target,
                                                     .details = printed},
                               error);
}

static const struct field list_rows[] = {
        INTEGER_FIELD(struct audit_list_input, limit, .minimum = 1, .maximum = 1000, .preset = 50,
                      .help = "How many of the newest entries."),
        STRING_FIELD(struct audit_list_input, cursor, .minimum = 1, .maximum = 20,
                     .help = "nextCursor of the page before: goes on with older ones."),
};
const struct field_table audit_list_table = FIELD_TABLE(struct audit_list_input, list_rows);

/* The entries so far and the rid of the oldest of them. */
struct listing {
        json_t *entries;
        int64_t oldest;
};

static void append_entry(const struct store_audit *entry, void *context)
{
        struct listing *listing = context;
        json_t *item = json_object();
        auto_error ignored = {0};

        json_object_set_new(item, "at", document_time(entry->at));
        json_object_set_new(item, "user", document_string(entry->user_name));
        json_object_set_new(item, "credential", document_string(entry->credential));
        json_object_set_new(item, "credentialId", document_string(entry->credential_id));
        json_object_set_new(item, "taskId", document_string(entry->task_id));
        json_object_set_new(item, "action", document_string(entry->action));
        json_object_set_new(item, "target", document_string(entry->target));
        json_t *details = entry->details ? document_parse(entry->details, strlen(entry->details), &ignored) : NULL;
        json_object_set_new(item, "details", details ? details : json_null());
        json_array_append_new(listing->entries, item);
        listing->oldest = entry->rid;
}

static bool read_cursor(const char *cursor, int64_t *before, struct error *error)
{
        char *end;

        *before = INT64_MAX;
        if (!cursor)
                return true;
        *before = strtoll(cursor, &end, 10);
        return (*before > 0 && !*end) || error_set(error, ERROR_INVALID_CURSOR, NULL);
}

bool audit_list(struct call *call, const struct audit_list_input *input, json_t **result, struct error *error)
{
        auto_json *entries = json_array();
        struct listing listing = {entries, 0};
        int64_t before;

        if (!access_require(call->actor, PERMISSION_USERS_MANAGE, error) ||
            !read_cursor(input->cursor, &before, error) ||
            !store_audit_list(call->db, before, input->limit, append_entry, &listing, error))
                return false;
        bool has_more = (int64_t)json_array_size(entries) == input->limit && listing.oldest > 1;
        auto_free char *next = has_more ? text_format("%lld", (long long)listing.oldest) : NULL;
        *result = json_pack("{s:O, s:s?}", "entries", entries, "nextCursor", next);
        return true;
}
