/* Identifiers, all opaque to clients. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stdbool.h>
#include <stdint.h>

#define ID_SIZE 40

/* A task id: milliseconds since the epoch, a hyphen, nine random base36 digits. */
void id_new_task(int64_t now, char id[ID_SIZE]);
/* An id of another kind: `prefix`, a hyphen, sixteen random base36 digits. The prefix has at most eight characters. */
void id_new(const char *prefix, char id[ID_SIZE]);
/* Whether the text has the shape of a task id (digits, hyphen, 7 to 9 base36 digits), so that it may name a folder. */
bool id_is_task(const char *text);
/* Whether the text is a UUID in its usual form (RFC 9562, section 4). */
bool id_is_uuid(const char *text);

#endif
