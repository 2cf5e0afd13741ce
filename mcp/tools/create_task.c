#include "server/services/task_shapes.h"
#include "mcp/tools/tools.h"
#include "server/base/id.h"
#include "server/services/model.h"
#include "server/services/task.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_create_input, environment, .minimum = 1, .maximum = 100,
                     .help = "Environment to run in, as listed by list_environments."),
        STRING_FIELD(struct task_create_input, instructions, .minimum = 1, .maximum = 200000,
                     .help = "What the agent is to do, complete in itself: the agent sees nothing else of your "
                             "conversation."),
        STRING_FIELD(struct task_create_input, name, .minimum = 1, .maximum = 120,
                     .help = "Short name for people; none when left out."),
        STRING_FIELD(struct task_create_input, template, .minimum = 1, .maximum = 64,
                     .help = "Template to make the task from, as listed by list_templates; instructions are added to "
                             "it."),
        MAP_FIELD(struct task_create_input, parameters, .maximum = 100, .help = "Values of the template's parameters."),
        STRING_FIELD(struct task_create_input, agent, .minimum = 1, .maximum = 64,
                     .help = "Agent to run; the environment's default when left out."),
        STRING_FIELD(struct task_create_input, model, .minimum = 1, .maximum = 200,
                     .help = "Model of the named agent, from the server's catalogue; its default when left out."),
        STRING_FIELD(struct task_create_input, reasoningEffort, .minimum = 1, .maximum = 40,
                     .help = "Reasoning effort that the model offers; its default when left out."),
        STRING_FIELD(struct task_create_input, speed, .choices = model_speeds,
                     .help = "Speed of a Codex task; standard when left out."),
        MAP_FIELD(struct task_create_input, branches, .maximum = 50,
                  .help = "Branch to start from for each repository, by the repository's name."),
        BOOLEAN_FIELD(struct task_create_input, staged,
                      .help = "Prepare the task without starting it; follow_up_task starts it."),
        FLAG_FIELD(struct task_create_input, shared,
                   .help = "Whether others who may see the environment's tasks see this one; the environment decides "
                           "when left out."),
        OBJECTS_FIELD(struct task_create_input, attachments, attachment_table, .maximum = UPLOAD_FILES_MAXIMUM,
                      .help = "Files for the agent, put into /task-output/attachments."),
        OBJECT_FIELD(
                struct task_create_input, handoff, struct handoff_input, handoff_table,
                .help = "The session that the task takes over from: its summary goes into the instructions, all of "
                        "it into attachments/handoff.md."),
        STRING_FIELD(struct task_create_input, requestId, .is_valid = id_is_uuid, .shape = "a UUID", .format = "uuid",
                     .help = "A fresh UUID that makes a retry safe: the same id with the same arguments returns the "
                             "task that the first call made."),
};
static const struct field_table input = FIELD_TABLE(struct task_create_input, input_rows);

static const struct field warning_rows[] = {
        OUT_STRING("code", .is_required = true, .help = "What the warning is about."),
        OUT_STRING("message", .help = "The same in words."),
};
static const struct field_table warning_shape = OUTPUT_TABLE("warning", warning_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id for get_task and the other tools."),
        OUT_STRING("name", .is_nullable = true, .help = "Name, null while it has none."),
        OUT_STRING("environment", .help = "Environment it runs in."),
        OUT_STRING("agent", .help = "Agent that works on it."),
        OUT_STRING("status", .is_required = true, .choices = task_statuses,
                   .help = "running, queued while it waits for a free slot, or staged."),
        OUT_STRING("url", .is_nullable = true, .help = "Page of the task."),
        OUT_BOOLEAN("isPinned", .help = "Whether it is pinned."),
        OUT_OBJECT("task", task_shape, .help = "The task as get_task shows it."),
        OUT_OBJECTS("warnings", warning_shape, .help = "What you should know though it was created."),
};
static const struct field_table output = OUTPUT_TABLE("create_task", output_rows);

static bool is_prepared_first(const void *arguments)
{
        return task_create_is_prepared_first(arguments);
}

static bool prepare(struct call *call, void *arguments, struct error *error)
{
        return task_create_prepare(call, arguments, error);
}

static void release(const struct services *services, void *arguments, bool is_done)
{
        struct task_create_input *prepared = arguments;

        task_prepared_free(services, take(prepared->prepared), is_done);
}

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_create(call, arguments, result, error);
}

const struct tool tool_create_task = {
        .name = "create_task",
        .title = "Create a task",
        .description =
                "Creates a task and starts it: an agent works on the instructions in a container of its own, on fresh "
                "copies of the environment's repositories. Returns at once, before the container is up; the work goes "
                "on in the background. Poll get_task with the returned taskId until the status is neither queued nor "
                "running. Pass a requestId when you might repeat the call, so that no second task is made.",
        .input = &input,
        .output = &output,
        .hints = {.is_open_world = true},
        .toolset = "core",
        .needs = PERMISSION_BIT(TASKS_CREATE),
        .mode = TOOL_WRITES,
        .run = run,
        .is_prepared_first = is_prepared_first,
        .prepare = prepare,
        .release = release,
        .takes_files = true,
};
