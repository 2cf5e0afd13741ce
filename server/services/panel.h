/* What readings of a task's panels have in common. */
#ifndef SERVICES_PANEL_H
#define SERVICES_PANEL_H

#include "server/services/redact.h"
#include "server/store/task.h"

#define PANEL_CHARACTERS 12000
#define PANEL_CHARACTERS_LEAST 100
#define PANEL_CHARACTERS_MOST 24000

/* The task that the call's actor may view, and with `needs_execute` run things in: who may not learns no more than that
 * there is no such task (ERROR_TASK_NOT_FOUND). With its content: ERROR_CONTENT_WITHHELD. Where the values that are to
 * be left out cannot be told, *result is {taskId, status: "unavailable", reason} and the answer; otherwise NULL. */
MUST_CHECK bool panel_open(struct call *call, const char *task_id, bool needs_execute, struct store_task *task,
                           struct redactor *redactor, json_t **result, struct error *error);

#endif
