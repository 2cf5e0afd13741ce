/* A result in words, for the command line. */
#ifndef SERVER_WORDS_H
#define SERVER_WORDS_H

#include <jansson.h>

#include "server/base/text.h"

/* Writes members that are single values as "name: value" lines and lists of objects as tables with aligned columns. */
void words_print(const json_t *result, struct text *out);

#endif
