#include "server/services/redact.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/services/managed_values.h"
#include "server/services/task_paths.h"
#include "server/services/url_credential.h"
#include "server/store/vault.h"

/* The task that texts are of. */
struct redactor_scope {
        struct store_db *db;
        int64_t task, environment, owner;
        bool is_read; /* whether `given` is what the task was given */
        int64_t *given;
        size_t count;
};

static void scope_free(struct redactor_scope *scope)
{
        if (scope)
                free(scope->given);
        free(scope);
}

void redactor_clear(struct redactor *redactor)
{
        managed_values_release(redactor->values);
        scope_free(redactor->scope);
        *redactor = (struct redactor){0};
}

bool redactor_init(struct redactor *redactor, const struct services *services, struct store_db *db, struct error *error)
{
        redactor->values = managed_values_take(services, db, error);
        return redactor->values;
}

void redactor_set_task(struct redactor *redactor, struct store_db *db, const struct store_task *task)
{
        scope_free(redactor->scope);
        redactor->scope = memory_new(sizeof *redactor->scope);
        *redactor->scope = (struct redactor_scope){
                .db = db, .task = task->rid, .environment = task->environment, .owner = task->creator};
}

void redactor_set_file(struct redactor *redactor, const char *path)
{
        redactor->is_events = !strcmp(path, RECORD_EVENTS);
}

/* Read when a value is met that only this can tell about: hardly ever. When it cannot be read everything counts. */
static bool was_given(struct redactor_scope *scope, int64_t value)
{
        auto_error failure = {0};

        if (!scope->is_read && !store_task_value_list(scope->db, scope->task, &scope->given, &scope->count, &failure))
                return true;
        scope->is_read = true;
        for (size_t i = 0; i < scope->count; i++)
                if (scope->given[i] == value)
                        return true;
        return false;
}

static bool counts(struct redactor_scope *scope, const struct value_pattern *pattern)
{
        const struct value_holder *holders = pattern->holders;

        for (size_t i = 0; i < pattern->holder_count; i++)
                if (holders[i].kind == HOLDER_SERVER ||
                    (holders[i].kind == HOLDER_ENVIRONMENT && holders[i].id == scope->environment) ||
                    (holders[i].kind == HOLDER_USER && holders[i].id == scope->owner))
                        return true;
        for (size_t i = 0; i < pattern->holder_count; i++)
                if (holders[i].kind == HOLDER_TASK && was_given(scope, holders[i].id))
                        return true;
        return false;
}

/* Which bytes of a text must not be shown. What a byte's mark is depends on no more of the text than redact_reach on
 * both sides, so that every part of a text that has that much around it is marked alike. */
struct marking {
        const struct redactor *redactor;
        size_t length, end; /* end: of the latest mark */
        size_t base;        /* of the offsets that are found */
        char *marks;        /* NULL while there are none */
};

static void mark(size_t from, size_t count, void *context)
{
        struct marking *marking = context;
        size_t end = from + count;

        if (!marking->marks)
                marking->marks = memory_new(marking->length);
        if (from < marking->end)
                from = marking->end < end ? marking->end : end;
        memset(marking->marks + from, 1, end - from);
        marking->end = end > marking->end ? end : marking->end;
}

static void mark_value(size_t offset, size_t count, const struct value_pattern *pattern, void *context)
{
        struct marking *marking = context;

        if (!marking->redactor->scope || counts(marking->redactor->scope, pattern))
                mark(marking->base + offset, count, marking);
}

static void mark_whole(struct marking *marking, const char *bytes)
{
        if (!marking->length)
                return;
        value_set_search(managed_values_set(marking->redactor->values), bytes, marking->length, mark_value, marking);
        marking->end = 0;
        url_credential_search(bytes, marking->length, mark, marking);
}

/* Marks what the bytes from `from` to `to` begin or end with of a value. */
static void mark_edges(struct marking *marking, const char *bytes, size_t from, size_t to, bool has_begin, bool has_end)
{
        const struct value_set *set = managed_values_set(marking->redactor->values);

        marking->base = from;
        marking->end = 0;
        if (has_begin)
                value_set_search_begin(set, bytes + from, to - from, mark_value, marking);
        marking->end = 0;
        if (has_end)
                value_set_search_end(set, bytes + from, to - from, mark_value, marking);
        marking->base = 0;
}

static bool is_escaped(const char *bytes, size_t at)
{
        size_t backslashes = 0;

        while (backslashes < at && bytes[at - 1 - backslashes] == '\\')
                backslashes++;
        return backslashes % 2;
}

/* What stands between two quotes of a JSON line is a string, or too short to hold a part of a value. */
static void mark_strings(struct marking *marking, const char *bytes)
{
        const char *quote;

        for (size_t from = 0, at = 0; from < marking->length; from = at) {
                do {
                        quote = memchr(bytes + at, '"', marking->length - at);
                        at = quote ? (size_t)(quote - bytes) + 1 : marking->length;
                } while (quote && is_escaped(bytes, at - 1));
                mark_edges(marking, bytes, from, quote ? at - 1 : at, from > 0, quote);
        }
}

static char *marks_of(const struct redactor *redactor, const char *bytes, size_t length)
{
        struct marking marking = {.redactor = redactor, .length = length};

        mark_whole(&marking, bytes);
        return marking.marks;
}

static void append_marked(const char *marks, struct text *out, const char *bytes, size_t length, size_t from)
{
        for (size_t at = from, end; at < length; at = end) {
                bool is_marked = marks && marks[at];
                const char *next = marks ? memchr(marks + at, !is_marked, length - at) : NULL;
                end = next ? (size_t)(next - marks) : length;
                if (is_marked)
                        text_append_string(out, REDACTED);
                else
                        text_append(out, bytes + at, end - at);
        }
}

void redact_append_from(const struct redactor *redactor, struct text *out, const char *bytes, size_t length,
                        size_t from)
{
        auto_free char *marks = marks_of(redactor, bytes, length);

        append_marked(marks, out, bytes, length, from);
}

void redact_append_piece(const struct redactor *redactor, struct text *out, const char *bytes, size_t length)
{
        struct marking marking = {.redactor = redactor, .length = length};

        mark_whole(&marking, bytes);
        mark_edges(&marking, bytes, 0, length, true, true);
        auto_free char *marks = marking.marks;
        append_marked(marks, out, bytes, length, 0);
}

void redact_append(const struct redactor *redactor, struct text *out, const char *bytes, size_t length)
{
        redact_append_from(redactor, out, bytes, length, 0);
}

json_t *redact_string(const struct redactor *redactor, const char *string)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (!string)
                return json_null();
        redact_append(redactor, &text, string, strlen(string));
        return document_text(text_string(&text), text.length);
}

void redact_mask(const struct redactor *redactor, char *bytes, size_t length)
{
        struct marking marking = {.redactor = redactor, .length = length};

        mark_whole(&marking, bytes);
        if (redactor->is_events)
                mark_strings(&marking, bytes);
        auto_free char *marks = marking.marks;
        for (size_t i = 0; marks && i < length; i++)
                if (marks[i])
                        bytes[i] = '*';
}

size_t redact_reach(const struct redactor *redactor)
{
        size_t longest = value_set_longest(managed_values_set(redactor->values));

        return longest > URL_CREDENTIAL_REACH ? longest : URL_CREDENTIAL_REACH;
}
