/* A bounded pool of worker threads for what may block. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/cleanup.h"

struct pool;

/* At most `threads` threads with small stacks, each started when there is work for it and the others are busy; at most
 * `queue_maximum` pieces of work wait beside those that run. */
struct pool *pool_new(unsigned threads, size_t queue_maximum);
/* Runs `run(argument)` on one of the threads, first come first served; false when the queue is full or the pool is
 * being freed (nothing was kept then). On any thread. */
MUST_CHECK bool pool_submit(struct pool *pool, void (*run)(void *argument), void *argument);
/* The same for work that takes much memory: only one such piece runs at a time, the others wait for it in their order
 * and hold up no thread. */
MUST_CHECK bool pool_submit_alone(struct pool *pool, void (*run)(void *argument), void *argument);
/* Takes no more work, runs what waits to its end, joins the threads and frees the pool. NULL is allowed. */
void pool_free(struct pool *pool);

#endif
