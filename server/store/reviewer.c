#include "server/store/reviewer.h"

void store_reviewers_clear(struct store_reviewers *reviewers)
{
        for (size_t i = 0; i < reviewers->count; i++) {
                const struct store_reviewer *reviewer = &reviewers->items[i];
                char *strings[] = {reviewer->agent, reviewer->model,    reviewer->reasoning_effort,
                                   reviewer->speed, reviewer->judge_id, reviewer->verdict};
                for (size_t j = 0; j < COUNT_OF(strings); j++)
                        free(strings[j]);
        }
        free(reviewers->items);
        *reviewers = (struct store_reviewers){0};
}
