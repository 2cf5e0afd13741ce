/* The reference documentation, made from the tables that the program itself runs on. */
#ifndef SERVER_REFERENCE_H
#define SERVER_REFERENCE_H

#include "server/base/field.h"

#define REFERENCE_MAXIMUM (1024 * 1024)

/* The argument of `longshored reference`. */
struct reference_input {
        const char *section; /* NULL: all */
};
extern const struct field_table reference_table;

/* Appends a section, or all of them for NULL, as Markdown. ERROR_NOT_FOUND names the sections that there are. */
MUST_CHECK bool reference_print(const char *section, struct text *out, struct error *error);

/* The section on the MCP server: revisions, toolsets, prompts, resources and errors. */
void reference_print_mcp(struct text *out);

#endif
