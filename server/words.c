#include "server/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "server/base/document.h"

#define CELL_MAXIMUM 4096

/* Names and messages come from people: a control character must not reach the terminal. */
static void append_plain(struct text *out, const char *string)
{
        for (; *string; string++) {
                char c = iscntrl((unsigned char)*string) ? '?' : *string;
                text_append(out, &c, 1);
        }
}

static void append_value(struct text *out, const json_t *value)
{
        if (json_is_string(value)) {
                append_plain(out, json_string_value(value));
        } else if (!value || json_is_null(value)) {
                text_append_string(out, "-");
        } else if (json_is_boolean(value)) {
                text_append_string(out, json_is_true(value) ? "true" : "false");
        } else if (json_is_array(value)) {
                for (size_t i = 0; i < json_array_size(value); i++) {
                        text_append_string(out, i ? ", " : "");
                        append_value(out, json_array_get(value, i));
                }
        } else {
                auto_free char *printed = document_print(value);
                append_plain(out, printed);
        }
}

static size_t width_of(const json_t *rows, const char *column)
{
        size_t width = strlen(column);

        for (size_t i = 0; i < json_array_size(rows); i++) {
                auto_text cell = TEXT_WITH_MAXIMUM(CELL_MAXIMUM);
                append_value(&cell, json_object_get(json_array_get(rows, i), column));
                size_t characters = utf8_count(text_string(&cell), cell.length);
                width = characters > width ? characters : width;
        }
        return width;
}

static void append_padded(struct text *out, const char *cell, size_t width, bool is_last)
{
        size_t characters = utf8_count(cell, strlen(cell));

        text_append_string(out, cell);
        for (; !is_last && characters < width + 2; characters++)
                text_append_string(out, " ");
}

/* The columns are the members of the first row. */
static void append_table(struct text *out, json_t *rows)
{
        json_t *first = json_array_get(rows, 0), *value;
        size_t columns = json_object_size(first);
        auto_free size_t *widths = memory_new(columns * sizeof *widths);
        const char *name;
        size_t column = 0;

        json_object_foreach(first, name, value)
        {
                widths[column] = width_of(rows, name);
                append_padded(out, name, widths[column], column + 1 == columns);
                column++;
        }
        text_append_string(out, "\n");
        for (size_t i = 0; i < json_array_size(rows); i++) {
                column = 0;
                json_object_foreach(first, name, value)
                {
                        auto_text cell = TEXT_WITH_MAXIMUM(CELL_MAXIMUM);
                        append_value(&cell, json_object_get(json_array_get(rows, i), name));
                        append_padded(out, text_string(&cell), widths[column], column + 1 == columns);
                        column++;
                }
                text_append_string(out, "\n");
        }
}

void words_print(const json_t *result, struct text *out)
{
        const char *name;
        json_t *value;

        json_object_foreach((json_t *)result, name, value)
        {
                if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
                        append_table(out, value);
                } else if (json_is_array(value) && !json_array_size(value)) {
                        text_printf(out, "no %s\n", name);
                } else {
                        text_printf(out, "%s: ", name);
                        append_value(out, value);
                        text_append_string(out, "\n");
                }
        }
}
