#include "server/services/task_shapes.h"

#include "server/services/task.h"

static const struct field person_rows[] = {
        OUT_STRING("id", .is_required = true, .help = "Stable id of the user."),
        OUT_STRING("name", .help = "Name of the user."),
};
const struct field_table person_shape = OUTPUT_TABLE("person", person_rows);

static const struct field usage_rows[] = {
        OUT_INTEGER("inputTokens", .is_nullable = true, .help = "Tokens sent to the model."),
        OUT_INTEGER("outputTokens", .is_nullable = true, .help = "Tokens the model wrote."),
        OUT_INTEGER("cacheReadTokens", .is_nullable = true, .help = "Tokens read from the provider's cache."),
        OUT_INTEGER("cacheWriteTokens", .is_nullable = true, .help = "Tokens written to the provider's cache."),
        OUT_ANY("costUsd", .help = "Cost in US dollars, a number, or null when it is not known."),
};
static const struct field_table usage_shape = OUTPUT_TABLE("usage", usage_rows);

/* clang-format off */
#define TASK_ROWS \
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."), \
        OUT_STRING("name", .is_nullable = true, .help = "Name, null while it has none."), \
        OUT_STRING("environment", .is_nullable = true, .help = "Environment the task runs in."), \
        OUT_STRING("status", .is_required = true, .choices = task_statuses, .help = "What the task does now."), \
        OUT_STRING("taskType", .help = "Kind of the task."), \
        OUT_STRING("agent", .is_nullable = true, .help = "Agent that works on it."), \
        OUT_STRING("model", .is_nullable = true, .help = "Model, null for the agent's default."), \
        OUT_STRING("reasoningEffort", .is_nullable = true, .help = "Reasoning effort, null for the default."), \
        OUT_STRING("speed", .is_nullable = true, .help = "Speed, null for the default."), \
        OUT_STRING("groupId", .is_nullable = true, .help = "Group the task belongs to, null when it stands alone."), \
        OUT_INTEGER("groupIndex", .help = "Place among the group's variants; only of variants."), \
        OUT_BOOLEAN("isJudgeTask", .help = "Present on a review of other tasks."), \
        OUT_STRING("judgeMode", .is_nullable = true, .help = "comparison of several variants, or review of one."), \
        OUT_STRING("originalGroupId", .is_nullable = true, .help = "Group whose variants a review judged."), \
        OUT_BOOLEAN("contentWithheld", .help = "Present when you may not see all that the task holds copies of: only " \
                                               "its metadata is shown."), \
        OUT_OBJECT("createdBy", person_shape, .is_nullable = true, .help = "Who created it."), \
        OUT_STRING("createdAt", .format = "date-time", .help = "When it was created."), \
        OUT_STRING("startedAt", .is_nullable = true, .format = "date-time", .help = "When it first ran."), \
        OUT_STRING("finishedAt", .is_nullable = true, .format = "date-time", .help = "When its last turn ended."), \
        OUT_INTEGER("exitCode", .is_nullable = true, .help = "Exit code of the last turn; -1 when it never started."), \
        OUT_INTEGER("followUpCount", .help = "Follow-ups so far."), \
        OUT_INTEGER("queuedFollowUps", .help = "Follow-ups that wait for the turn to end, when there are any."), \
        OUT_BOOLEAN("followUpQueuePaused", .help = "Whether those are held back; beside queuedFollowUps."), \
        OUT_INTEGER("scheduledFollowUps", .help = "Follow-ups scheduled for later, when there are any."), \
        OUT_STRING("nextScheduledFollowUpAt", .format = "date-time", .help = "When the next of them is due."), \
        OUT_MAP("branches", .is_nullable = true, .help = "Branch of each repository, by name."), \
        OUT_BOOLEAN("shared", .help = "Whether others who may see the environment's tasks see it."), \
        OUT_BOOLEAN("isPinned", .help = "Whether its creator has pinned it."), \
        OUT_BOOLEAN("isSnoozed", .help = "Whether its creator has put it aside until a time."), \
        OUT_STRING("pinSnoozedUntil", .is_nullable = true, .format = "date-time", .help = "Until when."), \
        OUT_BOOLEAN("pinnedForMe", .help = "Whether you pinned it."), \
        OUT_BOOLEAN("snoozedForMe", .help = "Whether you snoozed it."), \
        OUT_STRING("pinSnoozedUntilForMe", .is_nullable = true, .format = "date-time", .help = "Until when."), \
        OUT_BOOLEAN("pinFollowedByMe", .help = "Whether you pinned somebody else's task."), \
        OUT_INTEGER("pinFollowVersionForMe", .help = "Version of your own pin of somebody else's task; it never goes down."), \
        OUT_BOOLEAN("isWinner", .help = "Marked as the best of its group."), \
        OUT_BOOLEAN("isLoser", .help = "Marked as ruled out."), \
        OUT_ANY("approvedBy", .help = "Who approved it, null when nobody has."), \
        OUT_STRING("source", .help = "Where it was created from: mcp, web, rest ..."), \
        OUT_STRING("url", .is_nullable = true, .help = "Page of the task."), \
        OUT_OBJECT("usage", usage_shape, .is_nullable = true, .help = "Tokens and cost of all turns.")
/* clang-format on */

static const struct field task_rows[] = {TASK_ROWS};
const struct field_table task_shape = OUTPUT_TABLE("task", task_rows);

static const struct field reply_rows[] = {
        OUT_STRING("content", .is_required = true, .help = "The reply, or its end behind a marker."),
        OUT_BOOLEAN("truncated", .help = "Whether its beginning was left out."),
        OUT_INTEGER("totalChars", .help = "Characters of the whole reply."),
        OUT_STRING("truncatedBy", .is_nullable = true,
                   .help = "maxChars: the asked size; resultLimit: the room in one result."),
        OUT_INTEGER("turnIndex", .is_nullable = true, .help = "Turn of the conversation that it answers."),
        OUT_INTEGER("followUpCount", .is_nullable = true, .help = "Follow-up that it answers, 0 for the first prompt."),
        OUT_INTEGER("followUpsSince", .is_nullable = true,
                    .help = "Follow-ups after it: 0 when it answers the latest instruction, null when unknown."),
        OUT_STRING("timestamp", .is_nullable = true, .format = "date-time", .help = "When the agent wrote it."),
        OUT_STRING("path", .help = "File for read_task_file that holds all of it."),
};
static const struct field_table reply_shape = OUTPUT_TABLE("latest response", reply_rows);

static const struct field provenance_rows[] = {
        OUT_STRING("writtenAt", .is_nullable = true, .format = "date-time", .help = "When it was last written."),
        OUT_INTEGER("turnIndex", .is_nullable = true, .help = "Turn during which it was written."),
        OUT_INTEGER("followUpCount", .is_nullable = true, .help = "Follow-up during which it was written."),
        OUT_INTEGER("followUpsSince", .is_nullable = true, .help = "Follow-ups submitted after it."),
        {.name = "stale", .type = FIELD_BOOLEAN, .is_nullable = true, .help = "Whether a follow-up came after it."},
        {.name = "onDiscardedBranch",
         .type = FIELD_BOOLEAN,
         .is_nullable = true,
         .help = "Whether it belongs to a part of the conversation that was rewound away."},
};
const struct field_table provenance_shape = OUTPUT_TABLE("provenance", provenance_rows);

static const struct field agent_error_rows[] = {
        OUT_STRING("message", .help = "What the agent reported."),
        OUT_BOOLEAN("messageTruncated", .help = "Whether the message was cut."),
        OUT_INTEGER("messageTotalChars", .help = "Characters of the whole message."),
        OUT_STRING("type", .is_nullable = true, .help = "Its type, as the agent named it."),
        OUT_STRING("category", .is_nullable = true, .help = "auth, rate_limit, timeout, setup or unknown."),
        OUT_STRING("timestamp", .is_nullable = true, .format = "date-time", .help = "When."),
};
static const struct field_table agent_error_shape = OUTPUT_TABLE("agent error", agent_error_rows);

static const struct field log_tail_rows[] = {
        OUT_STRING("path", .help = "File for read_task_file."),
        OUT_STRING("content", .help = "Last lines of the log."),
        OUT_BOOLEAN("truncated", .help = "Whether there is more before them."),
        OUT_INTEGER("totalBytes", .is_nullable = true, .help = "Size of the log."),
};
static const struct field_table log_tail_shape = OUTPUT_TABLE("log tail", log_tail_rows);

static const struct field failure_rows[] = {
        OUT_STRING("status", .help = "Status of the task."),
        OUT_INTEGER("exitCode", .is_nullable = true, .help = "Exit code; -1 when the agent never started."),
        OUT_STRING("stage", .help = "launch: the task never reached the agent; agent: it ended badly."),
        OUT_STRING("message", .is_nullable = true, .help = "What went wrong."),
        OUT_BOOLEAN("messageTruncated", .help = "Whether the message was cut."),
        OUT_INTEGER("messageTotalChars", .help = "Characters of the whole message."),
        OUT_STRING("category", .help = "auth, rate_limit, timeout, setup or unknown."),
        OUT_STRING("type", .is_nullable = true, .help = "The reason more exactly."),
        OUT_OBJECTS("agentErrors", agent_error_shape, .help = "Errors that the agent reported."),
        OUT_OBJECT("logTail", log_tail_shape, .is_nullable = true, .help = "End of what it printed."),
        OUT_STRING("diagnosticsPath", .is_nullable = true, .help = "File with every error event."),
};
const struct field_table failure_shape = OUTPUT_TABLE("failure", failure_rows);

static const struct field queued_for_rows[] = {
        OUT_STRING("reason", .is_required = true,
                   .help = "slots, user_limit, environment_limit, agent_limit, account_limit, user_spend_limit, "
                           "environment_spend_limit or task_spend_limit."),
        OUT_STRING("message", .is_required = true, .help = "The same in words."),
        OUT_STRING("until", .is_nullable = true, .format = "date-time", .help = "Until when, where that can be told."),
};
static const struct field_table queued_for_shape = OUTPUT_TABLE("queued for", queued_for_rows);

static const struct field task_details_rows[] = {
        TASK_ROWS,
        OUT_OBJECT("queuedFor", queued_for_shape, .help = "Why a queued task waits."),
        OUT_ANY("variants", .help = "Of a review: what its labels stand for, {LABEL: {taskId, agent}}."),
        OUT_OBJECT("latestResponse", reply_shape, .is_nullable = true,
                   .help = "What the agent last said; null until it has replied. Absent when not asked for."),
        OUT_STRING("summary", .is_nullable = true, .help = "Summary file of the agent; with includeSummary."),
        OUT_STRING("summarySource", .is_nullable = true, .help = "Where the summary comes from."),
        OUT_STRING("summaryPath", .is_nullable = true, .help = "File for read_task_file."),
        OUT_BOOLEAN("summaryTruncated", .help = "Whether the summary was cut."),
        OUT_BOOLEAN("summaryIsPlaceholder", .help = "Whether the agent never wrote one."),
        OUT_OBJECT("summaryProvenance", provenance_shape, .is_nullable = true, .help = "How old the summary is."),
        OUT_OBJECT("failure", failure_shape, .is_nullable = true, .help = "Why it failed; only of failed tasks."),
        OUT_STRING("endReason", .is_nullable = true,
                   .help = "Why the last turn ended; of failed and interrupted tasks."),
        OUT_STRING("endedBy", .help = "Who ended it, when somebody did."),
        OUT_STRING("output", .is_nullable = true, .help = "End of what was printed; with includeOutput."),
        OUT_BOOLEAN("outputTruncated", .help = "Whether more was printed before it."),
        OUT_STRING("outputPath", .help = "File for read_task_file that holds all of it."),
};
const struct field_table task_details_shape = OUTPUT_TABLE("task details", task_details_rows);
