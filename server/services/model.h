/* The model catalogue: which models, reasoning efforts and speeds each agent offers. It is data: the shipped file, or
 * DATA/models.json in its place, read when the server starts and when it changes. */
#ifndef SERVICES_MODEL_H
#define SERVICES_MODEL_H

#include "server/services/environment.h"

struct model_choice {
        const char *model, *effort, *speed; /* NULL: not chosen */
};

/* Checks a choice for an agent of a task of `owner` (0: of nobody). ERROR_MODEL_INVALID, ERROR_EFFORT_INVALID,
 * ERROR_SPEED_INVALID (each naming what there is), ERROR_SPEED_DENIED by the policy of server or environment. */
MUST_CHECK bool model_check(const struct services *services, struct store_db *db, const struct environment *environment,
                            int64_t owner, const char *agent, const struct model_choice *choice, struct error *error);
/* The catalogue as it is now, for the caller to release and not to change: it is read again only when its file is
 * another one. */
json_t *model_catalogue(const struct services *services);

/* {agents: [{agent, defaultModel, models: [{id, reasoningEfforts, speeds}]}]}. Reads. */
MUST_CHECK bool model_list(struct call *call, json_t **result, struct error *error);

/* Published names of the speeds, slowest first, NULL-ended. */
extern const char *const model_speeds[];

#endif
