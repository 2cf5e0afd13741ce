#include "server/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct error_kind kinds[] = {
#define ERROR(constant, code, status, sentence) [ERROR_##constant] = {code, status, sentence},
#include "server/base/error.def"
#undef ERROR
};

/* Drops the bytes of a character that the end of the message cut in two. */
static void cut_at_character(char *text)
{
        size_t length = strlen(text), start = length;

        while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
                start--;
        if (start == 0)
                return;
        unsigned char lead = (unsigned char)text[start - 1];
        size_t wanted = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
        if (length - start < wanted)
                text[start - 1] = '\0';
}

PRINTF_LIKE(4, 0)
static void set(struct error *error, enum error_code code, json_t *details, const char *format, va_list arguments)
{
        error_clear(error);
        error->code = code;
        error->details = details;
        if (format)
                vsnprintf(error->message, sizeof error->message, format, arguments);
        else
                snprintf(error->message, sizeof error->message, "%s", error_kind(code)->sentence);
        cut_at_character(error->message);
}

bool error_set(struct error *error, enum error_code code, const char *format, ...)
{
        va_list arguments;

        va_start(arguments, format);
        set(error, code, NULL, format, arguments);
        va_end(arguments);
        return false;
}

bool error_set_details(struct error *error, enum error_code code, json_t *details, const char *format, ...)
{
        va_list arguments;

        va_start(arguments, format);
        set(error, code, details, format, arguments);
        va_end(arguments);
        return false;
}

bool error_prefix(struct error *error, const char *format, ...)
{
        char prefix[256], message[sizeof error->message];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(prefix, sizeof prefix, format, arguments);
        va_end(arguments);
        memcpy(message, error->message, sizeof message);
        int written = snprintf(error->message, sizeof error->message, "%s: %s", prefix, message);
        if (written >= (int)sizeof error->message)
                cut_at_character(error->message);
        return false;
}

void error_clear(struct error *error)
{
        json_decref(error->details);
        error->details = NULL;
        error->code = ERROR_NONE;
        error->message[0] = '\0';
}

bool error_move(struct error *to, struct error *from)
{
        error_clear(to);
        *to = *from;
        from->details = NULL;
        error_clear(from);
        return false;
}

enum error_code error_code_of_errno(int number, enum error_code otherwise)
{
        return number == ENOSPC || number == EDQUOT ? ERROR_STORE_FULL : otherwise;
}

const struct error_kind *error_kind(enum error_code code)
{
        return &kinds[code];
}
