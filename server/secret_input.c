#include "server/secret_input.h"

#include <string.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/base/secret.h"

#define VALUE_MAXIMUM (64 * 1024)

const struct field *secret_input_row(const struct field_table *table)
{
        for (size_t i = 0; table && i < table->count; i++)
                if (table->rows[i].format && !strcmp(table->rows[i].format, "password"))
                        return &table->rows[i];
        return NULL;
}

static void read_input(int input, struct text *value)
{
        char buffer[4096];
        ssize_t got;

        while ((got = read(input, buffer, sizeof buffer)) > 0)
                text_append(value, buffer, (size_t)got);
        secret_wipe(buffer, sizeof buffer);
}

/* It belongs to the one who typed the value. */
static void strip_line_end(struct text *value)
{
        if (value->length && value->data[value->length - 1] == '\n')
                value->data[--value->length] = '\0';
        if (value->length && value->data[value->length - 1] == '\r')
                value->data[--value->length] = '\0';
}

bool secret_input_read(int input, const char *file, const struct field *row, json_t *arguments, struct error *error)
{
        auto_text value = TEXT_WITH_MAXIMUM(VALUE_MAXIMUM);
        const char *as = document_get_string(arguments, "as");

        if (file && !path_read(file, VALUE_MAXIMUM, &value, NULL, error))
                return false;
        if (!file)
                read_input(input, &value);
        if (!as || strcmp(as, "file") != 0)
                strip_line_end(&value);
        if (!value.length || value.is_cut)
                return error_set(error, ERROR_INVALID_INPUT,
                                 value.is_cut ? "the value is too large"
                                              : "no value came: give it on standard input, or with --file PATH");
        bool is_text = utf8_is_valid(value.data, value.length) && !memchr(value.data, '\0', value.length);
        if (is_text)
                json_object_set_new(arguments, row->name, json_stringn(value.data, value.length));
        secret_wipe(value.data, value.length);
        return is_text || error_set(error, ERROR_INVALID_INPUT, "the value must be UTF-8 text without NUL");
}
