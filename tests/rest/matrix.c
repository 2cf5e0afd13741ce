/* Every route and every tool, for everybody: one table says who may and who may not. Each row runs with things of its
 * own, so that no row depends on another. */
#include "tests/rest/fixture.h"

#include <ctype.h>

#include "mcp/tool.h"
#include "server/base/document.h"
#include "server/base/id.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/build_view.h"
#include "server/services/setting.h"
#include "server/services/task_paths.h"
#include "tests/rest/conform.h"

/* Who calls: a server administrator; a Developer and a Viewer in the environment main; somebody without a role. */
enum role { ADMINISTRATOR, DEVELOPER, VIEWER, STRANGER, ROLE_COUNT };
static const char *const role_names[] = {"administrator", "developer", "viewer", "stranger"};

/* One letter a role: A allowed, a allowed and changes nothing (a staged task does not run), D denied (403), H hidden or
 * absent (404), R not valid (400), C in conflict with how things are (409). `method` is NULL for a tool. In path and
 * body stand $TASK, $FILE (of the last task), $USER, $TEAM, $KEY, $UPLOAD and $BINDING for fresh ones that the
 * administrator made. */
static const struct row {
        const char *method, *path, *body, *expected;
} rows[] = {
        {"POST", "/logout", "{}", "----"}, /* sessions.c: a key does not log out */
        {"GET", "/me", NULL, "AAAA"},
        {"PATCH", "/me", "{\"name\":\"$SELF\"}", "AAAA"},
        {"POST", "/me/password", "{\"currentPassword\":\"x\",\"password\":\"new password\"}", "DDDD"},
        /* They have no password here, and nothing is enrolled: totp.c. */
        {"POST", "/me/totp", "{\"password\":\"x\"}", "DDDD"},
        {"POST", "/me/totp/confirm", "{\"code\":\"123456\"}", "CCCC"},
        {"POST", "/me/totp/recovery-codes", "{\"code\":\"123456\"}", "CCCC"},
        {"POST", "/me/totp/remove", "{\"code\":\"123456\"}", "CCCC"},
        {"GET", "/api-keys", NULL, "AAAA"},
        {"GET", "/api-keys?user=$USER", NULL, "ADDD"},
        {"POST", "/api-keys", "{\"name\":\"mine\"}", "AAAA"},
        {"POST", "/api-keys", "{\"name\":\"theirs\",\"user\":\"$USER\"}", "ADDD"},
        {"DELETE", "/api-keys/$KEY", NULL, "ADDD"},
        {"GET", "/api/mcp-oauth/grants", NULL, "AAAA"},
        {"DELETE", "/api/mcp-oauth/grants/client-x", NULL, "HHHH"},
        {"DELETE", "/api/mcp-oauth/grants", NULL, "AAAA"},
        {"GET", "/users", NULL, "ADDD"},
        {"POST", "/users", "{\"name\":\"new-$FRESH\",\"role\":\"Viewer\",\"environment\":\"main\"}", "ADDD"},
        {"POST", "/users/$USER/disable", "{}", "ADDD"},
        {"POST", "/users/$USER/enable", "{}", "ADDD"},
        {"PUT", "/users/$USER/password", "{\"password\":\"another one\"}", "ADDD"},
        {"DELETE", "/users/$USER/totp", NULL, "ADDD"},
        {"GET", "/teams", NULL, "ADDD"},
        {"POST", "/teams", "{\"name\":\"team-$FRESH\"}", "ADDD"},
        {"POST", "/teams/$TEAM/members", "{\"user\":\"$USER\"}", "ADDD"},
        {"DELETE", "/teams/$TEAM/members/$USER", NULL, "ADDD"},
        {"GET", "/roles", NULL, "AAAA"},
        {"GET", "/bindings", NULL, "ADDD"},
        {"POST", "/bindings", "{\"user\":\"$USER\",\"role\":\"Viewer\",\"environment\":\"main\"}", "ADDD"},
        {"DELETE", "/bindings/$BINDING", NULL, "ADDD"},
        {"GET", "/access/explain?user=$USER&permission=tasks:view&environment=main", NULL, "ADDD"},
        {"GET", "/access/explain?user=$SELF&permission=tasks:view", NULL, "AAAA"},
        {"GET", "/environments", NULL, "AAAA"},
        {"GET", "/environments/main", NULL, "AAAH"},
        {"GET", "/environments/main/templates", NULL, "AAAH"},
        {"GET", "/environments/main/builds", NULL, "AAAH"},
        {"POST", "/environments/main/builds", "{}", "aDDH"}, /* it has nothing to build */
        {"GET", "/environments/main/builds/build-x", NULL, "HHHH"},
        {"GET", "/environments/main/builds/build-x/output", NULL, "HHHH"},
        {"POST", "/environments/main/builds/build-x/cancel", "{}", "HHHH"},
        {"GET", "/settings", NULL, "ADDD"},
        {"PUT", "/settings/IDLE_STOP_MINUTES", "{\"value\":\"31\"}", "ADDD"},
        {"DELETE", "/settings/IDLE_STOP_MINUTES", NULL, "ADDD"},
        {"GET", "/audit?limit=2", NULL, "ADDD"},
        {"GET", "/containers", NULL, "ADDD"},
        {"GET", "/retention?at=2030-01-01T00:00:00Z", NULL, "ADDD"},
        {"GET", "/spending", NULL, "AAAA"},
        {"GET", "/secrets", NULL, "AAAA"},
        {"GET", "/secrets?environment=main", NULL, "ADDH"},
        {"PUT", "/secrets/OWN", "{\"value\":\"a secret value\"}", "AAAA"},
        {"PUT", "/secrets/SHARED", "{\"value\":\"a secret value\",\"environment\":\"main\"}", "ADDH"},
        {"DELETE", "/secrets/OWN", NULL, "AAAA"},
        {"GET", "/accounts", NULL, "AAAA"},
        {"PUT", "/accounts/shell", "{\"variable\":\"ANTHROPIC_API_KEY\",\"value\":\"a secret value\"}", "RDDD"},
        {"DELETE", "/accounts/shell", NULL, "HDDD"},
        {"POST", "/uploads?filename=a.txt", "some bytes", "AADD"},
        {"GET", "/uploads", NULL, "AAAA"},
        {"DELETE", "/uploads/$UPLOAD", NULL, "AHHH"}, /* of the administrator */
        {"GET", "/tasks", NULL, "AAAA"},
        {"POST", "/tasks", "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}", "AADH"},
        {"GET", "/tasks/$TASK", NULL, "AAAH"},
        {"PATCH", "/tasks/$TASK", "{\"name\":\"other\"}", "AADH"},
        {"DELETE", "/tasks/$TASK", NULL, "AADH"},
        {"GET", "/tasks/$TASK/output", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/files", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/files/$FILE", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/file?path=$FILE", NULL, "AAAH"},
        {"GET", "/events", NULL, "AAAA"},
        {"GET", "/tasks/$TASK/stream", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/follow-ups", "{\"instructions\":\"more\"}", "AADH"},
        {"POST", "/tasks/$TASK/stop", "{}", "aaDH"},
        {"POST", "/tasks/$TASK/interrupt", "{}", "aaDH"},
        {"POST", "/tasks/$TASK/start", "{}", "AADH"},
        {"PUT", "/tasks/$TASK/shared", "{\"shared\":true}", "AADH"},
        {NULL, "list_environments", "{}", "AAAA"},
        {NULL, "list_templates", "{\"environment\":\"main\"}", "AAAH"},
        {NULL, "create_task", "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}", "AADH"},
        {NULL, "get_task", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "get_task_output", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "read_task_file", "{\"taskId\":\"$TASK\",\"path\":\"$FILE\"}", "AAAH"},
        {NULL, "list_tasks", "{}", "AAAA"},
        {NULL, "follow_up_task", "{\"taskId\":\"$TASK\",\"instructions\":\"more\"}", "AADH"},
        {NULL, "rename_task", "{\"taskId\":\"$TASK\",\"name\":\"other\"}", "AADH"},
        {NULL, "stop_task", "{\"taskId\":\"$TASK\"}", "aaDH"},
        {NULL, "interrupt_task", "{\"taskId\":\"$TASK\"}", "aaDH"},
};

struct matrix {
        struct rest_fixture *fixture;
        char *keys[ROLE_COUNT];
        int fresh, faults;
        char task[ID_SIZE]; /* the last one that was made */
        bool is_planting;   /* whatever is made holds secrets wherever somebody could have put them */
};

/* A request that must succeed; the member of its answer, on the heap. */
static char *make_as(struct matrix *matrix, const char *key, const char *method, const char *path, const char *body,
                     const char *member)
{
        auto_free char *headers = rest_bearer(key);
        auto_reply *reply = ask(matrix->fixture->connection, method, path, headers, body);
        auto_error error = {0};
        auto_json *made = document_parse(reply->body, reply->length, &error);
        const char *value = document_get_string(made, member);

        if (!value)
                fail_msg("%s %s answered %d: %s", method, path, reply->status, reply->body);
        return text_copy(value);
}

/* By an administrator. */
static char *make_with(struct matrix *matrix, const char *method, const char *path, const char *body,
                       const char *member)
{
        return make_as(matrix, matrix->fixture->administrator, method, path, body, member);
}

static char *make(struct matrix *matrix, const char *path, const char *body, const char *member)
{
        return make_with(matrix, "POST", path, body, member);
}

/* A file that the last task left. */
static char *write_file(struct matrix *matrix)
{
        auto_free char *folder = task_path_output(matrix->fixture->root, matrix->task);
        auto_free char *path = path_join(folder, "note.txt");
        auto_error error = {0};

        if (!matrix->is_planting)
                assert_true(path_make_folder(folder, 0755, &error) && path_write(path, "note", 4, 0644, &error));
        return text_copy("note.txt");
}

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

static char *fresh(struct matrix *matrix, const char *what, enum role role)
{
        auto_free char *user = text_format("{\"name\":\"user-%d\"}", ++matrix->fresh);
        auto_free char *team = text_format("{\"name\":\"team-%d\"}", matrix->fresh);

        if (!strcmp(what, "SELF"))
                return text_copy(role_names[role]);
        if (!strcmp(what, "FRESH"))
                return text_format("%d", matrix->fresh);
        if (!strcmp(what, "TASK")) {
                char *task = make(matrix, "/tasks", "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}",
                                  "taskId");
                snprintf(matrix->task, sizeof matrix->task, "%s", task);
                if (matrix->is_planting)
                        plant(matrix);
                return task;
        }
        if (!strcmp(what, "UPLOAD"))
                return make_as(matrix, matrix->keys[ADMINISTRATOR], "POST", "/uploads?filename=b.txt", "bytes",
                               "uploadId");
        if (!strcmp(what, "FILE"))
                return write_file(matrix);
        if (!strcmp(what, "TEAM"))
                return make(matrix, "/teams", team, "name");
        char *name = make(matrix, "/users", user, "name");
        if (!strcmp(what, "USER"))
                return name;
        auto_free char *of = name;
        auto_free char *key = text_format("{\"name\":\"k\",\"user\":\"%s\"}", of);
        auto_free char *binding = text_format("{\"role\":\"Viewer\",\"everywhere\":true,\"user\":\"%s\"}", of);
        return !strcmp(what, "KEY") ? make(matrix, "/api-keys", key, "id") : make(matrix, "/bindings", binding, "id");
}

/* The text with every $NAME replaced. */
static char *filled(struct matrix *matrix, const char *text, enum role role)
{
        auto_text out = TEXT_WITH_MAXIMUM(10000);

        while (*text) {
                size_t plain = strcspn(text, "$"), length = 0;
                text_append(&out, text, plain);
                text += plain;
                if (!*text)
                        break;
                while (isupper((unsigned char)text[1 + length]))
                        length++;
                auto_free char *what = text_format("%.*s", (int)length, text + 1);
                auto_free char *value = fresh(matrix, what, role);
                text_append_string(&out, value);
                text += 1 + length;
        }
        return text_take(&out);
}

/* How many entries there have ever been: none goes, and a cursor is the number of an entry. */
static int64_t audit_count(struct matrix *matrix)
{
        auto_error error = {0};
        struct store_db *reader = store_reader_open(matrix->fixture->services.store, &error);
        struct call call = {.services = &matrix->fixture->services, .db = reader, .actor = &actor_local};
        auto_json *result = NULL;

        assert_true(audit_list(&call, &(struct audit_list_input){.limit = 1}, &result, &error));
        store_reader_close(reader);
        return strtoll(document_get_string(result, "nextCursor"), NULL, 10);
}

/* The status that a tool's refusal has as a REST answer; 200 for a result. */
static int tool_status(const struct reply *reply)
{
        auto_error error = {0};
        auto_json *answer = document_parse(reply->body, reply->length, &error);
        const json_t *result = json_object_get(answer, "result");

        if (reply->status != 200 || !result)
                return reply->status == 200 ? 500 : reply->status;
        if (!json_is_true(json_object_get(result, "isError")))
                return 200;
        const char *text = document_get_string(json_array_get(json_object_get(result, "content"), 0), "text");
        auto_json *refusal = document_parse(text, strlen(text), &error);
        for (int code = 1; code < ERROR_COUNT; code++)
                if (refusal && !strcmp(error_kind((enum error_code)code)->code, document_get_string(refusal, "error")))
                        return error_kind((enum error_code)code)->status;
        return 400;
}

/* Neither of them ends by itself; a task's begins with its events and tells its state after them. */
static const char *first_of_stream(const char *path)
{
        size_t length = strlen(path), suffix = strlen("/stream");

        if (!strcmp(path, "/events"))
                return "event: ready";
        return length > suffix && !strcmp(path + length - suffix, "/stream") ? "event: state" : NULL;
}

/* What a stream begins with, on a connection of its own; `headers` are the request's. */
static struct reply *open_stream(struct matrix *matrix, const char *path, const char *first, const char *headers)
{
        struct connection *connection = connection_open(matrix->fixture->server);
        auto_free char *request = text_format("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", path, headers);
        struct reply *reply;

        connection_send(connection, request);
        connection_await(connection, "\r\n\r\n");
        if (!strncmp(connection->bytes, "HTTP/1.1 200", 12)) {
                size_t at = connection_await(connection, first);
                while (!strstr(connection->bytes + at, "\n\n"))
                        connection_await_more(connection);
                reply = memory_new(sizeof *reply + connection->used + 1);
                reply->status = 200;
                reply->length = connection->used;
                memcpy(reply->body, connection->bytes, connection->used);
        } else {
                reply = connection_read(connection, true);
        }
        connection_close(connection);
        return reply;
}

static struct reply *call_row(struct matrix *matrix, const struct row *row, enum role role, const char *path,
                              const char *body)
{
        auto_free char *headers = rest_bearer(matrix->keys[role]);

        const char *first = row->method ? first_of_stream(path) : NULL;
        if (first)
                return open_stream(matrix, path, first, headers);
        if (row->method)
                return ask(matrix->fixture->connection, row->method, path, headers, body);
        auto_free char *message = text_format("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                                              "\"name\":\"%s\",\"arguments\":%s}}",
                                              path, body);
        return ask(matrix->fixture->connection, "POST", "/mcp", headers, message);
}

static bool is_as_said(char letter, int status)
{
        switch (letter) {
        case 'A':
        case 'a':
                return status != 400 && status != 401 && status != 403 && status != 404 && status != 500;
        case 'D':
                return status == 403;
        case 'H':
                return status == 404;
        case 'R':
                return status == 400;
        case 'C':
                return status == 409;
        default:
                return true;
        }
}

/* Whether the row only looks. */
static bool is_read(const struct row *row)
{
        if (row->method)
                return !strcmp(row->method, "GET");
        return tool_find(row->path)->mode == TOOL_READS;
}

/* All that is wrong is told, not only the first. */
#define complain(matrix, ...)                                                                                          \
        do {                                                                                                           \
                print_error(__VA_ARGS__);                                                                              \
                (matrix)->faults++;                                                                                    \
        } while (0)

static void check_row(struct matrix *matrix, const struct row *row, enum role role)
{
        auto_free char *path = filled(matrix, row->path, role);
        auto_free char *body = row->body ? filled(matrix, row->body, role) : NULL;
        int64_t before = audit_count(matrix);
        auto_reply *reply = call_row(matrix, row, role, path, body);
        int status = row->method ? reply->status : tool_status(reply);

        if (!is_as_said(row->expected[role], status))
                complain(matrix, "%s %s answered the %s %d instead of %c: %s\n", row->method ? row->method : "tool",
                         path, role_names[role], status, row->expected[role], reply->body);
        int64_t wanted = status < 300 && !is_read(row) && row->expected[role] != 'a' ? 1 : 0,
                written = audit_count(matrix) - before;
        if (written != wanted)
                complain(matrix, "%s %s of the %s left %d audit rows instead of %d\n",
                         row->method ? row->method : "tool", path, role_names[role], (int)written, (int)wanted);
        if (row->method && status < 300 && route_operation(conform_route(row->method, path)))
                conform_reply(row->method, path, reply);
}

static struct matrix open_matrix(struct rest_fixture *fixture)
{
        struct matrix matrix = {.fixture = fixture};

        rest_environment(fixture, "main");
        free(make_with(&matrix, "PUT", "/settings/MCP_SERVER_ENABLED", "{\"value\":\"true\"}", "name"));
        matrix.keys[ADMINISTRATOR] = rest_key(fixture, "administrator", "Server Admin");
        matrix.keys[DEVELOPER] = rest_key_in(fixture, "developer", "Developer", "main");
        matrix.keys[VIEWER] = rest_key_in(fixture, "viewer", "Viewer", "main");
        matrix.keys[STRANGER] = rest_key(fixture, "stranger", NULL);
        return matrix;
}

static void close_matrix(struct matrix *matrix)
{
        free(make_with(matrix, "DELETE", "/settings/MCP_SERVER_ENABLED", NULL, "name"));
        for (int role = 0; role < ROLE_COUNT; role++)
                free(matrix->keys[role]);
        assert_int_equal(matrix->faults, 0);
}

static void every_route_and_tool_answers_everybody_as_the_table_says(void **state)
{
        struct matrix matrix = open_matrix(*state);

        for (size_t i = 0; i < COUNT_OF(rows); i++)
                for (int role = ROLE_COUNT - 1; role >= 0; role--)
                        check_row(&matrix, &rows[i], (enum role)role);
        close_matrix(&matrix);
}

/* Secrets that are set, and an image's build that printed them. */
static void plant_around(struct matrix *matrix)
{
        auto_free char *build = text_format("%s/builds/build-x", matrix->fixture->root);

        free(make_with(matrix, "PUT", "/secrets/PLANTED_SHARED",
                       "{\"value\":\"planted-shared-value\",\"environment\":\"main\"}", "name"));
        free(make_with(matrix, "PUT", "/secrets/PLANTED_OWN", "{\"value\":\"planted-own-value\"}", "name"));
        plant_file(matrix->fixture->root, "git-credentials", "https://x:planted-git-value@host\n");
        plant_file(build, BUILD_LOG, PLANTED);
        rest_sql(matrix->fixture,
                 "INSERT INTO builds (id, environment, state, is_fresh, created_at, ended_at, end_type, "
                 "message) VALUES ('build-x', 1, 'failed', 0, 1, 2, 'step_failed', '" PLANTED "')");
        matrix->is_planting = true;
}

static void check_planted(struct matrix *matrix, const struct row *row, bool *was_told)
{
        auto_free char *path = filled(matrix, row->path, ADMINISTRATOR);
        auto_free char *body = row->body ? filled(matrix, row->body, ADMINISTRATOR) : NULL;
        auto_reply *reply = call_row(matrix, row, ADMINISTRATOR, path, body);

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
        struct matrix matrix = open_matrix(*state);

        plant_around(&matrix);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
                bool was_told;
                check_planted(&matrix, &rows[i], &was_told);
                if (is_teller(&rows[i]) && !was_told)
                        complain(&matrix, "%s does not tell the text at all\n", rows[i].path);
        }
        close_matrix(&matrix);
}

static void the_table_has_every_route_and_every_tool(void **state)
{
        (void)state;
        for (size_t route = 0; route < route_count; route++) {
                bool is_there = routes[route].access != HTTP_ACCESS_SESSION;
                for (size_t i = 0; i < COUNT_OF(rows) && !is_there; i++)
                        is_there = rows[i].method && conform_route(rows[i].method, rows[i].path) == route;
                if (!is_there)
                        fail_msg("the table has no row for %s %s", routes[route].method, routes[route].path);
        }
        for (size_t tool = 0; tool < mcp_tool_count; tool++) {
                bool is_there = false;
                for (size_t i = 0; i < COUNT_OF(rows) && !is_there; i++)
                        is_there = !rows[i].method && !strcmp(rows[i].path, mcp_tools[tool]->name);
                if (!is_there)
                        fail_msg("the table has no row for the tool %s", mcp_tools[tool]->name);
        }
}

int run_matrix_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_table_has_every_route_and_every_tool),
                cmocka_unit_test_setup_teardown(no_route_stream_or_tool_tells_a_planted_secret, rest_set_up,
                                                rest_tear_down),
                cmocka_unit_test_setup_teardown(every_route_and_tool_answers_everybody_as_the_table_says, rest_set_up,
                                                rest_tear_down),
        };

        return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
