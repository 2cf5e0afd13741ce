#include "server/services/setting.h"

#include "server/rest/operations.h"

static const char *const sources[] = {"default", "stored", "config.json", "environment", "flag", NULL};

static const struct field setting_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name of the setting."),
        OUT_ANY("value", .help = "Its value in force, null for none."),
        OUT_STRING("source", .is_required = true, .choices = sources,
                   .help = "Where the value comes from; one that is neither default nor stored pins the setting."),
};
static const struct field_table setting_shape = OUTPUT_TABLE("setting", setting_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("settings", setting_shape, .is_required = true, .help = "By name."),
};
static const struct field_table list_output = OUTPUT_TABLE("settings", list_rows);

static bool run_list(struct call *call, const void *input, json_t **result, struct error *error)
{
        (void)input;
        return setting_get(call, &(struct setting_get_input){NULL}, result, error);
}

const struct rest_operation rest_setting_list = {.output = &list_output, .run = run_list, .page = {"settings", "name"}};

REST_SERVICE(setting_set, struct setting_set_input)
const struct rest_operation rest_setting_set = {
        .input = &setting_set_table, .output = &setting_shape, .mode = REST_BLOCKS, .run = run_setting_set};

REST_SERVICE(setting_unset, struct setting_get_input)
const struct rest_operation rest_setting_unset = {
        .input = &setting_unset_table, .output = &setting_shape, .mode = REST_BLOCKS, .run = run_setting_unset};
