#include <string.h>

#include "server/base/document.h"
#include "server/services/changes_files.h"
#include "server/services/changes_parts.h"
#include "server/services/changes_view.h"
#include "server/services/environment.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_view.h"

#define REPOSITORIES_MAXIMUM 10
#define REPOSITORY_FILES_MAXIMUM 50
#define FILES_MAXIMUM 150

struct review {
        struct call *call;
        const struct store_task *task;
        const struct redactor *redactor;
        const struct environment *environment; /* NULL: it is gone */
        json_t *chosen;                        /* branches of the task */
        json_t *repositories, *fingerprints;
        int64_t repositories_omitted, repositories_unnamed, files_omitted;
        size_t files;
        bool may_approve;
};

/* What is in the way of an approval: a fixed word, its sentence, and whether it is so now. */
struct obstacle {
        const char *code, *explanation;
        bool (*is_there)(const struct review *review, const struct store_saved_changes *changes);
};

static bool is_at_work(const struct review *review, const struct store_saved_changes *changes)
{
        (void)changes;
        return !strcmp(review->task->status, "running") || !strcmp(review->task->status, "queued");
}

static bool is_staged(const struct review *review, const struct store_saved_changes *changes)
{
        (void)changes;
        return !strcmp(review->task->status, "staged");
}

static bool is_judge(const struct review *review, const struct store_saved_changes *changes)
{
        (void)changes;
        return review->task->is_judge;
}

static bool is_decided(const struct review *review, const struct store_saved_changes *changes)
{
        (void)changes;
        return review->task->approved_by;
}

static bool is_unchanged(const struct review *review, const struct store_saved_changes *changes)
{
        (void)review;
        for (size_t i = 0; i < changes->count; i++)
                if (changes_is_any(&changes->items[i]))
                        return false;
        return true;
}

static bool is_unknown(const struct review *review, const struct store_saved_changes *changes)
{
        (void)review;
        for (size_t i = 0; i < changes->count; i++)
                if (changes_is_incomplete(&changes->items[i]) || changes->items[i].left_out)
                        return true;
        return false;
}

static bool is_forbidden(const struct review *review, const struct store_saved_changes *changes)
{
        (void)changes;
        return !review->may_approve;
}

static bool is_not_offered(const struct review *review, const struct store_saved_changes *changes)
{
        (void)review;
        (void)changes;
        return true;
}

static const struct obstacle obstacles[] = {
        {"permission_denied", "You may not approve this task.", is_forbidden},
        {"task_busy", "The task is running or waits to run.", is_at_work},
        {"task_staged", "The task has not been started.", is_staged},
        {"judge_task", "Judge and review tasks are not approved.", is_judge},
        {"already_approved", "The task has been approved.", is_decided},
        {"no_changes", "Nothing changed, or nothing was saved yet.", is_unchanged},
        {"changes_incomplete", "Not all of what changed could be saved.", is_unknown},
        {"approval_not_offered", "This server does not offer approvals yet.", is_not_offered},
};

static json_t *approval(const struct review *review, const struct store_saved_changes *changes)
{
        json_t *reasons = json_array();

        for (size_t i = 0; i < COUNT_OF(obstacles); i++)
                if (obstacles[i].is_there(review, changes))
                        json_array_append_new(reasons, json_pack("{s:s, s:s}", "code", obstacles[i].code, "explanation",
                                                                 obstacles[i].explanation));
        return json_pack("{s:b, s:b, s:o}", "canApproveNow", !json_array_size(reasons), "mayApprove",
                         review->may_approve, "reasons", reasons);
}

static const struct environment_repository *configured(const struct review *review, const char *name)
{
        const struct environment_repository *items =
                review->environment ? review->environment->file.repositories.items : NULL;

        for (size_t i = 0; items && i < review->environment->file.repositories.count; i++)
                if (!strcmp(items[i].name, name))
                        return &items[i];
        return NULL;
}

/* Whether a branch is protected is the remote's to say, at the moment of the push. */
static json_t *branches(const struct review *review, const struct store_saved_change *change)
{
        const struct environment_repository *repository = configured(review, change->repository);
        const char *launch = repository ? workspace_branch(review->chosen, repository) : NULL;
        auto_free char *suggested = text_format("longshore/%s", review->task->id);
        json_t *view = json_object();

        json_object_set_new(view, "current", redact_string(review->redactor, change->branch));
        json_object_set_new(view, "launch", redact_string(review->redactor, launch));
        json_object_set_new(view, "pushTarget", redact_string(review->redactor, launch ? launch : change->branch));
        if (!review->may_approve)
                return view;
        json_object_set_new(view, "protection", json_string("unknown"));
        json_object_set_new(view, "suggestedNewBranch", json_string(suggested));
        return view;
}

static void add_files(struct review *review, json_t *files, json_t *view)
{
        json_t *list = json_array(), *entry;
        int64_t omitted = 0;
        size_t i;

        json_array_foreach(files, i, entry)
        {
                if (json_array_size(list) == REPOSITORY_FILES_MAXIMUM || review->files == FILES_MAXIMUM) {
                        omitted++;
                        continue;
                }
                review->files++;
                json_array_append_new(list, changes_file_view(review->redactor, NULL, entry));
        }
        review->files_omitted += omitted;
        json_object_set_new(view, "files", list);
        json_object_set_new(view, "filesOmitted", json_integer(omitted));
}

/* A name that cannot be shown as it is would stand for another. */
static bool is_nameable(const struct review *review, const char *name)
{
        auto_json *told = redact_string(review->redactor, name);

        return !strcmp(json_string_value(told), name);
}

static bool add_repository(struct review *review, const struct store_saved_change *change, struct error *error)
{
        auto_text state = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        char fingerprint[CHANGES_FINGERPRINT_SIZE];

        if (!is_nameable(review, change->repository)) {
                review->repositories_unnamed++;
                return true;
        }
        changes_append_state(change, &state);
        changes_hash(&state, fingerprint);
        json_object_set_new(review->fingerprints, change->repository, json_string(fingerprint));
        if (json_array_size(review->repositories) == REPOSITORIES_MAXIMUM) {
                review->repositories_omitted++;
                return true;
        }
        auto_json *files = changes_files(review->call->services, review->task->id, change, error);
        if (!files)
                return false;
        json_t *view = json_object();
        json_object_set_new(view, "repository", json_string(change->repository));
        json_object_set_new(view, "status", json_string(changes_status(change)));
        json_object_set_new(view, "reason", document_string(change->reason));
        json_object_set_new(view, "fingerprint", json_string(fingerprint));
        json_object_set_new(view, "fileCount", changes_count_view(change->files));
        json_object_set_new(view, "additions", changes_count_view(change->additions));
        json_object_set_new(view, "deletions", changes_count_view(change->deletions));
        json_object_set_new(view, "incomplete", json_boolean(changes_is_incomplete(change)));
        add_files(review, files, view);
        json_object_set_new(view, "branches", branches(review, change));
        json_array_append_new(review->repositories, view);
        return true;
}

static json_t *summarise(const struct review *review, const struct store_saved_changes *changes, const char *reason)
{
        const char *status = reason ? "unavailable" : is_unchanged(review, changes) ? "empty" : "available";
        json_t *turn = changes->count ? json_integer(changes->conversation_index) : json_null();

        return json_pack("{s:s, s:s, s:o, s:s, s:{s:o, s:O}, s:O, s:I, s:I, s:I, s:o}", "taskId", review->task->id,
                         "status", status, "reason", document_string(reason), "taskStatus", review->task->status,
                         "revision", "turn", turn, "fingerprints", review->fingerprints, "repositories",
                         review->repositories, "repositoriesOmitted", (json_int_t)review->repositories_omitted,
                         "repositoriesUnnamed", (json_int_t)review->repositories_unnamed, "filesOmitted",
                         (json_int_t)review->files_omitted, "approval", approval(review, changes));
}

static bool fill(struct review *review, const struct store_saved_changes *changes, struct error *error)
{
        for (size_t i = 0; i < changes->count; i++)
                if (changes_is_any(&changes->items[i]) && !add_repository(review, &changes->items[i], error))
                        return false;
        return true;
}

static bool may_approve(const struct call *call, const struct store_task *task)
{
        bool is_own = task->creator && task->creator == call->actor->user;

        return access_allows(call->actor, PERMISSION_TASKS_APPROVE_ANY, task->environment) ||
               (is_own && access_allows(call->actor, PERMISSION_TASKS_APPROVE, task->environment));
}

bool review_summary(struct call *call, const struct review_summary_input *input, json_t **result, struct error *error)
{
        auto_json *repositories = json_array(), *fingerprints = json_object();
        auto_store_saved_changes changes = {0};
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_error opening = {0}, ignored = {0};
        struct review review = {.call = call,
                                .task = &task,
                                .redactor = &redactor,
                                .repositories = repositories,
                                .fingerprints = fingerprints};

        bool is_open = task_open(call, input->taskId, &task, &redactor, &opening);
        if (!is_open && !panel_is_unreadable(&opening))
                return error_move(error, &opening);
        if (!access_require_content(&task, error) || !store_saved_change_list(call->db, task.rid, &changes, error))
                return false;
        auto_environment *environment = environment_find_rid(call->services->environments, task.environment);
        auto_json *chosen = document_parse(task.branches, strlen(task.branches), &ignored);
        review.environment = environment;
        review.chosen = chosen;
        review.may_approve = may_approve(call, &task);
        if (is_open && !fill(&review, &changes, error))
                return false;
        *result = summarise(&review, &changes, is_open ? NULL : "secret_values_unavailable");
        return true;
}
