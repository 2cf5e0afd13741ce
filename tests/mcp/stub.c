#include "tests/mcp/stub.h"

#include <string.h>

#include "server/base/document.h"
#include "server/services/environment.h"
#include "server/services/follow_up.h"
#include "server/services/fork.h"
#include "server/services/model.h"
#include "server/services/progress.h"
#include "server/services/pull.h"
#include "server/services/rewind.h"
#include "server/services/task.h"
#include "server/services/template.h"

struct stub stub;

const char *const task_statuses[] = {"staged", "queued", "running", "completed", "failed", "interrupted", NULL};

void stub_reset(void)
{
        stub.settings = (struct settings){
                .host = "127.0.0.1",
                .mcp_server_enabled = true,
                .body_maximum_kilobytes = 1024,
                .attachment_body_megabytes = 3,
        };
        stub.changes = 0;
        stub.permissions = UINT64_MAX;
        stub.toolsets = 0;
        stub.credential = CREDENTIAL_API_KEY;
        stub.is_revoked = stub.revokes = stub.disables = false;
        stub.runs = stub.prepared = stub.kept = 0;
        json_decref(stub.result);
        stub.result = NULL;
}

const struct settings *settings_current(void)
{
        return &stub.settings;
}

bool access_authenticate_key(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        (void)db;
        if (strcmp(token, STUB_TOKEN) || stub.is_revoked)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        *actor = (struct actor){
                .user = 1, .generation = stub.generation, .credential = stub.credential, .toolsets = stub.toolsets};
        strcpy(actor->user_name, "ada");
        return true;
}

bool access_authenticate_oauth(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        (void)db, (void)token, (void)actor;
        return error_set(error, ERROR_UNAUTHENTICATED, NULL);
}

bool access_authenticate_session(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        return access_authenticate_key(db, token, actor, error);
}

bool access_allows_somewhere(const struct actor *actor, uint64_t permissions)
{
        (void)actor;
        return stub.permissions & permissions;
}

bool access_is_current(struct store_db *db, const struct actor *actor)
{
        (void)db;
        return actor->generation == stub.generation && !stub.is_revoked;
}

/* What may happen to access while a read is in progress. */
static void run_read(void)
{
        stub.runs++;
        if (stub.changes > 0) {
                stub.changes--;
                stub.generation++;
        }
        if (stub.revokes)
                stub.is_revoked = true;
        if (stub.disables)
                stub.settings.mcp_server_enabled = false;
}

bool environment_list(struct call *call, json_t **result, struct error *error)
{
        (void)call, (void)error;
        run_read();
        *result = json_pack("{s:[{s:s, s:s, s:b}, {s:s, s:s, s:b}, {s:s, s:s, s:b}]}", "environments", "name", "main",
                            "status", "active", "canCreateTasks", 1, "name", "old", "status", "disabled",
                            "canCreateTasks", 1, "name", "theirs", "status", "active", "canCreateTasks", 0);
        return true;
}

/* The task "code N" is refused with that code. */
static bool is_refused(const char *task_id, struct error *error)
{
        int code;

        if (sscanf(task_id, "code %d", &code) != 1)
                return false;
        error_set_details(error, (enum error_code)code, json_string("a secret detail"), "a secret reason");
        return true;
}

bool task_get(struct call *call, const struct task_get_input *input, json_t **result, struct error *error)
{
        run_read();
        if (is_refused(input->taskId, error))
                return false;
        if (!strcmp(input->taskId, "missing"))
                return error_set_details(error, ERROR_TASK_NOT_FOUND, json_string("a secret detail"),
                                         "a secret reason");
        if (!strcmp(input->taskId, "broken"))
                return error_set(error, ERROR_STORE_FAILED, "a secret reason");
        *result = stub.result ? json_incref(stub.result)
                              : json_pack("{s:s, s:s, s:I, s:s, s:i}", "taskId", input->taskId, "status", "running",
                                          "latestResponseMaxChars", (json_int_t)input->latestResponseMaxChars, "source",
                                          call->source, "run", (int)stub.runs);
        return true;
}

bool task_output(struct call *call, const struct task_output_input *input, json_t **result, struct error *error)
{
        (void)call;
        run_read();
        if (is_refused(input->taskId, error))
                return false;
        *result = json_pack("{s:i, s:[{s:s, s:i, s:s}]}", "sections", (int)input->include.count, "files", "path",
                            "a b/\xc3\xa9.md", "size", 3, "modifiedAt", "2026-01-31T12:00:00.000Z");
        return true;
}

bool task_file_read(struct call *call, const struct task_file_input *input, json_t **result, struct error *error)
{
        (void)call;
        run_read();
        if (is_refused(input->taskId, error))
                return false;
        snprintf(stub.path, sizeof stub.path, "%s", input->path);
        stub.offset = input->offset;
        stub.maximum = input->maxBytes;
        *result = stub.result ? json_incref(stub.result) : json_object();
        return true;
}

bool task_list(struct call *call, const struct task_list_input *input, json_t **result, struct error *error)
{
        (void)call;
        run_read();
        if (input->cursor)
                return error_set(error, ERROR_INVALID_CURSOR, NULL);
        auto_free char *gone = text_format("code %d", ERROR_TASK_NOT_FOUND);
        *result = json_pack("{s:[{s:s, s:s}, {s:s}], s:I, s:s}", "tasks", "taskId", "t", "name", "Fix it", "taskId",
                            gone, "limit", (json_int_t)input->limit, "nextCursor", "more");
        return true;
}

bool task_create(struct call *call, const struct task_create_input *input, json_t **result, struct error *error)
{
        stub.runs++;
        if (!input->instructions)
                return error_set_details(error, ERROR_CONFLICT, json_pack("{s:s}", "why", "because"), "a plain reason");
        *result = json_pack("{s:s, s:s, s:i, s:s}", "taskId", "t", "status", "running", "chars",
                            (int)utf8_count(input->instructions, strlen(input->instructions)), "user",
                            call->actor->user_name);
        return true;
}

bool task_follow_up(struct call *call, const struct task_follow_up_input *input, json_t **result, struct error *error)
{
        (void)call, (void)result;
        stub.runs++;
        if (is_refused(input->taskId, error))
                return false;
        if (!strcmp(input->taskId, "crash"))
                return error_set(error, ERROR_INTERNAL, "a secret reason");
        return error_set(error, ERROR_TASK_BUSY, NULL);
}

bool task_pull(struct call *call, const struct task_pull_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        stub.runs++;
        *result = json_pack("{s:s, s:b, s:[]}", "taskId", input->taskId, "success", true, "repos");
        return true;
}

bool task_fork(struct call *call, const struct task_fork_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        stub.runs++;
        *result = json_pack("{s:s, s:s, s:s}", "taskId", "copy", "status", "completed", "sourceTaskId", input->taskId);
        return true;
}

bool rewind_list(struct call *call, const struct rewind_list_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        run_read();
        *result = json_pack("{s:s, s:s, s:[]}", "taskId", input->taskId, "status", "empty", "points");
        return true;
}

bool queue_list(struct call *call, const struct queue_list_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        run_read();
        *result = json_pack("{s:s, s:s, s:b, s:[]}", "taskId", input->taskId, "status", "empty", "paused", false,
                            "entries");
        return true;
}

bool queue_resume(struct call *call, const struct queue_resume_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        stub.runs++;
        *result = json_pack("{s:s, s:s, s:b}", "taskId", input->taskId, "status", "running", "resumed", true);
        return true;
}

bool task_stop(struct call *call, const struct task_stop_input *input, json_t **result, struct error *error)
{
        (void)error;
        stub.runs++;
        if (!strcmp(input->taskId, "gated")) {
                call_report(call, 1, 2, "Half of it \"is\" done");
                sem_post(&stub.entered);
                sem_wait(&stub.gate);
                call_report(call, 1, 2, "Again");
                call_report(call, 2, 0, NULL);
                stub.is_cancelled = call_is_cancelled(call);
                sem_post(&stub.left);
        }
        *result = json_pack("{s:s, s:s, s:b}", "taskId", input->taskId, "status", "interrupted", "hasReader",
                            call->db != NULL);
        return true;
}

bool task_interrupt(struct call *call, const struct task_interrupt_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        stub.runs++;
        *result = json_pack("{s:s, s:s}", "taskId", input->taskId, "queue", input->queue ? input->queue : "none");
        return true;
}

const char *const model_speeds[] = {"standard", "fast", "ultrafast", NULL};

static const struct field attachment_rows[] = {
        STRING_FIELD(struct attachment_input, filename, .is_required = true, .help = "Name."),
        STRING_FIELD(struct attachment_input, content, .is_required = true, .help = "The file."),
};
const struct field_table attachment_table = FIELD_TABLE(struct attachment_input, attachment_rows);

static const struct field handoff_rows[] = {
        STRING_FIELD(struct handoff_input, summary, .is_required = true, .help = "What was done."),
};
const struct field_table handoff_table = FIELD_TABLE(struct handoff_input, handoff_rows);

bool template_list(struct call *call, const struct template_list_input *input, json_t **result, struct error *error)
{
        (void)call, (void)input, (void)error;
        run_read();
        *result = json_pack("{s:s, s:[]}", "environment", "main", "templates");
        return true;
}

bool task_rename(struct call *call, const struct task_rename_input *input, json_t **result, struct error *error)
{
        (void)call, (void)error;
        *result = json_pack("{s:[s]}", "renamedTaskIds", input->taskId);
        return true;
}

bool task_create_is_prepared_first(const struct task_create_input *input)
{
        return input->attachments.count > 0;
}

bool task_create_prepare(struct call *call, struct task_create_input *input, struct error *error)
{
        const struct attachment_input *first = input->attachments.items;

        (void)call;
        if (!strcmp(first->filename, "bad"))
                return error_set(error, ERROR_ATTACHMENT_INVALID, NULL);
        input->prepared = memory_new(sizeof *input->prepared);
        stub.prepared++;
        return true;
}

bool task_follow_up_is_prepared_first(const struct task_follow_up_input *input)
{
        return input->attachments.count > 0;
}

bool task_follow_up_prepare(struct call *call, struct task_follow_up_input *input, struct error *error)
{
        (void)call, (void)input, (void)error;
        return true;
}

void task_prepared_free(const struct services *services, struct task_prepared *prepared, bool is_done)
{
        (void)services;
        if (prepared && is_done)
                stub.kept++;
        free(prepared);
}
