/* Parameters that are declared with a template or a test, and the values that people give for them. */
#ifndef SERVICES_PARAMETER_H
#define SERVICES_PARAMETER_H

#include "server/base/field.h"

struct parameter {
        const char *name, *label, *description, *type, *fallback;
        bool required, multiSelect;
        int allowCustomValue; /* -1: true, but for a select */
        struct field_strings options;
        json_t *optionDetails;
};
extern const struct field_table parameter_table;

/* {name, label, description?, type, required, default?, options?, optionsEnforced?, optionDetails?, multiSelect?}; the
 * caller owns it. */
json_t *parameter_view(const struct parameter *parameter);

/* Whether every value is one of a declared parameter (struct parameter) and allowed for it, and none that is required
 * is missing. `values` maps names to strings and may be NULL; `owner` names what declares them. ERROR_PARAMETER_UNKNOWN
 * with {declared}, ERROR_PARAMETER_MISSING, ERROR_PARAMETER_INVALID. */
MUST_CHECK bool parameters_check(const struct field_objects *declared, const json_t *values, const char *owner,
                                 struct error *error);
/* The value of a parameter: the given one, else its default, else "". Of a multiSelect the members without blanks
 * around them. The caller frees it; NULL on error. */
char *parameter_value(const struct parameter *parameter, const json_t *values, struct error *error);

#endif
