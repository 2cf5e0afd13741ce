#include "server/services/review_watch.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/auto_review.h"
#include "server/services/judge_pending.h"
#include "server/services/review_loop.h"
#include "server/services/runtime_parts.h"

#define JOB "review"
#define BUSY_MAXIMUM_MS 5000
#define FAILED_MAXIMUM_MS 60000

static bool add_job(struct store_db *db, int64_t task, struct error *error)
{
        return store_job_add(db, JOB, task, 0, 0, error);
}

bool review_look(struct store_db *db, int64_t task, const char *task_id, struct error *error)
{
        bool is_concerned;
        int64_t variant;

        if (!store_review_concerns(db, task, task_id, &is_concerned, error))
                return false;
        if (!is_concerned)
                return true;
        /* What is seen of a review is seen from its variant. */
        if (!store_review_loop_of_judge(db, task_id, &variant, error))
                return false;
        return add_job(db, variant ? variant : task, error);
}

bool review_after_turn(const struct services *services, struct store_db *db, const struct store_task *task,
                       struct error *error)
{
        return auto_review_applies(services, task) ? add_job(db, task->rid, error)
                                                   : review_look(db, task->rid, task->id, error);
}

bool review_task_gone(struct store_db *db, const struct store_task *task, int64_t now, struct error *error)
{
        int64_t variant;

        if (!judge_pending_source_gone(db, task->rid, now, error) ||
            !review_loop_source_gone(db, task->rid, now, error) ||
            !store_review_loop_of_judge(db, task->id, &variant, error))
                return false;
        return !variant || add_job(db, variant, error);
}

static bool advance(struct services *services, struct store_db *db, int64_t task, bool *is_again, struct error *error)
{
        return auto_review_advance(services, db, task, error) &&
               judge_pending_advance(services, db, task, is_again, error) &&
               review_loop_advance(services, db, task, is_again, error);
}

bool review_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        auto_error error = {0};
        bool is_again = false;

        if (!advance(runtime->services, db, job->task, &is_again, &error)) {
                log_error("reviews could not go on; they are tried again", "reason", error.message);
                return job_put_off(runtime, job, FAILED_MAXIMUM_MS);
        }
        return is_again ? job_put_off(runtime, job, BUSY_MAXIMUM_MS) : job_drop(runtime, job);
}

struct open_tasks {
        int64_t *tasks;
        size_t count;
};

static bool take_up_work(struct store_db *db, void *context, struct error *error)
{
        const struct open_tasks *open = context;

        for (size_t i = 0; i < open->count; i++) {
                bool is_there, is_asked;
                auto_store_task task = {0};
                if (!store_task_find_rid(db, open->tasks[i], 0, &task, &is_there, error) ||
                    !store_job_exists(db, JOB, open->tasks[i], &is_asked, error) ||
                    (is_there && !is_asked && !add_job(db, open->tasks[i], error)))
                        return false;
        }
        return true;
}

static void take_up(const struct services *services, struct open_tasks open)
{
        auto_error error = {0};

        if (open.count && !store_write(services->store, take_up_work, &open, &error))
                log_error("reviews of an earlier process could not be taken up", "reason", error.message);
        free(open.tasks);
}

void review_take_up(const struct services *services, struct store_db *db)
{
        struct open_tasks requests = {0}, loops = {0};
        auto_error error = {0};

        if (!store_judge_request_open(db, &requests.tasks, &requests.count, &error) ||
            !store_review_loop_open(db, &loops.tasks, &loops.count, &error))
                log_error("reviews of an earlier process could not be found", "reason", error.message);
        take_up(services, requests);
        take_up(services, loops);
}
