#include "server/services/judge_shapes.h"

#include "server/services/task.h"

static const struct field judge_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the judge, for get_task and get_task_output."),
        OUT_STRING("agent", .help = "Agent that judges."),
        OUT_STRING("status", .choices = task_statuses, .help = "What it does now."),
        OUT_STRING("url", .help = "Page of the judge."),
};
static const struct field_table judge_shape = OUTPUT_TABLE("judge", judge_rows);

static const struct field run_rows[] = {
        OUT_STRING("groupId", .is_required = true, .help = "Group that is evaluated and that the judges are in."),
        OUT_STRING("groupUrl", .help = "Page of the group."),
        OUT_STRING("environment", .is_nullable = true, .help = "Environment of all of them."),
        OUT_STRING("mode", .help = "review of one variant, or comparison of several."),
        OUT_STRINGS("variantTaskIds", .help = "Variants that are evaluated."),
        OUT_STRINGS("agents", .help = "Agents that judge."),
        OUT_STRINGS("taskIds", .help = "Ids of the judges."),
        OUT_OBJECTS("tasks", judge_shape, .help = "The judges."),
        OUT_STRING("taskId", .help = "Id of the judge, when there is one."),
        OUT_STRING("status",
                   .help = "What it does now; of a request for later: pending, launching, launched or cancelled."),
        OUT_STRING("url", .help = "Page of the judge."),
        OUT_BOOLEAN("reviewLoopAvailable",
                    .help = "Whether one variant is evaluated, which can be improved in rounds."),
        OUT_ANY("reviewLoop",
                .help = "The loop that was begun, as GET /tasks/TASK/review-loop shows it, null for none; of a "
                        "request for later its options."),
        OUT_STRING("pendingRequestId", .help = "Of a request for later: its id, for list_pending_judge_requests."),
        OUT_STRING("timing", .help = "after_queued_turns: the request waits for what is queued too."),
        OUT_ANY("reviewerSettings", .help = "Of a request for later: the reviewers' own settings."),
        OUT_STRING("instructions", .is_nullable = true, .help = "Of a request for later: what to look at besides."),
        OUT_STRING("reason", .is_nullable = true, .help = "Why the request was cancelled."),
};
const struct field_table judge_run_shape = OUTPUT_TABLE("judge run", run_rows);

static const struct field winner_rows[] = {
        OUT_STRING("label", .is_required = true, .help = "Label of the variant."),
        OUT_STRING("confidence", .is_nullable = true, .help = "high, medium or low."),
        OUT_STRING("taskId", .is_nullable = true, .help = "Id of the variant."),
};
static const struct field_table winner_shape = OUTPUT_TABLE("recommended winner", winner_rows);

static const struct field rank_rows[] = {
        OUT_STRING("label", .is_required = true, .help = "Label of the variant."),
        OUT_INTEGER("rank", .is_required = true, .help = "1 is the best."),
};
static const struct field_table rank_shape = OUTPUT_TABLE("rank", rank_rows);

static const struct field recommendation_rows[] = {
        OUT_STRING("mode", .help = "review or comparison."),
        OUT_STRING("parse", .is_nullable = true,
                   .help = "How much of recommendation.json could be used: strict, sanitized, partial or invalid; null "
                           "while there is none."),
        OUT_STRING("verdict", .is_nullable = true, .help = "Of a review: pass, needs-improvement or fail."),
        OUT_STRING("confidence", .is_nullable = true, .help = "high, medium or low."),
        OUT_OBJECT("winner", winner_shape, .is_nullable = true, .help = "Variant that a comparison recommends."),
        OUT_OBJECTS("rankings", rank_shape, .help = "Ranks of the variants."),
        OUT_INTEGER("rankingsOmitted", .help = "Ranks that were left out."),
        {.name = "allCorrect",
         .type = FIELD_BOOLEAN,
         .is_nullable = true,
         .help = "Whether the judge found no fault in any."},
        OUT_STRING("notes", .is_nullable = true, .help = "What else the judge says."),
        OUT_BOOLEAN("notesTruncated", .help = "Whether the notes were cut."),
        OUT_INTEGER("notesTotalChars", .help = "Characters of the whole notes."),
        OUT_ANY("variantFeedback", .help = "By label: {status, improvements: [{text, priority}]}."),
        OUT_INTEGER("variantFeedbackOmitted", .help = "Variants whose feedback was left out."),
        OUT_BOOLEAN("improvementsBudgetExceeded", .help = "Whether improvements were left out for their size."),
        OUT_INTEGER("improvementsOmittedTotal", .help = "Improvements that were left out."),
        OUT_STRING("markdown", .is_nullable = true, .help = "The judge's reasons: recommendation.md."),
        OUT_BOOLEAN("markdownTruncated", .help = "Whether they were cut."),
        OUT_INTEGER("markdownTotalChars", .is_nullable = true,
                    .help = "Characters of the whole; null when it is too long to be counted."),
        OUT_STRING("markdownPath", .help = "File for read_task_file that holds all of it."),
        OUT_STRING("path", .help = "File for read_task_file that holds all that was cut."),
        OUT_ANY("variants", .help = "By label: the id of the variant's task."),
};
const struct field_table recommendation_shape = OUTPUT_TABLE("recommendation", recommendation_rows);
