/* Judges: tasks that evaluate finished work and write down a verdict. One that evaluates a single variant is a review,
 * one that evaluates several a comparison. Each gets copies of what the variants came to, under labels that tell
 * nothing of who made them. */
#ifndef SERVICES_JUDGE_H
#define SERVICES_JUDGE_H

#include "server/base/field.h"
#include "server/services/environment.h"
#include "server/services/review_options.h"
#include "server/services/task_plan.h"

#define JUDGE_REVIEWERS_MAXIMUM TASK_AGENTS_MAXIMUM
#define JUDGE_VARIANTS_MAXIMUM 26 /* labels are single letters */
#define JUDGE_INSTRUCTIONS_MAXIMUM 4000

#define JUDGE_REVIEW "review"
#define JUDGE_COMPARISON "comparison"

/* What is not chosen is NULL; without an agent it is the environment's default one. */
struct judge_reviewer {
        const char *agent, *model, *effort, *speed;
};

/* What was launched. */
struct judge_launched {
        char group_id[ID_SIZE];
        const char *mode; /* JUDGE_REVIEW or JUDGE_COMPARISON */
        size_t count, variant_count;
        char task_ids[JUDGE_REVIEWERS_MAXIMUM][ID_SIZE];   /* in the order of the reviewers */
        char variant_ids[JUDGE_VARIANTS_MAXIMUM][ID_SIZE]; /* in the order of the group */
};

/* What is asked for. All borrowed. */
struct judge_order {
        const char *task_id, *group_id;                           /* one of them */
        struct field_strings task_ids;                            /* of the group's variants; none: all that qualify */
        struct judge_reviewer reviewers[JUDGE_REVIEWERS_MAXIMUM]; /* each agent once */
        size_t reviewer_count;
        const char *instructions;                      /* NULL: none */
        const char *loop;                              /* the review loop that it is a round of; NULL: none */
        int64_t round;                                 /* of the loop, from 1 */
        const char *reserved[JUDGE_REVIEWERS_MAXIMUM]; /* ids by id_new_task, one a reviewer, all or none */
        const char *reserved_group; /* made for the one variant, should it still stand alone; NULL: none */
        bool is_waiting; /* for a launch that comes later: work that runs or is queued qualifies too, and a variant that
                 does not is an error instead of left out */
        /* Runs in the piece of work that makes the tasks, behind it; NULL: nothing does. */
        bool (*recorded)(struct call *call, const struct judge_launched *launched, const void *context,
                         struct error *error);
        const void *context;
};

/* An order resolved: what would be evaluated by whom. */
struct judge_plan {
        const struct environment *environment;
        struct store_tasks variants;             /* in the order of the group */
        size_t by_label[JUDGE_VARIANTS_MAXIMUM]; /* index of the variant that is labelled 'A' + i */
        char group_id[ID_SIZE];                  /* "" while the one variant stands alone */
        const char *mode;
        struct judge_reviewer reviewers[JUDGE_REVIEWERS_MAXIMUM]; /* with their agents */
        size_t reviewer_count;
        char *name; /* of the judges */
        bool is_shared;
};
void judge_plan_clear(struct judge_plan *plan);
#define auto_judge_plan CLEANUP(judge_plan_clear) struct judge_plan

/* Resolves and checks an order, and makes nothing. Reads. ERROR_TARGET_INVALID, ERROR_TASK_INVALID,
 * ERROR_TASK_IDS_INVALID, ERROR_NOTHING_TO_EVALUATE with each variant's status, ERROR_CONTENT_WITHHELD, and what
 * create_task has for environments, agents, models and accounts. */
MUST_CHECK bool judge_plan_make(struct call *call, const struct judge_order *order, struct judge_plan *plan,
                                struct error *error);
/* The same, for who only wants to know whether it would do. */
MUST_CHECK bool judge_plan_check(struct call *call, const struct judge_order *order, struct error *error);
/* Whether `task` may be evaluated: now, or (`is_waiting`) once it has finished. */
bool judge_qualifies(const struct store_task *task, bool is_waiting);

/* Makes the judges and starts them, all or none: collects the variants' work while nothing else is done with them,
 * makes a group of a source that stands alone, and hands the tasks to the slots. Blocks as long as collecting takes,
 * with `call->db` a reader. With reserved ids that are tasks already it makes nothing and tells of them. What
 * judge_plan_make has, and ERROR_TASK_SOURCE_BUSY. */
MUST_CHECK bool judge_launch(struct call *call, const struct judge_order *order, struct judge_launched *launched,
                             struct error *error);

struct judge_create_input {
        const char *taskId, *groupId, *agent, *model, *reasoningEffort, *speed, *instructions, *requestId;
        struct field_strings taskIds, agents;
        json_t *reviewerSettings; /* agent to {model, reasoningEffort, speed} */
        bool whenFinished;
        const struct review_loop_options *reviewLoop; /* NULL: a single run */
};
/* create_judge_task. Blocks, with `call->db` a reader. What it answers to whenFinished: judge_pending.h. Otherwise
 * {groupId, groupUrl, environment, mode, variantTaskIds, agents, taskIds, tasks, reviewLoopAvailable, reviewLoop} and,
 * of one judge, {taskId, status, url}; of a request seen before the earlier run, as the actor sees it now. */
MUST_CHECK bool judge_create(struct call *call, const struct judge_create_input *input, json_t **result,
                             struct error *error);

struct judge_task_input {
        const char *taskId, *requestId;
};
/* The same judge again, with the same variants, settings and instructions, as judge_create answers. Blocks.
 * ERROR_TASK_INVALID for what is no judge. */
MUST_CHECK bool judge_resubmit(struct call *call, const struct judge_task_input *input, json_t **result,
                               struct error *error);
/* Marks the variant that the judge recommends as the winner of its group, as task_set_winner does. Blocks.
 * ERROR_TASK_INVALID, ERROR_VERDICT_UNUSABLE. */
MUST_CHECK bool judge_apply_winner(struct call *call, const struct judge_task_input *input, json_t **result,
                                   struct error *error);

#endif
