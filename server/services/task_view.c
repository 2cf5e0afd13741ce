#include "server/services/task_view.h"

#include <inttypes.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/follow_up.h"

char *site_url(const struct services *services)
{
        const char *site = settings_current()->site_url;

        if (!site || !*site)
                return text_copy(services->address);
        size_t length = strlen(site);
        while (length && site[length - 1] == '/')
                length--;
        return text_format("%.*s", (int)length, site);
}

char *task_url(const struct services *services, const char *task_id)
{
        auto_free char *site = site_url(services);

        return text_format("%s/task.html?id=%s", site, task_id);
}

bool task_open(struct call *call, const char *task_id, struct store_task *task, struct redactor *redactor,
               struct error *error)
{
        if (!access_task_view(call->db, call->actor, task_id, task, error) ||
            !redactor_init(redactor, call->services, call->db, error))
                return false;
        redactor_set_task(redactor, call->db, task);
        return true;
}

static void set(json_t *object, const char *name, json_t *value)
{
        json_object_set_new_nocheck(object, name, value);
}

/* A plain string of our own making (ids, words): no check, no redaction. */
static json_t *word(const char *string)
{
        return string ? json_string_nocheck(string) : json_null();
}

static json_t *creator(const struct store_task *task)
{
        json_t *person;

        if (!task->creator)
                return json_null();
        person = json_object();
        set(person, "id", word(task->creator_id));
        set(person, "name", document_string(task->creator_name));
        return person;
}

static json_t *usage(const struct store_task *task)
{
        json_t *numbers = json_object();

        set(numbers, "inputTokens", json_integer(task->input_tokens));
        set(numbers, "outputTokens", json_integer(task->output_tokens));
        set(numbers, "cacheReadTokens", json_integer(task->cache_read_tokens));
        set(numbers, "cacheWriteTokens", json_integer(task->cache_write_tokens));
        set(numbers, "costUsd", json_real((double)task->cost_micros / 1e6));
        return numbers;
}

static void set_pins(json_t *view, const struct call *call, const struct store_task *task)
{
        bool is_own = task->creator == call->actor->user;
        bool is_snoozed = task->creator_snoozed_until > call->now,
             is_snoozed_by_viewer = task->viewer_snoozed_until > call->now;

        set(view, "isPinned", json_boolean(task->is_pinned_by_creator));
        set(view, "isSnoozed", json_boolean(is_snoozed));
        set(view, "pinSnoozedUntil", document_time(is_snoozed ? task->creator_snoozed_until : 0));
        set(view, "pinnedForMe", json_boolean(task->is_pinned_by_viewer));
        set(view, "snoozedForMe", json_boolean(is_snoozed_by_viewer));
        set(view, "pinSnoozedUntilForMe", document_time(is_snoozed_by_viewer ? task->viewer_snoozed_until : 0));
        set(view, "pinFollowedByMe", json_boolean(task->is_pinned_by_viewer && !is_own));
        if (!is_own)
                set(view, "pinFollowVersionForMe", json_integer(task->viewer_pin_version));
}

static json_t *branches(const struct store_task *task, const struct redactor *redactor)
{
        auto_text shown = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};
        json_t *map;

        if (!strcmp(task->branches, "{}"))
                return json_object();
        redact_append(redactor, &shown, task->branches, strlen(task->branches));
        map = document_parse(shown.data, shown.length, &ignored);
        return map ? map : json_object();
}

/* What a task that copies others is called where its own name might tell of them. */
static const char *neutral_name(const struct store_task *task)
{
        return task->judge_mode && !strcmp(task->judge_mode, "comparison") ? "Judgment" : "Review";
}

static void set_place(json_t *view, const struct store_task *task)
{
        set(view, "groupId", word(task->group_id));
        if (task->has_group_index)
                set(view, "groupIndex", json_integer(task->group_index));
        if (task->is_judge) {
                set(view, "isJudgeTask", json_true());
                set(view, "judgeMode", word(task->judge_mode));
                set(view, "originalGroupId", word(task->original_group_id));
        }
        if (task->is_withheld)
                set(view, "contentWithheld", json_true());
}

json_t *task_view(const struct call *call, const struct store_task *task, const struct redactor *redactor)
{
        auto_free char *url = task_url(call->services, task->id);
        json_t *view = json_object();

        set(view, "taskId", word(task->id));
        set(view, "name", task->is_withheld ? word(neutral_name(task)) : redact_string(redactor, task->name));
        set(view, "environment", word(task->environment_name));
        set(view, "status", word(task->status));
        set(view, "taskType", word(task->type));
        set(view, "agent", word(task->agent));
        set(view, "model", word(task->model));
        set(view, "reasoningEffort", word(task->reasoning_effort));
        set(view, "speed", word(task->speed));
        set_place(view, task);
        set(view, "createdBy", creator(task));
        set(view, "createdAt", document_time(task->created_at));
        set(view, "startedAt", document_time(task->started_at));
        set(view, "finishedAt", document_time(task->finished_at));
        set(view, "exitCode", task->has_exit_code ? json_integer(task->exit_code) : json_null());
        set(view, "followUpCount", json_integer(task->follow_up_count));
        if (task->has_follow_ups)
                follow_up_describe(call, task->rid, view);
        set(view, "branches", task->is_withheld ? json_object() : branches(task, redactor));
        set(view, "shared", json_boolean(task->is_shared));
        set_pins(view, call, task);
        set(view, "isWinner", json_boolean(task->is_winner));
        set(view, "isLoser", json_boolean(task->is_loser));
        set(view, "approvedBy", json_null());
        set(view, "source", word(task->source));
        set(view, "url", word(url));
        set(view, "usage", usage(task));
        return view;
}

/* "31204" as "31,204". */
static char *grouped(int64_t number)
{
        auto_free char *digits = text_format("%" PRId64, number);
        struct text out = TEXT_WITH_MAXIMUM(64);

        for (size_t i = 0, length = strlen(digits); i < length; i++) {
                if (i && (length - i) % 3 == 0)
                        text_append(&out, ",", 1);
                text_append(&out, digits + i, 1);
        }
        return text_take(&out);
}

char *text_tail(const char *text, size_t length, size_t maximum, int64_t total, bool *is_cut)
{
        *is_cut = total > (int64_t)maximum;
        if (!*is_cut)
                return text_copy(text);
        auto_free char *count = grouped(total), *marker = text_format("[... the end of %s characters ...]\n", count);
        size_t marker_length = strlen(marker);
        if (marker_length >= maximum)
                return text_format("%s", text + utf8_tail_offset(text, length, maximum));
        return text_format("%s%s", marker, text + utf8_tail_offset(text, length, maximum - marker_length));
}

char *text_head(const char *text, size_t length, size_t maximum, bool *is_cut)
{
        static const char marker[] = "\n[... cut ...]";

        *is_cut = utf8_count(text, length) > maximum;
        if (!*is_cut)
                return text_format("%s", text);
        size_t kept = utf8_head_length(text, length, maximum > sizeof marker ? maximum - (sizeof marker - 1) : 0);
        return text_format("%.*s%s", (int)kept, text, marker);
}

char *reply_text(const struct redactor *redactor, const struct store_reply *reply, int64_t *total)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        size_t length = strlen(reply->body);

        redact_append(redactor, &text, reply->body, length);
        if (reply->characters <= REPLY_KEPT_CHARACTERS) {
                *total = (int64_t)utf8_count(text_string(&text), text.length);
                return text_take(&text);
        }
        *total = reply->characters;
        size_t skipped = utf8_head_length(text.data, text.length, REPLY_MARGIN_CHARACTERS);
        return text_copy(text.data + skipped);
}
