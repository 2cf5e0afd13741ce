#include "server/base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/text.h"

/* Enough for a handler's buffers and a JSON tree's recursion; sanitizers make frames several times larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STACK_SIZE (1024 * 1024)
#else
#define STACK_SIZE (256 * 1024)
#endif

struct work {
        void (*run)(void *argument);
        void *argument;
};

struct pool {
        pthread_mutex_t lock;
        pthread_cond_t has_work;
        struct work *queue; /* a ring of `maximum` */
        size_t first, waiting, maximum;
        bool is_ending;
        unsigned thread_count;
        pthread_t threads[];
};

/* Waits for the next piece of work; false when there will be none. */
static bool next_work(struct pool *pool, struct work *work)
{
        pthread_mutex_lock(&pool->lock);
        while (!pool->waiting && !pool->is_ending)
                pthread_cond_wait(&pool->has_work, &pool->lock);
        bool has_work = pool->waiting > 0;
        if (has_work) {
                *work = pool->queue[pool->first];
                pool->first = (pool->first + 1) % pool->maximum;
                pool->waiting--;
        }
        pthread_mutex_unlock(&pool->lock);
        return has_work;
}

static void *run_thread(void *argument)
{
        struct work work;

        while (next_work(argument, &work))
                work.run(work.argument);
        return NULL;
}

static void start_thread(pthread_t *thread, struct pool *pool)
{
        pthread_attr_t attributes;
        sigset_t all, before;

        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_SIZE);
        /* Signals belong to the main thread. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        if (pthread_create(thread, &attributes, run_thread, pool)) {
                perror("The worker pool could not start a thread");
                abort();
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
}

struct pool *pool_new(unsigned threads, size_t queue_maximum)
{
        struct pool *pool = memory_new(sizeof *pool + threads * sizeof *pool->threads);

        pthread_mutex_init(&pool->lock, NULL);
        pthread_cond_init(&pool->has_work, NULL);
        pool->maximum = queue_maximum;
        pool->queue = memory_new(queue_maximum * sizeof *pool->queue);
        for (; pool->thread_count < threads; pool->thread_count++)
                start_thread(&pool->threads[pool->thread_count], pool);
        return pool;
}

bool pool_submit(struct pool *pool, void (*run)(void *argument), void *argument)
{
        pthread_mutex_lock(&pool->lock);
        bool is_taken = pool->waiting < pool->maximum && !pool->is_ending;
        if (is_taken) {
                pool->queue[(pool->first + pool->waiting) % pool->maximum] = (struct work){run, argument};
                pool->waiting++;
                pthread_cond_signal(&pool->has_work);
        }
        pthread_mutex_unlock(&pool->lock);
        return is_taken;
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
        free(pool->queue);
        free(pool);
}
