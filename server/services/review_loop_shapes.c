#include "server/services/review_loop.h"
#include "server/services/review_rules.h"

/* clang-format off */
static const struct field improvement_rows[] = {
        OUT_INTEGER("high", .help = "Improvements of high priority."),
        OUT_INTEGER("medium", .help = "Of medium priority."),
        OUT_INTEGER("low", .help = "Of low priority."),
};
static const struct field_table improvement_shape = OUTPUT_TABLE("improvement counts", improvement_rows);

static const struct field judge_rows[] = {
        OUT_INTEGER("round", .is_required = true, .help = "Round of the loop."),
        OUT_INTEGER("attempt", .help = "2 for the new try of a reviewer that gave no verdict."),
        OUT_STRING("agent", .is_required = true, .help = "Who reviews."),
        OUT_STRING("model", .is_nullable = true, .help = "Its model, null for the default."),
        OUT_STRING("reasoningEffort", .is_nullable = true, .help = "Its effort, null for the default."),
        OUT_STRING("speed", .is_nullable = true, .help = "Its speed, null for the default."),
        OUT_STRING("taskId", .is_required = true, .help = "The review."),
        OUT_STRING("verdict", .is_nullable = true, .help = "pass, needs-improvement or fail; null while there is none."),
        OUT_OBJECT("improvements", improvement_shape, .help = "How many it asks for."),
};
static const struct field_table judge_shape = OUTPUT_TABLE("review of a loop", judge_rows);

static const struct field loop_rows[] = {
        OUT_STRING("loopId", .is_required = true, .help = "Id of the loop."),
        OUT_STRING("taskId", .is_required = true, .help = "The variant that is reviewed and improved."),
        OUT_STRING("groupId", .is_required = true, .help = "Its group."),
        OUT_STRING("phase", .is_required = true, .choices = loop_phases,
                   .help = "launching, reviewing: reviews are made, work; feedback, improving: what they say waits to be "
                           "sent, is worked on; polish, polishing: the same once all pass; stopped."),
        OUT_BOOLEAN("active", .help = "Whether it goes on."),
        OUT_INTEGER("round", .help = "Round that it is in, or stopped in."),
        OUT_INTEGER("maxRounds", .help = "Rounds at most."),
        OUT_STRING("minFeedbackPriority", .help = "Lowest priority that is sent to the variant."),
        OUT_BOOLEAN("pullLatest", .help = "Whether upstream changes are pulled before each of its follow-ups."),
        OUT_STRING("stopReason", .is_nullable = true, .choices = loop_stop_reasons, .help = "Why it has stopped."),
        OUT_STRING("stopMessage", .is_nullable = true, .help = "What went wrong, where something did."),
        OUT_STRING("stoppedBy", .is_nullable = true, .help = "Who stopped it."),
        OUT_BOOLEAN("canContinue", .help = "Whether it ran out of rounds and may be given more."),
        OUT_BOOLEAN("holdsNotifications", .help = "Whether the variant's completion is not to be told yet: the loop goes on."),
        OUT_OBJECTS("reviews", judge_shape, .help = "Its reviews by round."),
        OUT_STRING("createdAt", .format = "date-time", .help = "When it began."),
        OUT_STRING("changedAt", .format = "date-time", .help = "When it last took a step."),
        OUT_STRING("stoppedAt", .is_nullable = true, .format = "date-time", .help = "When it stopped."),
};
/* clang-format on */
const struct field_table review_loop_shape = OUTPUT_TABLE("review loop", loop_rows);
