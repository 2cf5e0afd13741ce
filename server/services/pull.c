#include "server/services/pull.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/services/audit.h"
#include "server/services/changes_save.h"
#include "server/services/environment.h"
#include "server/services/follow_up.h"
#include "server/services/redact.h"
#include "server/services/review_watch.h"
#include "server/services/runtime_parts.h"

#define ATTEMPTS_MAXIMUM 5
#define RETRY_MAXIMUM_MS 32000

static bool is_at_work(const struct store_task *task)
{
        return !strcmp(task->status, "running") || !strcmp(task->status, "queued");
}

bool pull_report_check(struct pull_report *report, struct error *error)
{
        if (!report->is_conflict && !report->is_failed)
                return true;
        json_t *details = json_pack("{s:o}", "repos", take(report->repos));
        return report->is_conflict
                       ? error_set_details(error, ERROR_PULL_CONFLICT, details,
                                           "Upstream changes conflict with those of the task; they were put back.")
                       : error_set_details(error, ERROR_PULL_FAILED, details, "Upstream changes could not be pulled.");
}

/* What a remote or the workspace's git said may hold a managed value, and so may names of files. */
static bool redact_repos(const struct services *services, struct store_db *db, const struct store_task *task,
                         json_t *repos, struct error *error)
{
        auto_redactor redactor = {0};
        json_t *repo, *file;
        size_t i, j;

        if (!redactor_init(&redactor, services, db, error))
                return false;
        redactor_set_task(&redactor, db, task);
        json_array_foreach(repos, i, repo)
        {
                json_t *files = json_object_get(repo, "files");
                json_object_set_new(repo, "message", redact_string(&redactor, document_get_string(repo, "message")));
                json_array_foreach(files, j, file)
                        json_array_set_new(files, j, redact_string(&redactor, json_string_value(file)));
        }
        return true;
}

/* The container is made and the workspace too, as for a turn. */
static bool pull_locked(const struct services *services, struct store_db *db, const struct store_task *task,
                        struct error *error)
{
        struct runtime *runtime = services->runtime;
        auto_environment *environment = environment_find_rid(services->environments, task->environment);
        auto_pull_report report = {0};

        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        return workspace_ensure(runtime, db, task, environment, error) &&
               container_ensure(runtime, db, task, environment, NULL, error) &&
               pull_repositories(services, task, environment, NULL, &report, error) &&
               redact_repos(services, db, task, report.repos, error) && pull_report_check(&report, error);
}

/* Before the lock was taken a turn may have begun, which works where would be pulled. */
static bool pull_unless_at_work(const struct services *services, struct store_db *db, int64_t rid, bool *is_pulled,
                                struct error *error)
{
        auto_store_task task = {0};
        bool is_found;

        if (!store_task_find_rid(db, rid, 0, &task, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        *is_pulled = !is_at_work(&task);
        return !*is_pulled || pull_locked(services, db, &task, error);
}

bool pull_before_turn(const struct services *services, struct store_db *db, int64_t task, bool *is_pulled,
                      struct error *error)
{
        if (!runtime_try_lock_task(services->runtime, task))
                return error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        bool is_done = pull_unless_at_work(services, db, task, is_pulled, error);
        runtime_unlock_task(services->runtime, task);
        return is_done;
}

/* One delivery that waits for its pull. */
struct delivery {
        struct runtime *runtime;
        const struct store_job *job;
        const struct error *failure; /* NULL: it was pulled */
};

static bool deliver_work(struct store_db *db, void *context, struct error *error)
{
        const struct delivery *delivery = context;
        const struct error *failure = delivery->failure;
        int64_t task = delivery->job->task, now = clock_now();

        if (!store_job_delete(db, delivery->job, error))
                return false;
        if (!failure)
                return follow_up_next_pulled(delivery->runtime->services, db, task, now, error);
        auto_free char *details = failure->details ? document_print(failure->details) : NULL;
        const char *reason = failure->code == ERROR_PULL_CONFLICT ? "pull_conflict" : "pull_failed";
        return follow_up_pause(db, task, reason, failure->message, details, NULL, now, error) &&
               review_look(db, task, "", error);
}

static bool finish(struct runtime *runtime, const struct store_job *job, const struct error *failure)
{
        struct delivery delivery = {runtime, job, failure};
        auto_error error = {0};

        return RUNTIME_WRITE(runtime, deliver_work, &delivery, &error) ||
               (log_error("a follow-up could not be delivered after its pull", "reason", error.message), false);
}

bool pull_run(struct runtime *runtime, struct store_db *db, const struct store_job *job)
{
        auto_store_task task = {0};
        auto_error error = {0};
        bool is_found = false;

        if (!store_task_find_rid(db, job->task, 0, &task, &is_found, &error)) {
                log_error("a task could not be read", "reason", error.message);
                return false;
        }
        /* The end of the turn asks for a pull again. */
        if (!is_found || is_at_work(&task))
                return job_drop(runtime, job);
        if (pull_locked(runtime->services, db, &task, &error))
                return finish(runtime, job, NULL);
        bool is_passing = engine_error_is_passing(error.code) || error.code == ERROR_CANCELLED;
        if (is_passing && job->attempts < ATTEMPTS_MAXIMUM)
                return job_put_off(runtime, job, RETRY_MAXIMUM_MS);
        return finish(runtime, job, &error);
}

static bool check_container(const struct services *services, const struct store_task *task, struct error *error)
{
        auto_docker_container_state container = {0};
        bool is_there;

        if (!container_look(services->runtime, task->id, &container, &is_there, error))
                return false;
        return (is_there && container.is_running) ||
               error_set(error, ERROR_CONTAINER_NOT_RUNNING,
                         "The task's container does not run; a follow-up with pullLatest starts it.");
}

/* What was saved of the task's latest turn, anew. */
struct renewal {
        int64_t turn;
        struct changes_set set;
};

static bool renewal_work(struct store_db *db, void *context, struct error *error)
{
        const struct renewal *renewal = context;

        return changes_record(db, renewal->turn, &renewal->set, error);
}

/* The work begins where upstream is now, and its lines stand elsewhere. */
static bool save_again(const struct services *services, struct store_db *db, const struct store_task *task,
                       struct error *error)
{
        struct renewal renewal = {.turn = task->turn};
        struct turn_outcome outcome = {.task_status = task->status};
        auto_store_turn turn = {0};
        bool is_found;

        bool is_done = store_turn_find(db, task->turn, &turn, &is_found, error) &&
                       (!is_found || (changes_save(services->runtime, &turn, &outcome, &renewal.set, error) &&
                                      store_write(services->store, renewal_work, &renewal, error)));
        changes_set_clear(&renewal.set);
        return is_done;
}

static bool pull(struct call *call, const struct store_task *task, struct pull_report *report, struct error *error)
{
        auto_environment *environment = environment_find_rid(call->services->environments, task->environment);
        auto_store_task now = {0};
        bool is_found;

        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        if (!store_task_find_rid(call->db, task->rid, 0, &now, &is_found, error))
                return false;
        if (!is_found || is_at_work(&now))
                return error_set(error, ERROR_TASK_BUSY, NULL);
        return check_container(call->services, &now, error) &&
               pull_repositories(call->services, &now, environment, call, report, error) &&
               (report->is_conflict || report->is_failed || save_again(call->services, call->db, &now, error));
}

static bool audit_work(struct store_db *db, void *context, struct error *error)
{
        const struct call *call = context;

        return audit_write(db, call->actor, "task.pull", document_get_string(call->arguments, "taskId"), NULL, error);
}

bool task_pull(struct call *call, const struct task_pull_input *input, json_t **result, struct error *error)
{
        auto_pull_report report = {0};
        auto_store_task task = {0};

        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &task, error) ||
            !access_require_content(&task, error))
                return false;
        if (is_at_work(&task))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.", task.status);
        if (!runtime_try_lock_task(call->services->runtime, task.rid))
                return error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        bool is_done = pull(call, &task, &report, error);
        runtime_unlock_task(call->services->runtime, task.rid);
        if (!is_done || !redact_repos(call->services, call->db, &task, report.repos, error) ||
            !store_write(call->services->store, audit_work, call, error))
                return false;
        const char *code = report.is_conflict ? "pull_conflict" : report.is_failed ? "pull_failed" : NULL;
        *result = json_pack("{s:s, s:b, s:o, s:o}", "taskId", task.id, "success", !code, "error", document_string(code),
                            "repos", take(report.repos));
        return true;
}
