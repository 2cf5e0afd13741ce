#include "mcp/tools/tools.h"
#include "server/base/id.h"
#include "server/services/judge.h"
#include "server/services/judge_shapes.h"
#include "server/services/model.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct judge_create_input, taskId, .minimum = 1, .maximum = 100,
                     .help = "Finished task to review by itself; one that stands alone becomes a group."),
        STRING_FIELD(struct judge_create_input, groupId, .minimum = 1, .maximum = 100,
                     .help = "Group whose finished variants to evaluate, except losers; instead of taskId."),
        STRINGS_FIELD(struct judge_create_input, taskIds, .minimum = 1, .maximum = JUDGE_VARIANTS_MAXIMUM,
                      .help = "Of the group only these variants."),
        STRING_FIELD(struct judge_create_input, agent, .minimum = 1, .maximum = 64,
                     .help = "Agent that judges; the environment's default when left out. It need not be the one that "
                             "did the work."),
        STRINGS_FIELD(struct judge_create_input, agents, .minimum = 1, .maximum = JUDGE_REVIEWERS_MAXIMUM,
                      .help = "Several agents, each once: as many judges that know nothing of each other."),
        STRING_FIELD(struct judge_create_input, model, .minimum = 1, .maximum = 200,
                     .help = "Model of the one reviewer, from the server's catalogue; its default when left out."),
        STRING_FIELD(struct judge_create_input, reasoningEffort, .minimum = 1, .maximum = 40,
                     .help = "Reasoning effort of the one reviewer; its default when left out."),
        STRING_FIELD(struct judge_create_input, speed, .choices = model_speeds,
                     .help = "Speed of the one reviewer, if it is Codex; standard when left out."),
        ANY_FIELD(struct judge_create_input, reviewerSettings,
                  .help = "Instead of the three, for several reviewers: {AGENT: {model, reasoningEffort, speed}}, each "
                          "of them optional."),
        STRING_FIELD(struct judge_create_input, instructions, .minimum = 1, .maximum = JUDGE_INSTRUCTIONS_MAXIMUM,
                     .help = "What to weigh and check in particular."),
        BOOLEAN_FIELD(
                struct judge_create_input, whenFinished,
                .help = "Asks for the review of work that runs or is queued: it is launched once all of it and what "
                        "is queued there has ended well, and cancelled when it does not. The answer has a "
                        "pendingRequestId."),
        OBJECT_FIELD(
                struct judge_create_input, reviewLoop, struct review_loop_options, review_loop_options_table,
                .help = "Of one variant: sends what the reviewers say to it as follow-ups and has them look again, "
                        "until all pass, nothing changes or the rounds are used up. Needs tasks:change on it."),
        STRING_FIELD(
                struct judge_create_input, requestId, .is_valid = id_is_uuid, .shape = "a UUID", .format = "uuid",
                .help = "A fresh UUID that makes a retry safe: the same id with the same arguments returns the run "
                        "that the first call began."),
};
static const struct field_table input = FIELD_TABLE(struct judge_create_input, input_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return judge_create(call, arguments, result, error);
}

const struct tool tool_create_judge_task = {
        .name = "create_judge_task",
        .title = "Have finished work judged",
        .description =
                "Has one or more agents judge finished work: a review of one task (pass, needs-improvement or fail, "
                "with "
                "improvements), or a comparison of a group's variants (ranks and a recommended winner). Each judge is "
                "a "
                "task in the same group that gets the work without knowing who did it. Poll get_task with its id; its "
                "verdict is the recommendation of get_task_output. Nothing is applied: set_task_winner records the "
                "pick. Work that has not finished is reviewed later with whenFinished. Pass a requestId when you might "
                "repeat the call.",
        .input = &input,
        .output = &judge_run_shape,
        .hints = {.is_open_world = true},
        .toolset = "judges",
        .needs = PERMISSION_BIT(TASKS_CREATE),
        .mode = TOOL_BLOCKS,
        .run = run,
};
