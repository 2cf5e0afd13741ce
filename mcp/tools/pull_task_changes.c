#include "mcp/tools/tools.h"
#include "server/services/pull.h"

static const struct field input_rows[] = {
        STRING_FIELD(struct task_pull_input, taskId, .is_required = true, .minimum = 1, .maximum = 100,
                     .help = "Id of a task whose container runs and whose agent does not."),
};
static const struct field_table input = FIELD_TABLE(struct task_pull_input, input_rows);

static const struct field repository_rows[] = {
        OUT_STRING("repository", .is_required = true, .help = "Name of the repository."),
        OUT_STRING("status", .is_required = true, .help = "updated, up_to_date, conflict or failed."),
        OUT_STRING("branch", .is_nullable = true, .help = "Branch of the remote."),
        OUT_STRING("before", .help = "Commit that the workspace was at."),
        OUT_STRING("after", .help = "Commit that it is at now."),
        OUT_STRING("method", .is_nullable = true, .help = "rebase or merge."),
        OUT_STRINGS("files", .help = "Files in conflict."),
        OUT_STRING("message", .is_nullable = true, .help = "What went wrong."),
};
static const struct field_table repository_shape = OUTPUT_TABLE("pulled repository", repository_rows);

static const struct field output_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_BOOLEAN("success", .is_required = true, .help = "Whether every repository is up to date now."),
        OUT_STRING("error", .is_nullable = true, .help = "pull_conflict or pull_failed, null when all is well."),
        OUT_OBJECTS("repos", repository_shape, .is_required = true, .help = "One entry a repository."),
};
static const struct field_table output = OUTPUT_TABLE("pull_task_changes", output_rows);

static bool run(struct call *call, const void *arguments, json_t **result, struct error *error)
{
        return task_pull(call, arguments, result, error);
}

const struct tool tool_pull_task_changes = {
        .name = "pull_task_changes",
        .title = "Pull upstream changes",
        .description =
                "Brings the latest upstream changes into every repository of a task: commits that were not pushed "
                "are rebased onto them, or merged when there are merges among them, and changes that are not "
                "committed are kept. A repository that conflicts is put back as it was; the others stay updated. "
                "Needs a running container and no turn at work.",
        .input = &input,
        .output = &output,
        .hints = {.is_open_world = true, .is_idempotent = true},
        .toolset = "conversation",
        .needs = PERMISSION_BIT(TASKS_EXECUTE) | PERMISSION_BIT(TASKS_EXECUTE_ANY),
        .mode = TOOL_BLOCKS,
        .reports_progress = true,
        .run = run,
};
