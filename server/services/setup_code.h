/* The file with the one-time code for the first administrator (server/services/setup.h). */
#ifndef SERVICES_SETUP_CODE_H
#define SERVICES_SETUP_CODE_H

#include "server/base/error.h"
#include "server/services/letter_code.h"

#define SETUP_CODE_NAME "setup-code"
#define SETUP_CODE_LETTERS 16
#define SETUP_CODE_SIZE LETTER_CODE_SIZE(SETUP_CODE_LETTERS)

/* Makes a new code and writes it to the data folder (mode 0600). */
MUST_CHECK bool setup_code_make(const char *data_folder, char code[SETUP_CODE_SIZE], struct error *error);
/* Whether what a person typed is the code; never when there is no file. */
bool setup_code_is_right(const char *data_folder, const char *typed);
/* Removes it: nothing is right any more. */
void setup_code_remove(const char *data_folder);

#endif
