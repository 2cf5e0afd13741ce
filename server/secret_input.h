/* Secrets on the command line come by standard input or from a file: arguments are seen by others. */
#ifndef SERVER_SECRET_INPUT_H
#define SERVER_SECRET_INPUT_H

#include "server/base/field.h"

/* The row of a command's secret (its format is "password"), NULL when it takes none. */
const struct field *secret_input_row(const struct field_table *table);
/* Reads the secret from the file, or from `input` to its end when that is NULL, and puts it among the arguments. The
 * line end behind a value that is not to be a file does not count. ERROR_INVALID_INPUT, or the file's error. */
MUST_CHECK bool secret_input_read(int input, const char *file, const struct field *row, json_t *arguments,
                                  struct error *error);

#endif
