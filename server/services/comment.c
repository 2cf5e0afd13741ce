#include "server/services/comment.h"

#include <ctype.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/audit.h"
#include "server/services/changes_view.h"
#include "server/services/task_view.h"
#include "server/store/comment.h"

#define SHOWN_CHARACTERS 4000
#define MENTIONS_MAXIMUM 50
#define NAME_MAXIMUM 64

static bool is_of_name(char character)
{
        return isalnum((unsigned char)character) || strchr("._-", character);
}

/* Names behind an @ that begins a word, as they are written: nobody is looked up. */
static json_t *mentions(const char *body)
{
        json_t *names = json_array();

        for (const char *at = strchr(body, '@'); at; at = strchr(at + 1, '@')) {
                size_t length = 0;
                while (at[1 + length] && is_of_name(at[1 + length]))
                        length++;
                while (length && at[length] == '.')
                        length--;
                bool is_begin = at == body || !(is_of_name(at[-1]) || (unsigned char)at[-1] > 0x7f);
                if (is_begin && length && length <= NAME_MAXIMUM && json_array_size(names) < MENTIONS_MAXIMUM)
                        json_array_append_new(names, json_stringn(at + 1, length));
        }
        return names;
}

static json_t *view(const struct call *call, const struct redactor *redactor, const struct store_comment *comment)
{
        auto_text told = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        json_t *author = json_null();
        bool is_cut;

        redact_append(redactor, &told, comment->body, strlen(comment->body));
        bool is_redacted = strcmp(text_string(&told), comment->body);
        auto_free char *shown = text_head(text_string(&told), told.length, SHOWN_CHARACTERS, &is_cut);
        if (comment->author)
                author = json_pack("{s:o, s:o}", "id", document_string(comment->author_id), "name",
                                   document_string(comment->author_name));
        return json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:b, s:b}", "commentId", comment->id, "author", author,
                         "createdAt", document_time(comment->created_at), "updatedAt",
                         document_time(comment->edited_at), "body", document_text(shown, strlen(shown)), "truncated",
                         is_cut, "mentions", mentions(shown), "editable",
                         comment->author && comment->author == call->actor->user, "redacted",
                         is_redacted && strstr(shown, REDACTED));
}

static json_t *page(const char *task_id, const struct comment_list_input *input, const char *reason, json_t *comments,
                    int64_t total)
{
        int64_t next = input->offset + (int64_t)json_array_size(comments);
        bool is_last = next >= total;

        return json_pack("{s:s, s:s, s:o, s:O, s:I, s:o, s:b}", "taskId", task_id, "status",
                         reason  ? "unavailable"
                         : total ? "available"
                                 : "empty",
                         "reason", document_string(reason), "comments", comments, "total", (json_int_t)total,
                         "nextOffset", is_last ? json_null() : json_integer(next), "pageBounded",
                         !is_last && (int64_t)json_array_size(comments) < input->limit);
}

static bool add_all(const struct call *call, const struct redactor *redactor, const struct store_task *task,
                    const struct comment_list_input *input, json_t *list, struct error *error)
{
        auto_store_comments comments = {0};
        size_t characters = 0;

        if (!store_comment_list(call->db, task->rid, input->limit, input->offset, &comments, error))
                return false;
        for (size_t i = 0; i < comments.count; i++) {
                auto_json *one = view(call, redactor, &comments.items[i]);
                characters += strlen(document_get_string(one, "body"));
                if (i && characters > PANEL_PAGE_CHARACTERS)
                        break;
                json_array_append(list, one);
        }
        return true;
}

bool comment_list(struct call *call, const struct comment_list_input *input, json_t **result, struct error *error)
{
        auto_json *list = json_array();
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        auto_error opening = {0};
        int64_t total = 0;

        if (!task_open(call, input->taskId, &task, &redactor, &opening)) {
                if (!panel_is_unreadable(&opening))
                        return error_move(error, &opening);
                *result = page(input->taskId, input, "secret_values_unavailable", list, 0);
                return true;
        }
        if (!access_require_content(&task, error) || !store_comment_count(call->db, task.rid, &total, error) ||
            !add_all(call, &redactor, &task, input, list, error))
                return false;
        *result = page(task.id, input, NULL, list, total);
        return true;
}

static bool open_for_writing(struct call *call, const struct comment_input *input, struct store_task *task,
                             struct error *error)
{
        if (!access_task_require(call->db, call->actor, input->taskId, PERMISSION_TASKS_CHANGE,
                                 PERMISSION_TASKS_CHANGE_ANY, task, error) ||
            !access_require_content(task, error))
                return false;
        if (!call->actor->user)
                return error_set(error, ERROR_PERMISSION_DENIED, "The command line is nobody who could comment.");
        return !input->body || input->body[strspn(input->body, " \t\r\n")] ||
               error_set(error, ERROR_INVALID_INPUT, "body must not be blank");
}

static bool record(struct call *call, const struct store_task *task, const char *action, const char *id,
                   struct error *error)
{
        return audit_write(call->db, call->actor, action, task->id, json_pack("{s:s}", "comment", id), error);
}

static bool render(struct call *call, const struct store_task *task, const char *id, json_t **result,
                   struct error *error)
{
        auto_store_comment comment = {0};
        auto_redactor redactor = {0};
        bool is_found;

        if (!redactor_init(&redactor, call->services, call->db, error) ||
            !store_comment_find(call->db, id, task->rid, &comment, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_COMMENT_NOT_FOUND, NULL);
        redactor_set_task(&redactor, call->db, task);
        *result = view(call, &redactor, &comment);
        return true;
}

bool comment_add(struct call *call, const struct comment_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        char id[ID_SIZE];
        int64_t count;

        if (!open_for_writing(call, input, &task, error) || !store_comment_count(call->db, task.rid, &count, error))
                return false;
        if (count >= COMMENTS_PER_TASK)
                return error_set(error, ERROR_CONFLICT, "The task has %d comments, which is the most it may have.",
                                 COMMENTS_PER_TASK);
        id_new("comment", id);
        return store_comment_add(call->db, id, task.rid, call->actor->user, input->body, call->now, error) &&
               record(call, &task, "comment.add", id, error) && render(call, &task, id, result, error);
}

bool comment_edit(struct call *call, const struct comment_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        bool is_done = false;

        if (!open_for_writing(call, input, &task, error) ||
            !store_comment_edit(call->db, input->commentId, task.rid, call->actor->user, input->body, call->now,
                                &is_done, error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_COMMENT_NOT_FOUND, NULL);
        return record(call, &task, "comment.edit", input->commentId, error) &&
               render(call, &task, input->commentId, result, error);
}

bool comment_remove(struct call *call, const struct comment_input *input, json_t **result, struct error *error)
{
        auto_store_task task = {0};
        bool is_done = false;

        if (!open_for_writing(call, input, &task, error) ||
            !store_comment_remove(call->db, input->commentId, task.rid, call->actor->user, &is_done, error))
                return false;
        if (!is_done)
                return error_set(error, ERROR_COMMENT_NOT_FOUND, NULL);
        if (!record(call, &task, "comment.remove", input->commentId, error))
                return false;
        *result = json_pack("{s:s, s:s, s:b}", "taskId", task.id, "commentId", input->commentId, "deleted", 1);
        return true;
}
