/* What an administrator would look at first when something does not work. */
#ifndef SERVICES_DOCTOR_H
#define SERVICES_DOCTOR_H

#include "server/services/services.h"

/* The image of an environment that names none. */
#define DOCTOR_IMAGE "longshore/task:1"

/* {healthy, checks: [{check, status, message}]} with the status ok, warning or failed; healthy is false when one has
 * failed. `call->db` is NULL when the store could not be opened. Blocks: asks the engine and reads the whole store. */
MUST_CHECK bool doctor_run(struct call *call, json_t **result, struct error *error);

#endif
