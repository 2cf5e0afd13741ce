#include "server/services/group_shapes.h"

#include "server/services/group.h"
#include "server/services/task_shapes.h"

const char *const group_statuses[] = {"running", "completed", "failed", "partial", "staged", "pending", NULL};
const char *const group_filter_statuses[] = {"running", "completed",   "failed", "partial", "staged",
                                             "pending", "interrupted", "queued", NULL};

/* clang-format off */
#define GROUP_ROWS \
        OUT_STRING("groupId", .is_required = true, .help = "Id of the group."), \
        OUT_STRING("groupUrl", .help = "Page of the group."), \
        OUT_STRING("name", .is_nullable = true, .help = "Name of its first variant."), \
        OUT_STRING("environment", .is_nullable = true, .help = "Environment that all its tasks run in."), \
        OUT_OBJECT("createdBy", person_shape, .is_nullable = true, .help = "Who made the group."), \
        OUT_STRINGS("agents", .help = "Agents of its variants."), \
        OUT_STRINGS("judgeAgents", .help = "Agents of its reviews."), \
        OUT_STRING("status", .is_required = true, .choices = group_statuses, \
                   .help = "running: a task runs; completed, failed or staged: all are; partial: mixed, or some wait; " \
                           "pending: it has no tasks yet."), \
        OUT_ANY("statusCounts", .help = "How many of its tasks are in each status."), \
        OUT_INTEGER("taskCount", .help = "Tasks of it that you can see."), \
        OUT_INTEGER("variantCount", .help = "Those that are no reviews."), \
        OUT_STRING("createdAt", .format = "date-time", .help = "When it was made."), \
        OUT_STRING("lastActivity", .format = "date-time", .help = "When anything last happened in it."), \
        OUT_STRING("winnerTaskId", .is_nullable = true, .help = "Variant with the star, null when none has it."), \
        OUT_STRINGS("loserTaskIds", .help = "Variants that are ruled out."), \
        OUT_STRINGS("evaluableTaskIds", .help = "Variants that a review would evaluate now."), \
        OUT_BOOLEAN("isPinned", .help = "Whether you have pinned all its variants."), \
        OUT_INTEGER("pinnedTaskCount", .help = "Tasks of it on your list."), \
        OUT_BOOLEAN("isSnoozed", .help = "Whether you have put any of it aside until a time."), \
        OUT_STRING("pinSnoozedUntil", .is_nullable = true, .format = "date-time", .help = "When the last of it wakes."), \
        OUT_INTEGER("snoozedTaskCount", .help = "How many of its tasks you have put aside.")
/* clang-format on */

static const struct field group_rows[] = {GROUP_ROWS};
const struct field_table group_shape = OUTPUT_TABLE("group", group_rows);

static const struct field details_rows[] = {
        GROUP_ROWS,
        OUT_OBJECTS("tasks", task_shape, .is_required = true, .help = "Its variants in their order, then its reviews."),
};
const struct field_table group_details_shape = OUTPUT_TABLE("group details", details_rows);
