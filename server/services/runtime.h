/* The runtime: what makes turns happen. It takes jobs from the store and runs them on a pool of workers, follows the
 * files of running turns, watches the engine, and ends turns. Everything it does is found again after a crash: a job is
 * a row, a turn's exit record is a file, a container carries our label. */
#ifndef SERVICES_RUNTIME_H
#define SERVICES_RUNTIME_H

#include "server/services/services.h"

/* Of each container: the id of the store that it belongs to. */
#define LABEL_SERVER "longshore.server"

/* Starts the threads and takes up what an earlier process left. `runner_path` is the runner's program, which is copied
 * into a folder of its version in the data folder. The caller owns it; NULL on error. */
struct runtime *runtime_start(struct services *services, const char *runner_path, struct error *error);
/* Takes no more work, waits for the work in progress, and leaves running turns in their containers. */
void runtime_stop(struct runtime *runtime);
/* Has it look for work again, because settings have changed; NULL: there is none. */
void runtime_wake(struct runtime *runtime);

/* Waits until the turn has ended, at most until the time `until` of clock_monotonic. False when it has not. Never on
 * the writer thread. */
bool runtime_wait_turn(struct runtime *runtime, struct store_db *db, int64_t turn, int64_t until);
/* The same until the container of the task is stopped or gone. */
bool runtime_wait_stopped(struct runtime *runtime, struct store_db *db, int64_t task, int64_t until);

/* Stops containers that have been idle too long, removes those that were stopped long ago and workspaces that nobody
 * came back to, as the settings say, as if the time were `now`. */
void runtime_retain(struct runtime *runtime, struct store_db *db, int64_t now);

/* Removes the task's container, if there is one. The caller holds the task. */
MUST_CHECK bool runtime_remove_container(struct runtime *runtime, int64_t task, const char *task_id,
                                         struct error *error);

/* Holds the task for one operation (launch, container stop, removal...); false when another operation holds it. */
MUST_CHECK bool runtime_try_lock_task(struct runtime *runtime, int64_t task);
void runtime_unlock_task(struct runtime *runtime, int64_t task);
/* Waits until nobody works on a request with that number, and holds it: of two callers with the same one the second
 * finds what the first did. Not on the writer thread. */
void runtime_lock_request(struct runtime *runtime, int64_t request);
void runtime_unlock_request(struct runtime *runtime, int64_t request);
/* Whether the task's workspace was made again, because an earlier one had been removed, and no turn was told of that.
 */
bool workspace_is_renewed(const struct services *services, const char *task_id);
/* Whether retention is stopping or removing something of the task just now. */
bool runtime_is_put_away(struct runtime *runtime, int64_t task);

#endif
