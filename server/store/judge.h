/* Judges in the store: what a review was asked for and what its labels stand for. That a task is a review, in which
 * group and of which content, is in the task itself (server/store/group.h). */
#ifndef STORE_JUDGE_H
#define STORE_JUDGE_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Owns its strings. What was not chosen is NULL. */
struct store_judge {
        char *run; /* shared by the reviewers that were launched together */
        char *instructions;
        char *agent, *model, *reasoning_effort, *speed;
        char *loop; /* the review loop that it is a round of */
        int64_t round;
};
void store_judge_clear(struct store_judge *judge);
#define auto_store_judge CLEANUP(store_judge_clear) struct store_judge

/* Borrowed strings. */
struct store_judge_new {
        int64_t task;
        const char *run, *instructions, *agent, *model, *reasoning_effort, *speed, *loop;
        int64_t round; /* 0: none */
};
MUST_CHECK bool store_judge_add(struct store_db *db, const struct store_judge_new *judge, struct error *error);
MUST_CHECK bool store_judge_find(struct store_db *db, int64_t task, struct store_judge *judge, bool *is_found,
                                 struct error *error);

/* What a label of a review stands for. */
struct store_judge_variant {
        char label;
        char id[ID_SIZE];
        char *agent;
        int64_t position; /* among those that were evaluated, in the order of the group */
};
struct store_judge_variants {
        struct store_judge_variant *items;
        size_t count;
};
void store_judge_variants_clear(struct store_judge_variants *variants);
#define auto_store_judge_variants CLEANUP(store_judge_variants_clear) struct store_judge_variants

/* `agent` is borrowed. */
MUST_CHECK bool store_judge_add_variant(struct store_db *db, int64_t task, const struct store_judge_variant *variant,
                                        struct error *error);
/* By label. */
MUST_CHECK bool store_judge_variant_list(struct store_db *db, int64_t task, struct store_judge_variants *variants,
                                         struct error *error);

#endif
