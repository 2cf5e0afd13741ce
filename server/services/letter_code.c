#include "server/services/letter_code.h"

#include <ctype.h>
#include <string.h>

#include "server/base/secret.h"

static const char alphabet[] = "BCDFGHJKLMNPQRSTVWXZ";

/* Where the letter with that number stands. */
static size_t place(size_t letter)
{
        return letter + letter / 4;
}

static void put(char *code, size_t letter, char value)
{
        if (letter && letter % 4 == 0)
                code[place(letter) - 1] = '-';
        code[place(letter)] = value;
        code[place(letter) + 1] = '\0';
}

void letter_code_new(char *code, size_t letters)
{
        for (size_t i = 0; i < letters; i++)
                put(code, i, alphabet[secret_random_below(sizeof alphabet - 1)]);
}

bool letter_code_read(const char *typed, char *code, size_t letters)
{
        size_t count = 0;

        for (; *typed; typed++) {
                char letter = (char)toupper((unsigned char)*typed);
                if (letter == '-' || letter == ' ')
                        continue;
                if (!strchr(alphabet, letter) || count == letters)
                        return false;
                put(code, count++, letter);
        }
        return count == letters;
}
