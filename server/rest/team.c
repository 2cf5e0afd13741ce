#include "server/services/team.h"

#include "server/rest/operations.h"

static const struct field team_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id."),
        OUT_STRING("name", .is_required = true, .help = "Name."),
        OUT_STRINGS("members", .is_required = true, .help = "Names of its users."),
};
static const struct field_table team_shape = OUTPUT_TABLE("team", team_rows);
static const struct field list_rows[] = {
        OUT_OBJECTS("teams", team_shape, .is_required = true, .help = "By name."),
};
static const struct field_table list_output = OUTPUT_TABLE("teams", list_rows);

REST_SERVICE_PLAIN(team_list)
const struct rest_operation rest_team_list = {.output = &list_output, .run = run_team_list, .page = {"teams", "name"}};

static const struct field added_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id."),
        OUT_STRING("name", .is_required = true, .help = "Name."),
};
static const struct field_table added_output = OUTPUT_TABLE("new team", added_rows);

REST_SERVICE(team_add, struct team_input)
const struct rest_operation rest_team_add = {
        .input = &team_table, .output = &added_output, .mode = REST_BLOCKS, .status = 201, .run = run_team_add};

static const struct field members_rows[] = {
        OUT_STRING("team", .is_required = true, .help = "The team."),
        OUT_STRINGS("members", .is_required = true, .help = "Names of its users now."),
};
static const struct field_table members_output = OUTPUT_TABLE("team members", members_rows);

REST_SERVICE(team_add_member, struct team_member_input)
const struct rest_operation rest_team_join = {
        .input = &team_member_table, .output = &members_output, .mode = REST_BLOCKS, .run = run_team_add_member};

REST_SERVICE(team_remove_member, struct team_member_input)
const struct rest_operation rest_team_leave = {
        .input = &team_member_table, .output = &members_output, .mode = REST_BLOCKS, .run = run_team_remove_member};
