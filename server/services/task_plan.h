/* What a create_task call comes to: resolved and checked before anything is made. */
#ifndef SERVICES_TASK_PLAN_H
#define SERVICES_TASK_PLAN_H

#include "server/services/environment.h"
#include "server/services/group.h"
#include "server/services/task.h"

struct task_plan {
        const struct environment *environment;
        const char *agents[TASK_AGENTS_MAXIMUM]; /* borrowed from the input and the environment */
        size_t count;
        char *inherited;          /* instructions of the source, when none were given */
        const char *instructions; /* NULL: the template says it all */
        const char *branches;     /* a JSON object, borrowed */
        char *branches_text;
        bool is_shared;
        char *name;
        bool is_name_generated;
        struct store_task source; /* the task whose work is done again; its id is NULL without one */
        char group_id[ID_SIZE];   /* the group to join, "" for none or a new one */
        bool is_grouped;
};
void task_plan_clear(struct task_plan *plan);
#define auto_task_plan CLEANUP(task_plan_clear) struct task_plan

/* Resolves environment, agents, source and group, and checks all that can be told beforehand, each agent's account
 * among it. Reads. */
MUST_CHECK bool task_plan_make(struct call *call, const struct task_create_input *input, struct task_plan *plan,
                               struct error *error);
/* Whether a task of the environment may begin with these branches (repository to branch; NULL: none chosen). */
MUST_CHECK bool task_plan_check_branches(const struct environment *environment, json_t *branches, struct error *error);

#endif
