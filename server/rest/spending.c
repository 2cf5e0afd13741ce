#include "server/rest/operations.h"
#include "server/services/spend.h"

static const struct field user_rows[] = {
        OUT_ANY("spentUsd", .help = "US dollars since the period began, a number."),
        OUT_ANY("limitUsd", .help = "US dollars beyond which nothing starts, null for no limit."),
};
static const struct field_table user_shape = OUTPUT_TABLE("spending", user_rows);
static const struct field environment_rows[] = {
        OUT_STRING("environment", .is_required = true, .help = "Name of the environment."),
        OUT_ANY("spentUsd", .help = "US dollars since the period began, a number."),
        OUT_ANY("limitUsd", .help = "US dollars beyond which nothing starts, null for no limit."),
};
static const struct field_table environment_shape = OUTPUT_TABLE("spending of an environment", environment_rows);
static const struct field rows[] = {
        OUT_STRING("period", .is_required = true, .help = "day or month."),
        OUT_STRING("since", .is_required = true, .format = "date-time", .help = "When it began."),
        OUT_STRING("until", .is_required = true, .format = "date-time", .help = "When it ends."),
        OUT_OBJECT("user", user_shape, .is_nullable = true, .help = "Your turns."),
        OUT_OBJECTS("environments", environment_shape, .is_required = true, .help = "By name."),
};
static const struct field_table output = OUTPUT_TABLE("spending", rows);

REST_SERVICE_PLAIN(spend_get)
const struct rest_operation rest_spending_get = {
        .output = &output, .run = run_spend_get, .page = {"environments", "environment"}};
