#include "server/services/task_name.h"

#include <string.h>

#include "server/services/redact.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define BLANKS " \t\r"
/* Characters of the text that are looked at: a first line may be long. */
#define LOOKED_AT 4000

/* The first line with something in it, without the marks of a heading or a list. */
static const char *first_line(const char *text, size_t *length)
{
        text += strspn(text, BLANKS "\n#*->");
        *length = strcspn(text, "\n");
        while (*length && strchr(BLANKS, text[*length - 1]))
                --*length;
        return text;
}

bool task_name_derive(struct call *call, int64_t environment, const char *text, char **name, struct error *error)
{
        const struct store_task owner = {.environment = environment, .creator = call->actor->user};
        auto_redactor redactor = {0};
        auto_text told = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        size_t length;

        *name = NULL;
        if (!redactor_init(&redactor, call->services, call->db, error))
                return false;
        redactor_set_task(&redactor, call->db, &owner);
        /* What the cut may go through is left out before. */
        redact_append_piece(&redactor, &told, text, utf8_head_length(text, strlen(text), LOOKED_AT));
        const char *line = first_line(text_string(&told), &length);
        if (!length)
                return true;
        bool is_cut = utf8_count(line, length) > TASK_NAME_MAXIMUM;
        size_t kept = is_cut ? utf8_head_length(line, length, TASK_NAME_MAXIMUM - 1) : length;
        *name = text_format("%.*s%s", (int)kept, line, is_cut ? ELLIPSIS : "");
        return true;
}
