#include "server/services/runtime_parts.h"

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
                        return;
                }
}

void runtime_lock_task(struct runtime *runtime, int64_t task)
{
        pthread_mutex_lock(&runtime->mutex);
        while (number_set_has(&runtime->tasks_locked, task))
                pthread_cond_wait(&runtime->changed, &runtime->mutex);
        number_set_add(&runtime->tasks_locked, task);
        pthread_mutex_unlock(&runtime->mutex);
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
        pthread_mutex_lock(&runtime->mutex);
        number_set_remove(&runtime->tasks_locked, task);
        pthread_cond_broadcast(&runtime->changed);
        pthread_mutex_unlock(&runtime->mutex);
}
