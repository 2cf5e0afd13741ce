#include "server/services/environment.h"

#include "server/rest/operations.h"
#include "server/services/environment_shapes.h"

static const struct field list_rows[] = {
        OUT_OBJECTS("environments", environment_shape, .is_required = true, .help = "By name."),
};
static const struct field_table list_output = OUTPUT_TABLE("environments", list_rows);

REST_SERVICE_PLAIN(environment_list)
const struct rest_operation rest_environment_list = {
        .output = &list_output, .run = run_environment_list, .page = {"environments", "name"}};

REST_SERVICE(environment_get, struct environment_get_input)
const struct rest_operation rest_environment_get = {
        .input = &environment_get_table, .output = &environment_details_shape, .run = run_environment_get};
