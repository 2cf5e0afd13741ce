/* The making of one task with its first turn, whatever asks for it. Within a piece of work; nothing is checked here. */
#ifndef SERVICES_TASK_MAKE_H
#define SERVICES_TASK_MAKE_H

#include "server/services/prompt.h"

/* Borrowed. */
struct task_making {
        const char *id;   /* reserved before by id_new_task */
        const char *type; /* manual, template, judge ... */
        const char *agent, *name, *model, *reasoning_effort, *speed;
        const char *branches; /* a JSON object */
        bool is_name_generated, is_shared;
        int64_t environment;
        const struct prompt *prompt;
        const struct upload *upload; /* NULL: no files */
};

/* Adds the task, staged, with its turn, and pins it for its creator when the creator wants that. *rid and *turn get
 * their numbers; slot_start starts it. */
MUST_CHECK bool task_make(struct call *call, const struct task_making *making, int64_t *rid, int64_t *turn,
                          struct error *error);

#endif
