#include "server/base/id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/secret.h"

/* Random bytes below 252 are seven whole turns of 36, so that no digit comes more often than another. */
static void append_base36(char *out, int digits)
{
        static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        uint8_t bytes[32];
        int done = 0;

        while (done < digits) {
                secret_random(bytes, sizeof bytes);
                for (size_t i = 0; i < sizeof bytes && done < digits; i++)
                        if (bytes[i] < 252)
                                out[done++] = alphabet[bytes[i] % 36];
        }
        out[digits] = '\0';
}

void id_new_task(int64_t now, char id[ID_SIZE])
{
        int length = snprintf(id, ID_SIZE, "%" PRId64 "-", now);

        append_base36(id + length, 9);
}

void id_new(const char *prefix, char id[ID_SIZE])
{
        int length = snprintf(id, ID_SIZE, "%.8s-", prefix);

        append_base36(id + length, 16);
}

bool id_is_task(const char *text)
{
        size_t digits = strspn(text, "0123456789");

        if (digits < 1 || digits > 16 || text[digits] != '-')
                return false;
        size_t random = strspn(text + digits + 1, "0123456789abcdefghijklmnopqrstuvwxyz");
        return random >= 7 && random <= 9 && !text[digits + 1 + random];
}

bool id_is_uuid(const char *text)
{
        static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

        if (strlen(text) != sizeof shape - 1)
                return false;
        for (size_t i = 0; shape[i]; i++)
                if (shape[i] == '-' ? text[i] != '-' : !strchr("0123456789abcdefABCDEF", text[i]))
                        return false;
        return true;
}
