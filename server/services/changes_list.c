#include <string.h>

#include "server/base/document.h"
#include "server/services/changes_files.h"
#include "server/services/changes_view.h"
#include "server/services/environment.h"
#include "server/services/task_view.h"

struct listing {
        const struct call *call;
        const struct changes_list_input *input;
        const struct redactor *redactor;
        const char *task_id;
        json_t *files, *repositories;
        int64_t total, told; /* told: or skipped */
        size_t characters;
        bool is_incomplete, is_bounded, is_full;
};

bool panel_is_unreadable(const struct error *error)
{
        const char *reason = document_get_string(error->details, "reason");

        return error->code == ERROR_UNAVAILABLE && reason && !strcmp(reason, "secret_values_unavailable");
}

static json_t *repository_view(const struct store_saved_change *change)
{
        json_t *view = json_object();

        json_object_set_new(view, "repository", json_string(change->repository));
        json_object_set_new(view, "status", json_string(changes_status(change)));
        json_object_set_new(view, "reason", document_string(change->reason));
        json_object_set_new(view, "files", changes_count_view(change->files));
        json_object_set_new(view, "additions", changes_count_view(change->additions));
        json_object_set_new(view, "deletions", changes_count_view(change->deletions));
        json_object_set_new(view, "incomplete", json_boolean(changes_is_incomplete(change)));
        return view;
}

static size_t characters_of(const json_t *view)
{
        auto_free char *printed = document_print(view);

        return strlen(printed);
}

/* An entry that does not fit is the first of the next page; one that is larger than a page has one of its own. */
static void add_file(struct listing *listing, const char *repository, const json_t *entry)
{
        size_t count = json_array_size(listing->files);

        listing->total++;
        if (listing->is_full || listing->total <= listing->input->offset)
                return;
        listing->is_full = (int64_t)count == listing->input->limit;
        if (listing->is_full)
                return;
        auto_json *view = changes_file_view(listing->redactor, repository, entry);
        listing->characters += characters_of(view);
        listing->is_full = listing->is_bounded = count && listing->characters > PANEL_PAGE_CHARACTERS;
        if (!listing->is_full)
                json_array_append(listing->files, view);
}

static bool add_repository(struct listing *listing, const struct store_saved_change *change, struct error *error)
{
        auto_json *files = changes_files(listing->call->services, listing->task_id, change, error);
        json_t *entry;
        size_t i;

        if (!files)
                return false;
        json_array_append_new(listing->repositories, repository_view(change));
        listing->is_incomplete = listing->is_incomplete || changes_is_incomplete(change);
        json_array_foreach(files, i, entry) add_file(listing, change->repository, entry);
        return true;
}

/* Nothing was saved: because there is nothing to save, or not yet. */
static const char *reason_of_nothing(const struct call *call, const struct store_task *task)
{
        auto_environment *environment = environment_find_rid(call->services->environments, task->environment);

        return environment && !environment->file.repositories.count ? NULL : "not_saved";
}

static bool is_wanted(const struct listing *listing, const struct store_saved_change *change)
{
        return !listing->input->repository || !strcmp(listing->input->repository, change->repository);
}

/* The first reason, when nothing at all of what is asked for can be told. */
static const char *reason_of(const struct store_task *task, const struct store_saved_changes *changes,
                             const struct listing *listing)
{
        const char *reason = NULL;

        if (!changes->count)
                return reason_of_nothing(listing->call, task);
        for (size_t i = changes->count; i > 0; i--) {
                const struct store_saved_change *change = &changes->items[i - 1];
                if (!is_wanted(listing, change))
                        continue;
                if (strcmp(change->state, "unavailable"))
                        return NULL;
                reason = change->reason;
        }
        return listing->total ? NULL : reason;
}

static json_t *page(struct listing *listing, const char *reason, const struct store_saved_changes *changes)
{
        int64_t next = listing->input->offset + (int64_t)json_array_size(listing->files);
        json_t *result = json_object();

        json_object_set_new(result, "taskId", json_string(listing->task_id));
        json_object_set_new(result, "status",
                            json_string(reason           ? "unavailable"
                                        : listing->total ? "available"
                                                         : "empty"));
        json_object_set_new(result, "reason", document_string(reason));
        json_object_set_new(result, "turn", changes->count ? json_integer(changes->conversation_index) : json_null());
        json_object_set_new(result, "incomplete", json_boolean(listing->is_incomplete));
        json_object_set(result, "repositories", listing->repositories);
        json_object_set(result, "files", listing->files);
        json_object_set_new(result, "total", json_integer(listing->total));
        json_object_set_new(result, "nextOffset", next < listing->total ? json_integer(next) : json_null());
        json_object_set_new(result, "pageBounded", json_boolean(listing->is_bounded));
        return result;
}

static bool list(struct listing *listing, const struct store_task *task, json_t **result, struct error *error)
{
        auto_store_saved_changes changes = {0};
        bool is_known = !listing->input->repository;

        if (!store_saved_change_list(listing->call->db, task->rid, &changes, error))
                return false;
        for (size_t i = 0; i < changes.count; i++) {
                if (!is_wanted(listing, &changes.items[i]))
                        continue;
                is_known = true;
                if (!add_repository(listing, &changes.items[i], error))
                        return false;
        }
        if (!is_known && changes.count)
                return error_set(error, ERROR_NOT_FOUND, "Nothing was saved of a repository of this name.");
        *result = page(listing, reason_of(task, &changes, listing), &changes);
        return true;
}

bool changes_list(struct call *call, const struct changes_list_input *input, json_t **result, struct error *error)
{
        static const struct store_saved_changes none;
        auto_json *files = json_array(), *repositories = json_array();
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        struct listing listing = {
                .call = call, .input = input, .redactor = &redactor, .files = files, .repositories = repositories};
        auto_error opening = {0};

        bool is_open = task_open(call, input->taskId, &task, &redactor, &opening);
        listing.task_id = task.id;
        if (is_open)
                return access_require_content(&task, error) && list(&listing, &task, result, error);
        if (!panel_is_unreadable(&opening))
                return error_move(error, &opening);
        listing.task_id = input->taskId;
        *result = page(&listing, "secret_values_unavailable", &none);
        return true;
}
