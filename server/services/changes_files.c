#include "server/services/changes_files.h"

#include <string.h>

#include "git/change.h"
#include "server/base/document.h"
#include "server/services/changes_parts.h"

static bool append_left_out(const char *left_out, json_t *files, struct error *error)
{
        auto_json *list = left_out ? document_parse(left_out, strlen(left_out), error) : json_array();
        json_t *entry;
        size_t i;

        json_array_foreach(list, i, entry)
        {
                json_object_set_new(entry, "omitted", json_string("not_saved"));
                json_array_append(files, entry);
        }
        return list;
}

json_t *changes_files(const struct services *services, const char *task_id, const struct store_saved_change *change,
                      struct error *error)
{
        auto_free char *path = changes_path_repository(services->data_folder, task_id, change->repository);
        auto_error reading = {0};
        auto_json *files =
                change->from ? repository_change_files(path, change->from, change->to, &reading) : json_array();

        if (files && append_left_out(change->left_out, files, &reading))
                return take(files);
        error_set(error, ERROR_UNAVAILABLE, "%s", reading.message);
        return NULL;
}

json_t *changes_text_view(const struct redactor *redactor, const char *text, bool *is_redacted)
{
        auto_text told = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        redact_append(redactor, &told, text, strlen(text));
        *is_redacted = *is_redacted || strcmp(text_string(&told), text);
        return document_text(text_string(&told), told.length);
}

json_t *changes_count_view(int64_t count)
{
        return count < 0 ? json_null() : json_integer(count);
}

json_t *changes_file_view(const struct redactor *redactor, const char *repository, const json_t *entry)
{
        const char *old_path = document_get_string(entry, "oldPath"), *omitted = document_get_string(entry, "omitted");
        json_t *view = json_object();
        bool is_redacted = false;

        if (repository)
                json_object_set_new(view, "repository", json_string(repository));
        json_object_set_new(view, "filePath",
                            changes_text_view(redactor, document_get_string(entry, "path"), &is_redacted));
        if (old_path)
                json_object_set_new(view, "oldPath", changes_text_view(redactor, old_path, &is_redacted));
        json_object_set(view, "status", json_object_get(entry, "status"));
        json_object_set_new(view, "additions", changes_count_view(document_get_integer(entry, "additions", -1)));
        json_object_set_new(view, "deletions", changes_count_view(document_get_integer(entry, "deletions", -1)));
        json_object_set_new(view, "binary", json_boolean(json_is_true(json_object_get(entry, "binary"))));
        if (omitted)
                json_object_set_new(view, "omitted", json_string(omitted));
        json_object_set_new(view, "redacted", json_boolean(is_redacted));
        return view;
}

const char *changes_status(const struct store_saved_change *change)
{
        if (!strcmp(change->state, "unavailable"))
                return "unavailable";
        return changes_is_any(change) ? "available" : "empty";
}

bool changes_is_incomplete(const struct store_saved_change *change)
{
        return !change->is_whole || !strcmp(change->state, "unavailable");
}
