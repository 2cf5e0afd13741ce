#include "server/services/access.h"
#include "server/store/group.h"

/* A source that nothing is known of any more is one that cannot be seen. */
static bool sees_source(const struct actor *actor, const struct store_source *source)
{
        const struct store_task task = {
                .environment = source->environment, .creator = source->creator, .is_shared = source->is_shared};

        return source->is_known ? access_to_task(actor, &task) == TASK_ACCESS_FULL : actor->grants->is_administrator;
}

bool access_note_withheld(struct store_db *db, const struct actor *actor, struct store_task *task, struct error *error)
{
        auto_free struct store_source *sources = NULL;
        size_t count = 0;

        task->is_withheld = false;
        if (!task->has_sources)
                return true;
        if (!store_task_sources(db, task->rid, &sources, &count, error))
                return false;
        for (size_t i = 0; i < count; i++)
                task->is_withheld = task->is_withheld || !sees_source(actor, &sources[i]);
        return true;
}

bool access_note_all_withheld(struct store_db *db, const struct actor *actor, struct store_tasks *tasks,
                              bool is_filtered, struct error *error)
{
        size_t kept = 0;

        for (size_t i = 0; i < tasks->count; i++) {
                struct store_task *task = &tasks->items[i];
                if (is_filtered && access_to_task(actor, task) == TASK_ACCESS_HIDDEN) {
                        store_task_clear(task);
                        continue;
                }
                if (!access_note_withheld(db, actor, task, error))
                        return false;
                if (task != &tasks->items[kept]) {
                        tasks->items[kept] = *task;
                        *task = (struct store_task){0};
                }
                kept++;
        }
        tasks->count = kept;
        return true;
}

bool access_require_content(const struct store_task *task, struct error *error)
{
        return !task->is_withheld || error_set(error, ERROR_CONTENT_WITHHELD, NULL);
}
