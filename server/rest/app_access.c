#include "server/services/app_access.h"

#include "server/rest/operations.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct app_access_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of the task."),
};
static const struct field_table app_access_table = FIELD_TABLE(struct app_access_input, input_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("url", .is_required = true, .help = "Where to send the browser."),
        OUT_STRING("origin", .is_required = true, .help = "The application's origin, where the browser ends up."),
        OUT_STRING("expiresAt", .is_required = true, .format = "date-time",
                   .help = "Until when the URL is good, once."),
};
static const struct field_table output = OUTPUT_TABLE("application access", output_rows);

REST_SERVICE(app_access_grant, struct app_access_input)
const struct rest_operation rest_app_access = {
        .input = &app_access_table, .output = &output, .mode = REST_BLOCKS, .run = run_app_access_grant};
