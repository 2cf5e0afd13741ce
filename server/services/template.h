/* Task templates: files environments/NAME/templates/TEMPLATE.json in the setup folder, read at use.
 *
 * A template's instructions carry {{parameter}} where a value goes; values are checked against its parameters. */
#ifndef SERVICES_TEMPLATE_H
#define SERVICES_TEMPLATE_H

#include "server/base/field.h"
#include "server/services/services.h"

extern const struct field_table template_table;

struct template_list_input {
        const char *environment;
};
/* {environment, templates: [{name, title, description, parameters}]}, by name; a broken one carries its reason. Reads.
 */
MUST_CHECK bool template_list(struct call *call, const struct template_list_input *input, json_t **result,
                              struct error *error);

/* The template's instructions with the values in their places; the caller frees it. NULL with ERROR_TEMPLATE_NOT_FOUND,
 * ERROR_PARAMETER_UNKNOWN, ERROR_PARAMETER_MISSING, ERROR_PARAMETER_INVALID. `values` maps names to strings and may be
 * NULL. */
char *template_render(const struct services *services, const char *environment, const char *name, const json_t *values,
                      struct error *error);

#endif
