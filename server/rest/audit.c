#include "server/services/audit.h"

#include "server/rest/operations.h"

static const struct field entry_rows[] = {
        OUT_STRING("at", .is_nullable = true, .format = "date-time", .help = "When."),
        OUT_STRING("user", .is_nullable = true, .help = "Who, by the name of then."),
        OUT_STRING("credential", .help = "local, session, api_key, oauth or task."),
        OUT_STRING("credentialId", .is_nullable = true, .help = "Which key or session."),
        OUT_STRING("taskId", .is_nullable = true, .help = "The task whose own credential it was."),
        OUT_STRING("action", .is_required = true, .help = "What was done, such as task.create."),
        OUT_STRING("target", .is_nullable = true, .help = "To what."),
        OUT_ANY("details", .help = "More about it, null for nothing."),
};
static const struct field_table entry_shape = OUTPUT_TABLE("audit entry", entry_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("entries", entry_shape, .is_required = true, .help = "Newest first."),
        OUT_STRING("nextCursor", .is_nullable = true, .help = "Cursor of the next page, null on the last."),
};
static const struct field_table list_output = OUTPUT_TABLE("audit", list_rows);

REST_SERVICE(audit_list, struct audit_list_input)
const struct rest_operation rest_audit_list = {
        .input = &audit_list_table, .output = &list_output, .run = run_audit_list};
