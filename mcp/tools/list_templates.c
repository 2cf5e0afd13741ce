#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/services/template.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct template_list_input, environment, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Environment, as listed by list_environments."),
};
static const struct field_table input = FIELD_TABLE(struct template_list_input, input_rows);

static const struct field parameter_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name to give the value under in create_task's parameters."),
        OUT_STRING("label", .help = "What people are asked."),
        OUT_STRING("description", .help = "What the value is for."),
        OUT_STRING("type", .help = "text, select, boolean, textarea, date or number."),
        OUT_BOOLEAN("required", .help = "Whether create_task refuses to go without a value."),
        OUT_STRING("default", .help = "Value when none is given."),
        OUT_STRINGS("options", .help = "The choices there are."),
        OUT_BOOLEAN("optionsEnforced", .help = "Whether the value must be one of them."),
        OUT_ANY("optionDetails", .is_list_of_any = true, .help = "The choices with their labels."),
        OUT_BOOLEAN("multiSelect", .help = "Whether several choices may be given, with commas between."),
};
static const struct field_table parameter_shape = OUTPUT_TABLE("parameter", parameter_rows);

static const struct field template_rows[] = {
        OUT_STRING("name", .is_required = true, .help = "Name for create_task's template."),
        OUT_STRING("title", .help = "Title for people."),
        OUT_STRING("description", .is_nullable = true, .help = "What a task made from it does."),
        OUT_OBJECTS("parameters", parameter_shape, .help = "What it asks for."),
        OUT_STRING("brokenReason", .help = "Why it cannot be used, when it cannot."),
};
static const struct field_table template_shape = OUTPUT_TABLE("template", template_rows);

static const struct field output_rows[] = {
        OUT_STRING("environment", .is_required = true, .help = "The environment."),
        OUT_OBJECTS("templates", template_shape, .is_required = true, .help = "Its templates, by name."),
};
static const struct field_table output = OUTPUT_TABLE("list_templates", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return template_list(call, arguments, result, error);
}

const struct tool tool_list_templates = {
        .name = "list_templates",
        .title = "List task templates",
        .description =
                "Lists an environment's task templates: prepared instructions with parameters. Pass a template's "
                "name and values for its parameters to create_task.",
        .input = &input,
        .output = &output,
        .hints = {.reads_only = true, .is_idempotent = true},
        .toolset = "core",
        .mode = TOOL_READS,
        .run = run,
};
