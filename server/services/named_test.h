/* Named tests: commands that an environment defines, run in a task's container when somebody asks for it. */
#ifndef SERVICES_NAMED_TEST_H
#define SERVICES_NAMED_TEST_H

#include "server/services/services.h"

struct test_list_input {
        const char *taskId;
        int64_t offset, limit;
};
/* {taskId, status, reason?, tests: [{name, description, command, commandTruncated, redacted, timeoutSeconds,
 * parameters: [{name, label, type, required}]}], total, nextOffset, pageBounded?}. Reads. */
MUST_CHECK bool test_list(struct call *call, const struct test_list_input *input, json_t **result, struct error *error);

struct test_run_input {
        const char *taskId, *testName;
        json_t *parameters; /* name to value; NULL: none */
};
/* Starts a run: {taskId, testName, runId, status, startedAt}. Blocks until it has begun; `call->db` is a reader.
 * ERROR_TEST_NOT_FOUND, ERROR_TEST_RUNNING, ERROR_PARAMETER_*, ERROR_TASK_BUSY while the agent works, for what it tests
 * would change under it, ERROR_TASK_SOURCE_BUSY. */
MUST_CHECK bool test_run(struct call *call, const struct test_run_input *input, json_t **result, struct error *error);

struct test_result_input {
        const char *taskId, *testName;
        int64_t maxChars;
};
/* The newest run that is kept: {taskId, testName, status, reason?, runId, exitCode, success, startedAt, finishedAt,
 * output, outputOmitted, outputTruncated, redacted}; status running, completed, failed or interrupted, else unavailable
 * with the reason run_not_retained. Reads. */
MUST_CHECK bool test_result(struct call *call, const struct test_result_input *input, json_t **result,
                            struct error *error);

#endif
