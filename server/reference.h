/* The reference documentation, printed from the tables: there is no hand-written copy. */
#ifndef SERVER_REFERENCE_H
#define SERVER_REFERENCE_H

#include "server/base/field.h"

struct reference_input {
        const char *section; /* NULL: all */
};
extern const struct field_table reference_table;

/* Appends Markdown: one section, or all of them. */
void reference_print(const char *section, struct text *out);

#endif
