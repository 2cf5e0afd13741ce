#include "server/services/model.h"

#include "server/rest/operations.h"

static const struct field model_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "What `model` of a task names."),
        OUT_STRINGS("reasoningEfforts", .is_required = true, .help = "What `reasoningEffort` may be with it; none: nothing."),
        OUT_STRINGS("speeds", .is_required = true, .help = "What `speed` may be beside standard."),
};
static const struct field_table model_shape = OUTPUT_TABLE("model", model_rows);
static const struct field agent_rows[] = {
        OUT_STRING("agent", .is_required = true, .help = "Name of the agent."),
        OUT_STRING("defaultModel", .is_nullable = true, .help = "What it takes when a task names none, if that is known."),
        OUT_OBJECTS("models", model_shape, .is_required = true, .help = "What it offers."),
};
static const struct field_table agent_shape = OUTPUT_TABLE("models of an agent", agent_rows);
static const struct field rows[] = {
        OUT_OBJECTS("agents", agent_shape, .is_required = true, .help = "By name."),
};
static const struct field_table output = OUTPUT_TABLE("models", rows);

REST_SERVICE_PLAIN(model_list)
const struct rest_operation rest_model_list = {.output = &output, .run = run_model_list, .page = {"agents", "agent"}};
