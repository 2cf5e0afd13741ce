#include "server/services/named_test.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/log_tail.h"
#include "server/services/panel.h"
#include "server/services/parameter.h"
#include "server/services/runtime.h"
#include "server/services/task_run.h"
#include "server/services/task_view.h"

#define COMMAND_CHARACTERS 1000
/* A page of the list ends behind the entry that takes it over this. */
#define PAGE_BYTES 24000

static json_t *redacted_head(const struct redactor *redactor, const char *string, bool *is_cut, bool *is_redacted)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        redact_append(redactor, &text, string, strlen(string));
        auto_free char *head = text_head(text_string(&text), text.length, COMMAND_CHARACTERS, is_cut);
        *is_redacted = *is_redacted || (strcmp(text_string(&text), string) && strstr(head, REDACTED));
        return document_string(head);
}

/* No defaults: they are the run's business, and may be long. */
static json_t *parameters_view(const struct environment_test *test)
{
        const struct parameter *items = test->parameters.items;
        json_t *list = json_array();

        for (size_t i = 0; i < test->parameters.count; i++)
                json_array_append_new(
                        list, json_pack("{s:o, s:o, s:s, s:b}", "name", document_string(items[i].name), "label",
                                        document_string(items[i].label ? items[i].label : items[i].name), "type",
                                        items[i].type, "required", items[i].required && !items[i].fallback));
        return list;
}

static json_t *test_view(const struct environment_test *test, const struct redactor *redactor)
{
        bool is_cut, is_description_cut, is_redacted = false;
        json_t *command = redacted_head(redactor, test->command, &is_cut, &is_redacted);
        json_t *description = test->description
                                      ? redacted_head(redactor, test->description, &is_description_cut, &is_redacted)
                                      : json_null();

        return json_pack("{s:o, s:o, s:o, s:b, s:b, s:I, s:o}", "name", document_string(test->name), "description",
                         description, "command", command, "commandTruncated", is_cut, "redacted", is_redacted,
                         "timeoutSeconds", (json_int_t)test->timeoutSeconds, "parameters", parameters_view(test));
}

bool test_list(struct call *call, const struct test_list_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        size_t bytes = 0;

        if (!panel_open(call, input->taskId, false, &task, &redactor, result, error) || *result)
                return !error->code;
        auto_environment *environment = environment_find_rid(call->services->environments, task.environment);
        const struct environment_test *tests = environment ? environment->file.tests.items : NULL;
        int64_t total = environment ? (int64_t)environment->file.tests.count : 0, next = input->offset;
        json_t *list = json_array();
        for (; next < total && next < input->offset + input->limit && bytes <= PAGE_BYTES; next++) {
                json_t *view = test_view(&tests[next], &redactor);
                bytes += json_dumpb(view, NULL, 0, JSON_COMPACT);
                json_array_append_new(list, view);
        }
        *result = json_pack("{s:s, s:s, s:o, s:I, s:o}", "taskId", task.id, "status",
                            !environment ? "unavailable"
                            : total      ? "available"
                                         : "empty",
                            "tests", list, "total", (json_int_t)total, "nextOffset",
                            next < total ? json_integer(next) : json_null());
        if (!environment)
                json_object_set_new(*result, "reason", json_string("environment_gone"));
        if (next < total && next < input->offset + input->limit)
                json_object_set_new(*result, "pageBounded", json_true());
        return true;
}

static const struct environment_test *find(const struct environment *environment, const char *name)
{
        const struct environment_test *tests = environment->file.tests.items;

        for (size_t i = 0; i < environment->file.tests.count; i++)
                if (!strcmp(tests[i].name, name))
                        return &tests[i];
        return NULL;
}

static bool check_task(const struct store_task *task, struct error *error)
{
        if (!strcmp(task->status, "staged"))
                return error_set(error, ERROR_CONFLICT, "The task is staged; it has no workspace before its start.");
        if (!strcmp(task->status, "running") || !strcmp(task->status, "queued"))
                return error_set(error, ERROR_TASK_BUSY, "The task is %s; wait until its turn has ended.",
                                 task->status);
        return true;
}

/* Looked at again where no other piece of work comes between. */
struct check {
        struct call *call;
        const struct test_run_input *input;
};

static bool check_work(struct store_db *db, void *context, struct error *error)
{
        const struct check *check = context;
        auto_store_task_run latest = {0};
        auto_store_task task = {0};
        bool is_found;

        if (!access_task_require(db, check->call->actor, check->input->taskId, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &task, error) ||
            !check_task(&task, error) ||
            !store_task_run_latest(db, task.rid, TASK_RUN_TEST, check->input->testName, &latest, &is_found, error))
                return false;
        return !is_found || latest.ended_at || error_set(error, ERROR_TEST_RUNNING, NULL);
}

static bool start(struct call *call, const struct test_run_input *input, const struct store_task *task,
                  const struct environment *environment, const struct environment_test *test,
                  struct store_task_run *run, struct error *error)
{
        const struct parameter *parameters = test->parameters.items;
        size_t count = test->parameters.count;
        auto_free char **values = memory_new((count + 1) * sizeof *values);
        auto_free struct runner_variable *variables = memory_new((count + 1) * sizeof *variables);
        struct check check = {call, input};
        struct task_run_order order = {.task = task,
                                       .environment = environment,
                                       .kind = TASK_RUN_TEST,
                                       .name = test->name,
                                       .command = test->command,
                                       .variables = variables,
                                       .time_limit = test->timeoutSeconds * 1000,
                                       .check = check_work,
                                       .context = &check};

        bool is_good = true;
        for (; is_good && order.variable_count < count; order.variable_count++) {
                size_t i = order.variable_count;
                is_good = (values[i] = parameter_value(&parameters[i], input->parameters, error));
                variables[i] = (struct runner_variable){parameters[i].name, values[i]};
        }
        is_good = is_good && task_run_start(call, &order, run, error);
        for (size_t i = 0; i < count; i++)
                free(values[i]);
        return is_good;
}

bool test_run(struct call *call, const struct test_run_input *input, json_t **result, struct error *error)
{
        auto_store_task_run run = {0};
        auto_store_task task = {0};

        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_EXECUTE,
                                 PERMISSION_TASKS_EXECUTE_ANY, &task, error) ||
            !access_require_content(&task, error))
                return false;
        auto_environment *environment = environment_find_rid(call->services->environments, task.environment);
        if (!environment)
                return error_set(error, ERROR_ENVIRONMENT_DISABLED, "The task's environment is gone.");
        const struct environment_test *test = find(environment, input->testName);
        if (!test)
                return error_set(error, ERROR_TEST_NOT_FOUND, NULL);
        if (!environment_check_active(environment, error) ||
            !parameters_check(&test->parameters, input->parameters, "test", error) || !check_task(&task, error))
                return false;
        if (!runtime_try_lock_task(call->services->runtime, task.rid))
                return error_set(error, ERROR_TASK_SOURCE_BUSY, NULL);
        bool is_started = start(call, input, &task, environment, test, &run, error);
        runtime_unlock_task(call->services->runtime, task.rid);
        if (!is_started)
                return false;
        *result = json_pack("{s:s, s:o, s:s, s:s, s:o}", "taskId", task.id, "testName", document_string(test->name),
                            "runId", run.id, "status", "running", "startedAt", document_time(run.requested_at));
        return true;
}

static const char *status_of(const struct store_task_run *run)
{
        static const char *const interrupted[] = {"stopped", "interrupted", "container_stopped", "lost"};

        if (!run->ended_at)
                return "running";
        for (size_t i = 0; i < COUNT_OF(interrupted); i++)
                if (!strcmp(run->reason, interrupted[i]))
                        return "interrupted";
        return !strcmp(run->reason, "exited") && run->has_exit_code && !run->exit_code ? "completed" : "failed";
}

/* An outcome that is not known is no failure of the test. */
static json_t *success_of(const char *status)
{
        return !strcmp(status, "running") || !strcmp(status, "interrupted")
                       ? json_null()
                       : json_boolean(!strcmp(status, "completed"));
}

static bool render(struct call *call, const struct store_task_run *run, const struct redactor *redactor, size_t maximum,
                   json_t **result, struct error *error)
{
        auto_free char *path = task_run_log(call->services, run);
        const char *status = status_of(run);
        auto_log_tail tail = {0};

        if (!log_tail_read(path, redactor, maximum, &tail, error))
                return false;
        *result = json_pack(
                "{s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}", "taskId", run->task_id,
                "testName", document_string(run->name), "status", status, "runId", run->id, "reason",
                document_string(run->reason), "message", redact_string(redactor, run->message), "exitCode",
                run->has_exit_code ? json_integer(run->exit_code) : json_null(), "success", success_of(status),
                "startedAt", document_time(run->started_at ? run->started_at : run->requested_at), "finishedAt",
                document_time(run->ended_at), "output", document_text(text_string(&tail.text), tail.text.length),
                "outputOmitted", tail.is_omitted, "outputTruncated", tail.is_truncated, "redacted", tail.is_redacted);
        return true;
}

bool test_result(struct call *call, const struct test_result_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        auto_store_task_run run = {0};
        auto_redactor redactor = {0};
        bool is_found;

        if (!panel_open(call, input->taskId, false, &task, &redactor, result, error) || *result)
                return !error->code;
        if (!store_task_run_latest(call->db, task.rid, TASK_RUN_TEST, input->testName, &run, &is_found, error))
                return false;
        if (is_found)
                return render(call, &run, &redactor, (size_t)input->maxChars, result, error);
        *result = json_pack("{s:s, s:o, s:s, s:s}", "taskId", task.id, "testName", document_string(input->testName),
                            "status", "unavailable", "reason", "run_not_retained");
        return true;
}
