#include "server/base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/text.h"

/* Enough for a handler's buffers and a JSON tree's recursion; sanitizers make frames several times larger, and clang
 * has no macro that tells of them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
#define STACK_SIZE (1024 * 1024)
#else
#define STACK_SIZE (256 * 1024)
#endif

struct work {
        void (*run)(void *argument);
        void *argument;
};

/* Work that waits, in a ring. */
struct queue {
        struct work *ring;
        size_t first, waiting, maximum;
};

struct pool {
        pthread_mutex_t lock;
        pthread_cond_t has_work;
        struct queue queue, alone; /* alone: of which one piece runs at a time */
        bool is_alone_busy, is_ending;
        unsigned thread_count, thread_maximum, idle_count;
        pthread_t threads[];
};

static bool put(struct queue *queue, struct work work)
{
        if (queue->waiting == queue->maximum)
                return false;
        queue->ring[(queue->first + queue->waiting++) % queue->maximum] = work;
        return true;
}

static struct work get(struct queue *queue)
{
        struct work work = queue->ring[queue->first];

        queue->first = (queue->first + 1) % queue->maximum;
        queue->waiting--;
        return work;
}

static bool may_run_alone(const struct pool *pool)
{
        return pool->alone.waiting && !pool->is_alone_busy;
}

/* Waits for the next piece of work; false when there will be none. What is left of `alone` at the end is for the thread
 * that runs one of it. */
static bool next_work(struct pool *pool, struct work *work, bool *is_alone)
{
        pthread_mutex_lock(&pool->lock);
        pool->idle_count++;
        while (!pool->queue.waiting && !may_run_alone(pool) && !pool->is_ending)
                pthread_cond_wait(&pool->has_work, &pool->lock);
        pool->idle_count--;
        *is_alone = may_run_alone(pool);
        bool has_work = *is_alone || pool->queue.waiting;
        if (*is_alone)
                pool->is_alone_busy = true;
        if (has_work)
                *work = get(*is_alone ? &pool->alone : &pool->queue);
        pthread_mutex_unlock(&pool->lock);
        return has_work;
}

static void end_alone(struct pool *pool)
{
        pthread_mutex_lock(&pool->lock);
        pool->is_alone_busy = false;
        pthread_cond_signal(&pool->has_work);
        pthread_mutex_unlock(&pool->lock);
}

static void *run_thread(void *argument)
{
        struct work work;
        bool is_alone;

        while (next_work(argument, &work, &is_alone)) {
                work.run(work.argument);
                if (is_alone)
                        end_alone(argument);
        }
        return NULL;
}

static bool start_thread(struct pool *pool)
{
        pthread_attr_t attributes;
        sigset_t all, before;

        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_SIZE);
        /* Signals belong to the main thread. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool is_started = !pthread_create(&pool->threads[pool->thread_count], &attributes, run_thread, pool);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        pool->thread_count += is_started;
        return is_started;
}

/* Under the lock: another thread, when there is work for it. Without one the work waits for those there are. */
static void grow(struct pool *pool)
{
        if (pool->thread_count < pool->thread_maximum && pool->queue.waiting + may_run_alone(pool) > pool->idle_count)
                (void)!start_thread(pool);
}

static struct queue queue_new(size_t maximum)
{
        return (struct queue){.ring = memory_new(maximum * sizeof(struct work)), .maximum = maximum};
}

struct pool *pool_new(unsigned threads, size_t queue_maximum)
{
        struct pool *pool = memory_new(sizeof *pool + threads * sizeof *pool->threads);

        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->has_work, NULL);
        pool->queue = queue_new(queue_maximum);
        pool->alone = queue_new(queue_maximum);
        pool->thread_maximum = threads;
        if (!start_thread(pool)) {
                perror("The worker pool could not start a thread");
                abort();
        }
        return pool;
}

static bool submit(struct pool *pool, struct queue *queue, void (*run)(void *argument), void *argument)
{
        pthread_mutex_lock(&pool->lock);
        bool is_taken = !pool->is_ending && put(queue, (struct work){run, argument});
        if (is_taken) {
                grow(pool);
                pthread_cond_signal(&pool->has_work);
        }
        pthread_mutex_unlock(&pool->lock);
        return is_taken;
}

bool pool_submit(struct pool *pool, void (*run)(void *argument), void *argument)
{
        return submit(pool, &pool->queue, run, argument);
}

bool pool_submit_alone(struct pool *pool, void (*run)(void *argument), void *argument)
{
        return submit(pool, &pool->alone, run, argument);
}

void pool_free(struct pool *pool)
{
        if (!pool)
                return;
        pthread_mutex_lock(&pool->lock);
        pool->is_ending = true;
        pthread_cond_broadcast(&pool->has_work);
        pthread_mutex_unlock(&pool->lock);
        for (unsigned i = 0; i < pool->thread_count; i++)
                pthread_join(pool->threads[i], NULL);
        pthread_cond_destroy(&pool->has_work);
        pthread_mutex_destroy(&pool->lock);
        free(pool->queue.ring);
        free(pool->alone.ring);
        free(pool);
}
