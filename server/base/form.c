#include "server/base/form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool form_put(json_t *form, const char *name, const char *value, struct error *error)
{
        if (!utf8_is_valid(name, strlen(name)) || !utf8_is_valid(value, strlen(value)))
                return error_set(error, ERROR_INVALID_INPUT, "a parameter is not UTF-8");
        if (json_object_get(form, name))
                return error_set(error, ERROR_INVALID_INPUT, "%.100s is given more than once", name);
        if (json_object_size(form) == FORM_PARAMETER_MAXIMUM)
                return error_set(error, ERROR_INVALID_INPUT, "there are more than %d parameters",
                                 FORM_PARAMETER_MAXIMUM);
        json_object_set_new(form, name, json_string(value));
        return true;
}

static int hex(char digit)
{
        return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* The decoded text on the heap, NULL when it holds a NUL. A '%' that begins no escape stands for itself. */
static char *decode(const char *bytes, size_t length)
{
        auto_free char *text = memory_new(length + 1);
        char *out = text;

        for (size_t i = 0; i < length; i++) {
                char byte = bytes[i] == '+' ? ' ' : bytes[i];
                if (byte == '%' && length - i > 2 && isxdigit((unsigned char)bytes[i + 1]) &&
                    isxdigit((unsigned char)bytes[i + 2])) {
                        byte = (char)(hex(bytes[i + 1]) * 16 + hex(bytes[i + 2]));
                        i += 2;
                }
                if (!byte)
                        return NULL;
                *out++ = byte;
        }
        return take(text);
}

static bool put_pair(json_t *form, const char *pair, size_t length, struct error *error)
{
        const char *mark = memchr(pair, '=', length);
        size_t name_length = mark ? (size_t)(mark - pair) : length;
        auto_free char *name = decode(pair, name_length);
        auto_free char *value = mark ? decode(mark + 1, length - name_length - 1) : text_copy("");

        if (!name || !value)
                return error_set(error, ERROR_INVALID_INPUT, "a parameter holds a NUL character");
        return form_put(form, name, value, error);
}

json_t *form_parse(const char *bytes, size_t length, struct error *error)
{
        json_t *form = json_object();
        const char *at = bytes, *end = bytes + length;

        while (at < end) {
                const char *mark = memchr(at, '&', (size_t)(end - at));
                const char *stop = mark ? mark : end;
                if (stop > at && !put_pair(form, at, (size_t)(stop - at), error)) {
                        json_decref(form);
                        return NULL;
                }
                at = stop + 1;
        }
        return form;
}

static void append_encoded(struct text *out, const char *value)
{
        for (; *value; value++) {
                if (strchr(LETTERS "0123456789-._~", *value))
                        text_append(out, value, 1);
                else
                        text_printf(out, "%%%02X", (unsigned)(unsigned char)*value);
        }
}

void form_append(struct text *out, const char *name, const char *value)
{
        char last = out->length ? out->data[out->length - 1] : '&';

        if (last != '&' && last != '?')
                text_append_string(out, "&");
        append_encoded(out, name);
        text_append_string(out, "=");
        append_encoded(out, value);
}

void form_print(json_t *form, struct text *out)
{
        const char *name;
        json_t *value;

        json_object_foreach(form, name, value) form_append(out, name, json_string_value(value));
}
