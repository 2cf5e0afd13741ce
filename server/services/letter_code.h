/* Codes that people read and type: capital letters that cannot be mistaken for one another or make words, in groups of
 * four ("WDJB-MJHT", RFC 8628, section 6.1). A letter is worth more than four bits. */
#ifndef SERVICES_LETTER_CODE_H
#define SERVICES_LETTER_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "server/base/cleanup.h"

/* Bytes of a code of so many letters, dashes and NUL included. */
#define LETTER_CODE_SIZE(letters) ((letters) + ((letters)-1) / 4 + 1)

/* Writes a new random code of so many letters. */
void letter_code_new(char *code, size_t letters);
/* Brings what a person typed (small letters, spaces, dashes missing or elsewhere) to the form in which it was written;
 * false when it is no code of so many letters. */
MUST_CHECK bool letter_code_read(const char *typed, char *code, size_t letters);

#endif
