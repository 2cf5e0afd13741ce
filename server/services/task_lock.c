#include "server/services/runtime_parts.h"

#include <time.h>

bool number_set_has(const struct number_set *set, int64_t number)
{
        for (size_t i = 0; i < set->count; i++)
                if (set->items[i] == number)
                        return true;
        return false;
}

void number_set_add(struct number_set *set, int64_t number)
{
        set->items = memory_resize(set->items, (set->count + 1) * sizeof *set->items);
        set->items[set->count++] = number;
}

void number_set_remove(struct number_set *set, int64_t number)
{
        for (size_t i = 0; i < set->count; i++)
                if (set->items[i] == number) {
                        set->items[i] = set->items[--set->count];
                        break;
                }
        /* An empty set holds no memory, so that nobody has to release it. */
        if (!set->count) {
                free(set->items);
                set->items = NULL;
        }
}

void number_set_lock(struct runtime *runtime, struct number_set *set, int64_t number)
{
        pthread_mutex_lock(&runtime->mutex);
        while (number_set_has(set, number))
                pthread_cond_wait(&runtime->changed, &runtime->mutex);
        number_set_add(set, number);
        pthread_mutex_unlock(&runtime->mutex);
}

void number_set_unlock(struct runtime *runtime, struct number_set *set, int64_t number)
{
        pthread_mutex_lock(&runtime->mutex);
        number_set_remove(set, number);
        pthread_mutex_unlock(&runtime->mutex);
        job_wake(runtime);
}

bool runtime_try_lock_task(struct runtime *runtime, int64_t task)
{
        pthread_mutex_lock(&runtime->mutex);
        bool is_free = !number_set_has(&runtime->tasks_locked, task);
        if (is_free)
                number_set_add(&runtime->tasks_locked, task);
        pthread_mutex_unlock(&runtime->mutex);
        return is_free;
}

void runtime_unlock_task(struct runtime *runtime, int64_t task)
{
        number_set_unlock(runtime, &runtime->tasks_locked, task);
}

void runtime_lock_request(struct runtime *runtime, int64_t request)
{
        number_set_lock(runtime, &runtime->requests, request);
}

void runtime_unlock_request(struct runtime *runtime, int64_t request)
{
        number_set_unlock(runtime, &runtime->requests, request);
}

bool runtime_is_put_away(struct runtime *runtime, int64_t task)
{
        pthread_mutex_lock(&runtime->mutex);
        bool is_put_away = number_set_has(&runtime->tasks_put_away, task);
        pthread_mutex_unlock(&runtime->mutex);
        return is_put_away;
}

void runtime_wake(struct runtime *runtime)
{
        if (!runtime)
                return;
        pthread_mutex_lock(&runtime->mutex);
        runtime->wakes++;
        pthread_cond_broadcast(&runtime->changed);
        pthread_mutex_unlock(&runtime->mutex);
        scheduler_wake(runtime->scheduler);
}

void job_wake(void *context)
{
        runtime_wake(context);
}

uint64_t runtime_wakes(struct runtime *runtime)
{
        pthread_mutex_lock(&runtime->mutex);
        uint64_t wakes = runtime->wakes;
        pthread_mutex_unlock(&runtime->mutex);
        return wakes;
}

bool runtime_sleep(struct runtime *runtime, uint64_t seen, int64_t until)
{
        struct timespec deadline = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

        pthread_mutex_lock(&runtime->mutex);
        while (runtime->wakes == seen && !atomic_load(&runtime->is_stopping) &&
               pthread_cond_timedwait(&runtime->changed, &runtime->mutex, &deadline) == 0)
                continue;
        bool is_woken = runtime->wakes != seen && !atomic_load(&runtime->is_stopping);
        pthread_mutex_unlock(&runtime->mutex);
        return is_woken;
}
