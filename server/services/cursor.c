#include "server/services/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/text.h"

#define DIGITS "0123456789abcdefghijklmnopqrstuvwxyz"
/* As many as certainly make no number that is too large. */
#define DIGITS_MAXIMUM 12

bool cursor_read(const char **cursor, char letter, int64_t *number)
{
        size_t length = **cursor == letter ? strspn(*cursor + 1, DIGITS) : 0;

        if (!length || length > DIGITS_MAXIMUM)
                return false;
        auto_free char *digits = text_format("%.*s", (int)length, *cursor + 1);
        *number = strtoll(digits, NULL, 36);
        *cursor += 1 + length;
        return true;
}

char *cursor_write(char letter, int64_t number)
{
        char digits[16], *at = digits + sizeof digits - 1;

        *at = '\0';
        do {
                *--at = DIGITS[number % 36];
                number /= 36;
        } while (number);
        return text_format("%c%s", letter, at);
}
