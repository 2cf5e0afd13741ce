/* What create_judge_task and an environment's settings say of a loop of review and improvement. */
#ifndef SERVICES_REVIEW_OPTIONS_H
#define SERVICES_REVIEW_OPTIONS_H

#include "server/base/field.h"

#define LOOP_ROUNDS_MAXIMUM 10

struct review_loop_options {
        int64_t maxRounds;
        const char *minFeedbackPriority; /* high, medium or low */
        bool pullLatest;
};
extern const struct field_table review_loop_options_table;

#endif
