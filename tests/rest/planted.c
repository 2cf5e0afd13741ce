/* A secret that was put wherever an agent could print it comes out of no door. */
#include "tests/rest/matrix.h"

#include "server/base/path.h"
#include "server/services/build_view.h"
#include "server/services/task_paths.h"

/* What must never come out: a secret of the environment, one of the task's owner, and a git credential. */
static const char *const planted[] = {"planted-shared-value", "planted-own-value", "planted-git-value"};
#define PLANTED "on planted-shared-value, planted-own-value and https://x:planted-git-value@host/"

static void plant_file(const char *folder, const char *name, const char *content)
{
        auto_free char *path = path_join(folder, name);
        auto_error error = {0};

        assert_true(path_make_folder(folder, 0755, &error) && path_write(path, content, strlen(content), 0644, &error));
}

/* A task that failed and whose agent put secrets into everything that is its to write. */
static void plant(struct matrix *matrix)
{
        auto_free char *output = task_path_output(matrix->fixture->root, matrix->task),
                       *records = task_path_records(matrix->fixture->root, matrix->task);
        auto_free char *sql = text_format(
                "UPDATE tasks SET name = '" PLANTED
                "', branches = '{\"a\":\"planted-shared-value\"}', status = 'failed', "
                "exit_code = 1, reply = turn WHERE id = '%s';"
                "UPDATE turns SET shown = '" PLANTED "', given = '" PLANTED "', state = 'ended', started_at = 1, "
                "ended_at = 2, end_type = 'exited', exit_code = 1, failure_stage = 'agent', failure_category = "
                "'unknown', "
                "failure_message = '" PLANTED "', agent_errors = '[{\"message\":\"" PLANTED "\"}]' "
                "WHERE rid = (SELECT turn FROM tasks WHERE id = '%s');"
                "UPDATE prompt_parts SET body = '" PLANTED "';"
                "INSERT OR REPLACE INTO replies (turn, body, characters, replied_at) "
                "SELECT turn, '" PLANTED "', length('" PLANTED "'), 2 FROM tasks WHERE id = '%s';",
                matrix->task, matrix->task, matrix->task);

        rest_sql(matrix->fixture, sql);
        plant_file(output, "summary.md", PLANTED);
        plant_file(output, "note.txt", PLANTED);
        plant_file(output, "planted-own-value.txt", PLANTED);
        plant_file(records, "log.txt", PLANTED);
        plant_file(records, "task-instructions.md", PLANTED);
        plant_file(records, "debug-stream.jsonl",
                   "{\"t\":null,\"turn\":1,\"seq\":1,\"role\":\"assistant\",\"type\":\"text\",\"text\":\"" PLANTED
                   "\"}\n");
}

/* Secrets that are set, and an image's build that printed them. */
static void plant_around(struct matrix *matrix)
{
        auto_free char *build = text_format("%s/builds/build-x", matrix->fixture->root);

        free(matrix_make(matrix, "PUT", "/secrets/PLANTED_SHARED",
                         "{\"value\":\"planted-shared-value\",\"environment\":\"main\"}", "name"));
        free(matrix_make(matrix, "PUT", "/secrets/PLANTED_OWN", "{\"value\":\"planted-own-value\"}", "name"));
        plant_file(matrix->fixture->root, "git-credentials", "https://x:planted-git-value@host\n");
        plant_file(build, BUILD_LOG, PLANTED);
        rest_sql(matrix->fixture,
                 "INSERT INTO builds (id, environment, state, is_fresh, created_at, ended_at, end_type, "
                 "message) VALUES ('build-x', 1, 'failed', 0, 1, 2, 'step_failed', '" PLANTED "')");
        matrix->on_task = plant;
}

static void check_planted(struct matrix *matrix, const struct row *row, bool *was_told)
{
        auto_free char *path = matrix_fill(matrix, row->path, ADMINISTRATOR);
        auto_free char *body = row->body ? matrix_fill(matrix, row->body, ADMINISTRATOR) : NULL;
        auto_reply *reply = matrix_call(matrix, row, ADMINISTRATOR, path, body);

        for (size_t i = 0; i < COUNT_OF(planted); i++)
                if (memmem(reply->body, reply->length, planted[i], strlen(planted[i])) ||
                    strstr(reply->head, planted[i]))
                        complain(matrix, "%s %s tells %s: %s\n", row->method ? row->method : "tool", path, planted[i],
                                 reply->body);
        *was_told = strstr(reply->body, "on [redacted]") || strstr(reply->body, "on ****");
}

/* What is not redacted but left out would prove nothing: that the rest of the text came is told by these. */
static const char *const tellers[] = {"/tasks/$TASK",
                                      "/tasks/$TASK/output",
                                      "/tasks/$TASK/files/$FILE",
                                      "/tasks/$TASK/file?path=$FILE",
                                      "/tasks/$TASK/stream",
                                      "get_task",
                                      "get_task_output",
                                      "read_task_file",
                                      "/environments/main/builds/build-x/output"};

static bool is_teller(const struct row *row)
{
        for (size_t i = 0; i < COUNT_OF(tellers); i++)
                if (!strcmp(tellers[i], row->path) && (!row->method || !strcmp(row->method, "GET")))
                        return true;
        return false;
}

static void no_route_stream_or_tool_tells_a_planted_secret(void **state)
{
        struct matrix matrix = matrix_open(*state);

        plant_around(&matrix);
        for (size_t i = 0; i < matrix_row_count; i++) {
                bool was_told;
                check_planted(&matrix, &matrix_rows[i], &was_told);
                if (is_teller(&matrix_rows[i]) && !was_told)
                        complain(&matrix, "%s does not tell the text at all\n", matrix_rows[i].path);
        }
        matrix_close(&matrix);
}

int run_planted_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(no_route_stream_or_tool_tells_a_planted_secret, rest_set_up,
                                                rest_tear_down),
        };

        return cmocka_run_group_tests_name("planted", tests, NULL, NULL);
}
