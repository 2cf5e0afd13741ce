#include "server/services/question.h"

#include <string.h>

#include "server/base/document.h"

#define BLOCK_MAXIMUM 65536
#define CHOICES_MAXIMUM 100
#define QUESTIONS_MAXIMUM 20

/* The text of a choice, or of what is asked; NULL when there is none. */
static const char *words_of(const json_t *value)
{
        const char *label = document_get_string(value, "label");

        if (json_is_string(value))
                return json_string_value(value);
        return label ? label : document_get_string(value, "title");
}

static bool are_choices(const json_t *list)
{
        size_t count = json_array_size(list);

        for (size_t i = 0; i < count; i++) {
                const char *words = words_of(json_array_get(list, i));
                if (!words || !*words)
                        return false;
        }
        return count && count <= CHOICES_MAXIMUM;
}

static void append_choices(struct text *out, const json_t *list)
{
        for (size_t i = 0; i < json_array_size(list); i++) {
                const json_t *choice = json_array_get(list, i);
                const char *description = document_get_string(choice, "description");
                text_printf(out, "%zu. %s%s%s\n", i + 1, words_of(choice), description && *description ? ": " : "",
                            description ? description : "");
        }
}

static void append_title(struct text *out, const char *kind, const json_t *object)
{
        const char *question = document_get_string(object, "question"), *title = document_get_string(object, "title");

        text_printf(out, "%s: %s\n", kind, question ? question : title ? title : "");
}

static bool append_question(struct text *out, const json_t *object, bool is_open)
{
        const json_t *options = json_object_get(object, "options");
        bool is_multiple = json_is_true(json_object_get(object, "multiple")) ||
                           json_is_true(json_object_get(object, "multiSelect"));

        if (!document_get_string(object, "question") || !are_choices(options))
                return false;
        append_title(out, "Question", object);
        append_choices(out, options);
        if (is_open && is_multiple)
                text_append_string(out, "Reply with the numbers or the words of all choices that apply, or in words of "
                                        "your own.\n");
        else if (is_open)
                text_append_string(out, "Reply with the number or the words of one choice, or in words of your own.\n");
        return true;
}

static bool append_questions(struct text *out, const json_t *object, bool is_open)
{
        const json_t *list = json_object_get(object, "questions");

        if (!list)
                return append_question(out, object, is_open);
        for (size_t i = 0; i < json_array_size(list); i++) {
                if (i)
                        text_append(out, "\n", 1);
                if (i == QUESTIONS_MAXIMUM || !append_question(out, json_array_get(list, i), is_open))
                        return false;
        }
        return json_array_size(list);
}

static bool append_triage(struct text *out, const json_t *object, bool is_open)
{
        const json_t *items = json_object_get(object, "items"), *choices = json_object_get(object, "choices");
        size_t count = json_array_size(choices);

        if (!are_choices(items) || !are_choices(choices))
                return false;
        append_title(out, "Triage", object);
        append_choices(out, items);
        text_append_string(out, "Choices for each:");
        for (size_t i = 0; i < count; i++)
                text_printf(out, "%s %s", i ? "," : "", words_of(json_array_get(choices, i)));
        text_append(out, "\n", 1);
        if (!is_open)
                return true;
        text_append_string(out, "Reply with a choice for each number, for example:");
        for (size_t i = 0; i < 2 && i < json_array_size(items); i++)
                text_printf(out, "%s %zu %s", i ? "," : "", i + 1, words_of(json_array_get(choices, i % count)));
        text_append_string(out, ".\n");
        return true;
}

static bool append_ranking(struct text *out, const json_t *object, bool is_open)
{
        const json_t *items = json_object_get(object, "items");
        size_t count = json_array_size(items);

        if (!are_choices(items))
                return false;
        append_title(out, "Ranking", object);
        append_choices(out, items);
        if (!is_open)
                return true;
        text_append_string(out, "Reply with the numbers in your order, the best first, for example:");
        for (size_t i = count; i > 0; i--)
                text_printf(out, "%s %zu", i < count ? "," : "", i);
        text_append_string(out, ".\n");
        return true;
}

static const struct kind {
        const char *name;
        bool (*append)(struct text *out, const json_t *object, bool is_open);
} kinds[] = {{"question", append_questions}, {"triage", append_triage}, {"ranking", append_ranking}};

/* A line that may begin or end a block. */
struct fence {
        size_t length; /* of the run of backticks or tildes; 0: no fence */
        char mark;
        const char *info; /* what follows, trimmed */
        size_t info_length;
};

static struct fence read_fence(const char *line, size_t length)
{
        struct fence fence = {0};
        size_t at = 0, end = length;

        while (at < length && at < 4 && line[at] == ' ')
                at++;
        if (at == 4 || at == length || (line[at] != '`' && line[at] != '~'))
                return fence;
        fence.mark = line[at];
        while (at < length && line[at] == fence.mark)
                at++, fence.length++;
        if (fence.length < 3)
                return (struct fence){0};
        while (at < end && strchr(" \t", line[at]))
                at++;
        while (end > at && strchr(" \t\r", line[end - 1]))
                end--;
        fence.info = line + at;
        fence.info_length = end - at;
        return fence;
}

static const struct kind *kind_of(const struct fence *fence)
{
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
                if (fence->info_length == strlen(kinds[i].name) &&
                    !memcmp(fence->info, kinds[i].name, fence->info_length))
                        return &kinds[i];
        return NULL;
}

/* The end of the line that begins at `at`, behind its line feed. */
static size_t line_end(const char *reply, size_t length, size_t at)
{
        const char *feed = memchr(reply + at, '\n', length - at);

        return feed ? (size_t)(feed - reply) + 1 : length;
}

static bool append_block(struct text *out, const struct kind *kind, const char *content, size_t length, bool is_open)
{
        auto_text block = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_error ignored = {0};

        if (length > BLOCK_MAXIMUM)
                return false;
        auto_json *object = document_parse(content, length, &ignored);
        if (!json_is_object(object) || !kind->append(&block, object, is_open))
                return false;
        text_append(out, block.data, block.length);
        return true;
}

/* A block: where its content begins and ends, and what follows its last line. */
struct block {
        size_t content, content_end, end;
        bool is_closed;
};

static struct block read_block(const char *reply, size_t length, size_t at, const struct fence *opening)
{
        struct block block = {.content = at, .content_end = length, .end = length};

        while (at < length) {
                size_t end = line_end(reply, length, at), visible = end - (reply[end - 1] == '\n');
                struct fence fence = read_fence(reply + at, visible - at);
                if (fence.mark == opening->mark && fence.length >= opening->length && !fence.info_length)
                        return (struct block){block.content, at, end, true};
                at = end;
        }
        return block;
}

bool question_render(const char *reply, size_t length, bool is_open, struct text *out)
{
        auto_text rendered = TEXT_WITH_MAXIMUM(out->maximum);
        bool has_any = false;

        for (size_t at = 0, end; at < length; at = end) {
                end = line_end(reply, length, at);
                struct fence fence = read_fence(reply + at, end - at - (reply[end - 1] == '\n'));
                if (fence.length) {
                        const struct kind *kind = kind_of(&fence);
                        struct block block = read_block(reply, length, end, &fence);
                        end = block.end;
                        if (kind && block.is_closed &&
                            append_block(&rendered, kind, reply + block.content, block.content_end - block.content,
                                         is_open)) {
                                has_any = true;
                                continue;
                        }
                }
                text_append(&rendered, reply + at, end - at);
        }
        if (has_any)
                text_append(out, rendered.data, rendered.length);
        return has_any;
}
