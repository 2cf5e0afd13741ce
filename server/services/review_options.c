#include "server/services/review_options.h"

static const char *const priorities[] = {"high", "medium", "low", NULL};

static const struct field rows[] = {
        INTEGER_FIELD(struct review_loop_options, maxRounds, .minimum = 1, .maximum = LOOP_ROUNDS_MAXIMUM, .preset = 3,
                      .help = "Rounds of review at most."),
        STRING_FIELD(struct review_loop_options, minFeedbackPriority, .choices = priorities, .text_preset = "medium",
                     .help = "Lowest priority of an improvement that is sent to the variant, from every reviewer."),
        BOOLEAN_FIELD(struct review_loop_options, pullLatest,
                      .help = "Whether upstream changes are pulled before each follow-up of the loop."),
};
const struct field_table review_loop_options_table = FIELD_TABLE(struct review_loop_options, rows);
