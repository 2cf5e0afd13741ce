/* The reference documentation, made from the tables that the program itself runs on. */
#ifndef SERVER_REFERENCE_H
#define SERVER_REFERENCE_H

#include "server/base/error.h"
#include "server/base/text.h"

#define REFERENCE_MAXIMUM (1024 * 1024)

/* Appends a section, or all of them for NULL, as Markdown. ERROR_NOT_FOUND names the sections that there are. */
MUST_CHECK bool reference_print(const char *section, struct text *out, struct error *error);

#endif
