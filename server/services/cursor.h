/* Cursors of lists that go on behind the row with a number: a letter that says of which list, and the number in
 * base 36.
 */
#ifndef SERVICES_CURSOR_H
#define SERVICES_CURSOR_H

#include <stdint.h>

#include "server/base/error.h"

/* Reads a number behind the letter from *cursor and moves it on; false when there is none. */
MUST_CHECK bool cursor_read(const char **cursor, char letter, int64_t *number);
/* The letter and the number; the caller frees it. */
char *cursor_write(char letter, int64_t number);

#endif
