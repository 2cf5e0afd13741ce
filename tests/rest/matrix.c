/* Every route and every tool, for everybody: one table says who may and who may not. Each row runs with things of its
 * own, so that no row depends on another. */
#include "tests/rest/matrix.h"

#include <ctype.h>

#include "mcp/tool.h"
#include "server/base/document.h"
#include "server/base/id.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/setting.h"
#include "server/services/task_paths.h"
#include "tests/rest/conform.h"
#include "tests/rest/plant_review.h"

/* One letter a role: A allowed, a allowed and changes nothing (a staged task does not run), D denied (403), H hidden or
 * absent (404), R not valid (400), C in conflict with how things are (409). `method` is NULL for a tool. In path and
 * body stand $TASK, $FILE (of the last task), $ENTRY (scheduled for it), $USER, $TEAM, $KEY, $UPLOAD, $BINDING, $GROUP
 * and $VARIANT (of a group) for fresh ones that the administrator made; $PINNED and $PINNEDGROUP are on the list of
 * whoever calls, if they may be seen. What stands for reviews: plant_review.h. */
const struct row matrix_rows[] = {
        {"POST", "/logout", "{}", "----"}, /* sessions.c: a key does not log out */
        {"GET", "/me", NULL, "AAAA"},
        {"PATCH", "/me", "{\"name\":\"$SELF\"}", "AAAA"},
        {"POST", "/me/password", "{\"currentPassword\":\"x\",\"password\":\"new password\"}", "DDDD"},
        /* They have no password here, and nothing is enrolled: totp.c. */
        {"POST", "/me/totp", "{\"password\":\"x\"}", "DDDD"},
        {"POST", "/me/totp/confirm", "{\"code\":\"123456\"}", "CCCC"},
        {"POST", "/me/totp/recovery-codes", "{\"code\":\"123456\"}", "CCCC"},
        {"POST", "/me/totp/remove", "{\"code\":\"123456\"}", "CCCC"},
        {"GET", "/device/codes/BCDF-GHJK", NULL, "DDDD"}, /* a key does not allow another: device.c */
        {"POST", "/device/codes/BCDF-GHJK", "{\"allow\":true}", "DDDD"},
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
        {"DELETE", "/users/$USER", NULL, "ADDD"},
        {"PUT", "/users/$USER/password", "{\"password\":\"another one\"}", "ADDD"},
        {"DELETE", "/users/$USER/totp", NULL, "ADDD"},
        {"GET", "/users/$USER/identities", NULL, "ADDD"},
        {"POST", "/users/$USER/identities", "{\"subject\":\"s-$FRESH\",\"issuer\":\"https://id.example\"}", "ADDD"},
        {"DELETE", "/users/$USER/identities/s?issuer=https://id.example", NULL, "HDDD"},
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
        {"GET", "/mcp-server", NULL, "ADDD"},
        {"PUT", "/settings/IDLE_STOP_MINUTES", "{\"value\":\"31\"}", "ADDD"},
        {"DELETE", "/settings/IDLE_STOP_MINUTES", NULL, "ADDD"},
        {"GET", "/audit?limit=2", NULL, "ADDD"},
        {"GET", "/containers", NULL, "ADDD"},
        {"GET", "/retention?at=2030-01-01T00:00:00Z", NULL, "ADDD"},
        {"GET", "/models", NULL, "AAAA"},
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
        {"PUT", "/tasks/$TASK/pinned", "{\"pinned\":true}", "AAAH"}, /* somebody else's: on one's own list only */
        {"PUT", "/tasks/$PINNED/snooze", "{\"snoozeForMinutes\":5}", "AADH"},
        {"PUT", "/tasks/$VARIANT/winner", "{\"winner\":true}", "AADH"},
        {"PUT", "/tasks/$VARIANT/loser", "{\"loser\":true}", "AADH"},
        {"POST", "/judge-tasks", "{\"groupId\":\"$GROUP\"}", "aaDH"}, /* nothing in it has finished */
        {"POST", "/tasks/$TASK/resubmit", "{}", "RRRH"},              /* it is no judge */
        {"POST", "/tasks/$TASK/apply-winner", "{}", "RRRH"},
        {"GET", "/judge-requests", NULL, "AAAA"},
        {"POST", "/judge-requests/$REQUEST/cancel", "{}", "AHHH"}, /* of the administrator */
        {"GET", "/tasks/$LOOPED/review-loop", NULL, "AAAH"},
        {"POST", "/review-loops/$LOOP/stop", "{}", "AADH"},
        {"POST", "/review-loops/$ENDED/continue", "{}", "AADH"},
        {"GET", "/tasks/$TASK/automatic-reviews", NULL, "AAAH"},
        {"GET", "/task-groups/$GROUP/automatic-reviews", NULL, "AAAH"},
        {"GET", "/task-groups", NULL, "AAAA"},
        {"GET", "/task-groups/$GROUP", NULL, "AAAH"},
        {"PATCH", "/task-groups/$GROUP", "{\"name\":\"other\"}", "AADH"},
        {"PUT", "/task-groups/$PINNEDGROUP/snooze", "{\"until\":null}", "AADH"},
        {"PUT", "/pinned-task-groups", "{\"groupIds\":[\"$GROUP\"],\"pinned\":true}", "AAAH"},
        {"DELETE", "/tasks/$TASK", NULL, "AADH"},
        {"GET", "/tasks/$TASK/output", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/files", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/files/$FILE", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/file?path=$FILE", NULL, "AAAH"},
        {"GET", "/events", NULL, "AAAA"},
        {"GET", "/tasks/$TASK/stream", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/follow-ups", "{\"instructions\":\"more\"}", "AADH"},
        {"POST", "/tasks/$TASK/pull", "{}", "aaDH"}, /* it has no container */
        {"GET", "/tasks/$TASK/tests", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/test-runs", "{\"testName\":\"x\"}", "HHDH"}, /* the environment has none */
        {"GET", "/tasks/$TASK/test-runs/latest?testName=x", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/app-server", NULL, "AAHH"}, /* whoever may not run it learns nothing of it */
        {"GET", "/tasks/$TASK/app-server/logs", NULL, "AAHH"},
        {"POST", "/tasks/$TASK/app-server/start", "{\"expectedStatus\":\"stopped\"}", "CCDH"}, /* it is staged */
        {"POST", "/tasks/$TASK/app-server/stop", "{\"expectedStatus\":\"stopped\"}", "CCDH"},
        {"POST", "/tasks/$TASK/app-server/restart", "{\"expectedStatus\":\"stopped\"}", "CCDH"},
        {"POST", "/tasks/$TASK/app-server/access", "{}", "aaDH"}, /* there is no proxy */
        {"POST", "/tasks/$TASK/fork", "{}", "aaDH"},              /* there is nothing to copy of a staged task */
        {"GET", "/tasks/$TASK/rewind-points", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/rewind", "{\"pointId\":0}", "HHDH"}, /* it has none */
        {"GET", "/tasks/$TASK/changed-files", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/diff?repository=r&filePath=f", NULL, "HHHH"}, /* nothing was saved */
        {"GET", "/tasks/$TASK/review-summary", NULL, "AAAH"},
        {"GET", "/tasks/$TASK/comments", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/comments", "{\"body\":\"Good.\"}", "AADH"},
        {"PATCH", "/tasks/$TASK/comments/comment-x", "{\"body\":\"Better.\"}", "HHDH"},
        {"DELETE", "/tasks/$TASK/comments/comment-x", NULL, "HHDH"},
        {"GET", "/tasks/$TASK/follow-up-queue", NULL, "AAAH"},
        {"POST", "/tasks/$TASK/follow-up-queue/resume", "{}", "AADH"},
        {"PATCH", "/tasks/$TASK/follow-up-queue/$ENTRY", "{\"instructions\":\"other\",\"version\":1}",
         "DDDH"}, /* somebody else sent it */
        {"DELETE", "/tasks/$TASK/follow-up-queue/$ENTRY?version=1", NULL, "AADH"},
        {"POST", "/tasks/$TASK/follow-up-queue/$ENTRY/send", "{\"version\":1}", "AADH"},
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
        {NULL, "pull_task_changes", "{\"taskId\":\"$TASK\"}", "aaDH"},
        {NULL, "fork_task", "{\"taskId\":\"$TASK\"}", "aaDH"},
        {NULL, "list_task_rewind_points", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "list_task_tests", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "run_task_test", "{\"taskId\":\"$TASK\",\"testName\":\"x\"}", "HHDH"},
        {NULL, "get_task_test_run", "{\"taskId\":\"$TASK\",\"testName\":\"x\"}", "AAAH"},
        {NULL, "get_task_app_server_status", "{\"taskId\":\"$TASK\"}", "AAHH"},
        {NULL, "get_task_app_server_logs", "{\"taskId\":\"$TASK\"}", "AAHH"},
        {NULL, "start_task_app_server", "{\"taskId\":\"$TASK\",\"expectedStatus\":\"stopped\"}", "CCDH"},
        {NULL, "stop_task_app_server", "{\"taskId\":\"$TASK\",\"expectedStatus\":\"stopped\"}", "CCDH"},
        {NULL, "restart_task_app_server", "{\"taskId\":\"$TASK\",\"expectedStatus\":\"stopped\"}", "CCDH"},
        {NULL, "list_task_comments", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "list_task_changed_files", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "read_task_diff", "{\"taskId\":\"$TASK\",\"repository\":\"r\",\"filePath\":\"f\"}", "HHHH"},
        {NULL, "get_task_review_summary", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "list_task_follow_up_queue", "{\"taskId\":\"$TASK\"}", "AAAH"},
        {NULL, "resume_task_follow_up_queue", "{\"taskId\":\"$TASK\"}", "AADH"},
        {NULL, "rename_task", "{\"taskId\":\"$TASK\",\"name\":\"other\"}", "AADH"},
        {NULL, "list_task_groups", "{}", "AAAA"},
        {NULL, "get_task_group", "{\"groupId\":\"$GROUP\"}", "AAAH"},
        {NULL, "create_judge_task", "{\"groupId\":\"$GROUP\"}", "aaDH"},
        {NULL, "list_pending_judge_requests", "{}", "AAAA"},
        {NULL, "cancel_pending_judge_request", "{\"pendingRequestId\":\"$REQUEST\"}", "AHHH"},
        {NULL, "rename_group", "{\"groupId\":\"$GROUP\",\"name\":\"other\"}", "AADH"},
        {NULL, "set_task_pinned", "{\"taskId\":\"$TASK\",\"pinned\":true}", "AAAH"},
        {NULL, "set_group_pinned", "{\"groupIds\":[\"$GROUP\"],\"pinned\":true}", "AAAH"},
        {NULL, "set_task_snooze", "{\"taskId\":\"$PINNED\",\"snoozeForMinutes\":5}", "AADH"},
        {NULL, "set_group_snooze", "{\"groupId\":\"$PINNEDGROUP\",\"until\":null}", "AADH"},
        {NULL, "set_task_winner", "{\"taskId\":\"$VARIANT\",\"winner\":true}", "AADH"},
        {NULL, "set_task_loser", "{\"taskId\":\"$VARIANT\",\"loser\":true}", "AADH"},
        {NULL, "stop_task", "{\"taskId\":\"$TASK\"}", "aaDH"},
        {NULL, "interrupt_task", "{\"taskId\":\"$TASK\"}", "aaDH"},
};

const size_t matrix_row_count = COUNT_OF(matrix_rows);
static const char *const role_names[] = {"administrator", "developer", "viewer", "stranger"};

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
char *matrix_make(struct matrix *matrix, const char *method, const char *path, const char *body, const char *member)
{
        return make_as(matrix, matrix->fixture->administrator, method, path, body, member);
}

static char *make(struct matrix *matrix, const char *path, const char *body, const char *member)
{
        return matrix_make(matrix, "POST", path, body, member);
}

/* A file that the last task left. */
static char *write_file(struct matrix *matrix)
{
        auto_free char *folder = task_path_output(matrix->fixture->root, matrix->task);
        auto_free char *path = path_join(folder, "note.txt");
        auto_error error = {0};

        if (!matrix->on_task)
                assert_true(path_make_folder(folder, 0755, &error) && path_write(path, "note", 4, 0644, &error));
        return text_copy("note.txt");
}

/* A task and a variant of it: its member `groupId` or `taskId`. */
static char *variant(struct matrix *matrix, const char *member)
{
        auto_free char *source =
                make(matrix, "/tasks", "{\"environment\":\"main\",\"instructions\":\"x\",\"staged\":true}", "taskId");
        auto_free char *body = text_format("{\"sourceTaskId\":\"%s\",\"staged\":true}", source);

        return make(matrix, "/tasks", body, member);
}

/* What is named is pinned on the role's own list, as far as the role may. */
static char *pinned(struct matrix *matrix, char *named, enum role role, bool is_group)
{
        auto_free char *headers = rest_bearer(matrix->keys[role]);
        auto_free char *path = text_format("/tasks/%s/pinned", named),
                       *body = is_group ? text_format("{\"groupIds\":[\"%s\"],\"pinned\":true}", named)
                                        : text_copy("{\"pinned\":true}");
        auto_reply *reply =
                ask(matrix->fixture->connection, "PUT", is_group ? "/pinned-task-groups" : path, headers, body);

        assert_true(reply->status == 200 || reply->status == 404);
        return named;
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
                if (matrix->on_task)
                        matrix->on_task(matrix);
                return task;
        }
        if (!strcmp(what, "UPLOAD"))
                return make_as(matrix, matrix->keys[ADMINISTRATOR], "POST", "/uploads?filename=b.txt", "bytes",
                               "uploadId");
        if (!strcmp(what, "FILE"))
                return write_file(matrix);
        if (!strcmp(what, "ENTRY")) {
                auto_free char *path = text_format("/tasks/%s/follow-ups", matrix->task);
                return make(matrix, path, "{\"instructions\":\"later\",\"deliverInMinutes\":60}",
                            "scheduledFollowUpId");
        }
        if (!strcmp(what, "GROUP") || !strcmp(what, "VARIANT"))
                return variant(matrix, !strcmp(what, "GROUP") ? "groupId" : "taskId");
        if (!strcmp(what, "PINNED") || !strcmp(what, "PINNEDGROUP"))
                return pinned(matrix, variant(matrix, what[6] ? "groupId" : "taskId"), role, what[6]);
        if (!strcmp(what, "TEAM"))
                return make(matrix, "/teams", team, "name");
        char *review = plant_review(matrix, what);
        if (review)
                return review;
        char *name = make(matrix, "/users", user, "name");
        if (!strcmp(what, "USER"))
                return name;
        auto_free char *of = name;
        auto_free char *key = text_format("{\"name\":\"k\",\"user\":\"%s\"}", of);
        auto_free char *binding = text_format("{\"role\":\"Viewer\",\"everywhere\":true,\"user\":\"%s\"}", of);
        return !strcmp(what, "KEY") ? make(matrix, "/api-keys", key, "id") : make(matrix, "/bindings", binding, "id");
}

/* The text with every $NAME replaced. */
char *matrix_fill(struct matrix *matrix, const char *text, enum role role)
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

struct reply *matrix_call(struct matrix *matrix, const struct row *row, enum role role, const char *path,
                          const char *body)
{
        auto_free char *headers = rest_bearer(matrix->keys[role]);

        const char *first = row->method ? first_of_stream(path) : NULL;
        if (first)
                return rest_open_stream(matrix->fixture, path, first, headers);
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

static void check_row(struct matrix *matrix, const struct row *row, enum role role)
{
        auto_free char *path = matrix_fill(matrix, row->path, role);
        auto_free char *body = row->body ? matrix_fill(matrix, row->body, role) : NULL;
        int64_t before = audit_count(matrix);
        auto_reply *reply = matrix_call(matrix, row, role, path, body);
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

struct matrix matrix_open(struct rest_fixture *fixture)
{
        struct matrix matrix = {.fixture = fixture};

        rest_environment(fixture, "main");
        free(matrix_make(&matrix, "PUT", "/settings/MCP_SERVER_ENABLED", "{\"value\":\"true\"}", "name"));
        matrix.keys[ADMINISTRATOR] = rest_key(fixture, "administrator", "Server Admin");
        matrix.keys[DEVELOPER] = rest_key_in(fixture, "developer", "Developer", "main");
        matrix.keys[VIEWER] = rest_key_in(fixture, "viewer", "Viewer", "main");
        matrix.keys[STRANGER] = rest_key(fixture, "stranger", NULL);
        return matrix;
}

void matrix_close(struct matrix *matrix)
{
        free(matrix_make(matrix, "DELETE", "/settings/MCP_SERVER_ENABLED", NULL, "name"));
        for (int role = 0; role < ROLE_COUNT; role++)
                free(matrix->keys[role]);
        assert_int_equal(matrix->faults, 0);
}

static void every_route_and_tool_answers_everybody_as_the_table_says(void **state)
{
        struct matrix matrix = matrix_open(*state);

        for (size_t i = 0; i < matrix_row_count; i++)
                for (int role = ROLE_COUNT - 1; role >= 0; role--)
                        check_row(&matrix, &matrix_rows[i], (enum role)role);
        matrix_close(&matrix);
}

static void the_table_has_every_route_and_every_tool(void **state)
{
        (void)state;
        for (size_t route = 0; route < route_count; route++) {
                bool is_there = routes[route].access != HTTP_ACCESS_SESSION;
                for (size_t i = 0; i < matrix_row_count && !is_there; i++)
                        is_there = matrix_rows[i].method &&
                                   conform_route(matrix_rows[i].method, matrix_rows[i].path) == route;
                if (!is_there)
                        fail_msg("the table has no row for %s %s", routes[route].method, routes[route].path);
        }
        for (size_t tool = 0; tool < mcp_tool_count; tool++) {
                bool is_there = false;
                for (size_t i = 0; i < matrix_row_count && !is_there; i++)
                        is_there = !matrix_rows[i].method && !strcmp(matrix_rows[i].path, mcp_tools[tool]->name);
                if (!is_there)
                        fail_msg("the table has no row for the tool %s", mcp_tools[tool]->name);
        }
}

int run_matrix_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_table_has_every_route_and_every_tool),
                cmocka_unit_test_setup_teardown(every_route_and_tool_answers_everybody_as_the_table_says, rest_set_up,
                                                rest_tear_down),
        };

        return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
