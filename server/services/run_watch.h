/* Internal to the runtime: follows the runs beside the turns to their ends. */
#ifndef SERVICES_RUN_WATCH_H
#define SERVICES_RUN_WATCH_H

#include "server/base/error.h"

struct runtime;
struct run_watch;

/* Starts the thread, which takes up what an earlier process left. NULL on error. */
struct run_watch *run_watch_start(struct runtime *runtime, struct error *error);
/* The runtime is stopping: ends the thread. NULL is allowed. */
void run_watch_stop(struct run_watch *watch);

#endif
