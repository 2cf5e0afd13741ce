#include "server/services/device.h"

#include "server/rest/operations.h"

static const struct field begun_rows[] = {
        OUT_STRING("device_code", .is_required = true, .help = "For POST /device/token; the program keeps it."),
        OUT_STRING("user_code", .is_required = true, .help = "For the person."),
        OUT_STRING("verification_uri", .is_required = true, .help = "The page where the person gives it."),
        OUT_STRING("verification_uri_complete", .is_required = true, .help = "The same with the code in it."),
        OUT_INTEGER("expires_in", .is_required = true, .help = "Seconds that both codes hold."),
        OUT_INTEGER("interval", .is_required = true, .help = "Seconds between two questions at least."),
};
static const struct field_table begun_output = OUTPUT_TABLE("device code", begun_rows);

REST_SERVICE(device_begin, struct device_begin_input)
const struct rest_operation rest_device_begin = {.input = &device_begin_table,
                                                 .output = &begun_output,
                                                 .mode = REST_BLOCKS,
                                                 .is_public = true,
                                                 .run = run_device_begin};

static const struct field token_rows[] = {
        OUT_STRING("access_token", .is_required = true, .help = "The API key: it is shown this once."),
        OUT_STRING("token_type", .is_required = true, .help = "Bearer."),
        OUT_STRING("id", .is_required = true, .help = "Id of the key."),
        OUT_STRING("user", .is_required = true, .help = "Whom it acts for."),
        OUT_STRING("name", .is_required = true, .help = "What it is for."),
};
static const struct field_table token_output = OUTPUT_TABLE("device key", token_rows);

REST_SERVICE(device_poll, struct device_poll_input)
const struct rest_operation rest_device_poll = {.input = &device_poll_table,
                                                .output = &token_output,
                                                .mode = REST_BLOCKS,
                                                .is_public = true,
                                                .run = run_device_poll};

static const struct field shown_rows[] = {
        OUT_STRING("userCode", .is_required = true, .help = "The code."),
        OUT_STRING("name", .is_required = true, .help = "What the program calls itself."),
        OUT_STRING("address", .is_required = true, .help = "Where it asked from."),
        OUT_STRING("createdAt", .is_required = true, .format = "date-time", .help = "When it asked."),
        OUT_STRING("expiresAt", .is_required = true, .format = "date-time", .help = "Until when it can be allowed."),
};
static const struct field_table shown_output = OUTPUT_TABLE("waiting device", shown_rows);

REST_SERVICE(device_show, struct device_show_input)
const struct rest_operation rest_device_show = {
        .input = &device_show_table, .output = &shown_output, .run = run_device_show};

static const struct field decided_rows[] = {
        OUT_STRING("userCode", .is_required = true, .help = "The code."),
        OUT_BOOLEAN("allowed", .is_required = true, .help = "Whether the program gets a key."),
};
static const struct field_table decided_output = OUTPUT_TABLE("device decision", decided_rows);

REST_SERVICE(device_decide, struct device_decide_input)
const struct rest_operation rest_device_decide = {
        .input = &device_decide_table, .output = &decided_output, .mode = REST_WRITES, .run = run_device_decide};
