#include "server/services/judge_pending.h"

/* clang-format off */
static const struct field request_rows[] = {
        OUT_STRING("pendingRequestId", .is_required = true, .help = "Id of the request."),
        OUT_STRING("status", .is_required = true,
                   .help = "pending: it waits; launching: its reviews are being made; launched; cancelled."),
        OUT_STRING("origin", .help = "request: a person's; auto_judge, verification: the environment's settings'."),
        OUT_STRING("groupId", .is_nullable = true, .help = "Group that its reviews join."),
        OUT_STRING("mode", .help = "review of one variant, or comparison."),
        OUT_STRINGS("variantTaskIds", .help = "The tasks that it is about, of those that you can see."),
        OUT_STRING("timing", .help = "after_queued_turns: it waits for what is queued too."),
        OUT_STRINGS("agents", .help = "Who reviews."),
        OUT_ANY("reviewerSettings", .help = "Model, effort and speed of those that do not use the defaults, by agent."),
        OUT_STRING("instructions", .is_nullable = true, .help = "What the reviewers are to look at besides."),
        OUT_OBJECT("reviewLoop", review_loop_options_table, .is_nullable = true, .help = "Options of the loop that follows."),
        OUT_STRING("reviewLoopId", .is_nullable = true, .help = "The loop, once it was launched."),
        OUT_STRINGS("taskIds", .help = "The reviews, once they were launched."),
        OUT_STRING("reason", .is_nullable = true, .help = "Why it was cancelled."),
        OUT_STRING("message", .is_nullable = true, .help = "The same in words."),
        OUT_STRING("createdAt", .format = "date-time", .help = "When it was made."),
        OUT_STRING("endedAt", .is_nullable = true, .format = "date-time", .help = "When it was launched or cancelled."),
};
/* clang-format on */
const struct field_table judge_pending_shape = OUTPUT_TABLE("review request", request_rows);

static const struct field list_rows[] = {
        OUT_OBJECTS("requests", judge_pending_shape, .is_required = true, .help = "Newest first, at most 100."),
};
const struct field_table judge_pending_list_shape = OUTPUT_TABLE("review requests", list_rows);
