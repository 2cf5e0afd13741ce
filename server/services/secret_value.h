/* What a secret may be. */
#ifndef SERVICES_SECRET_VALUE_H
#define SERVICES_SECRET_VALUE_H

#include "server/services/seal.h"

#define SECRET_NAME_MAXIMUM 100
#define SECRET_NAME_SHAPE "a capital letter, then capital letters, digits and underscores"
#define SECRET_PATH_SHAPE "a relative path of letters, digits, dots, hyphens and underscores"

bool secret_name_is_valid(const char *name);
bool secret_path_is_valid(const char *path);
extern const char *const secret_ways[]; /* variable, file; NULL-ended */

/* Whether every part of the value that is long enough can be found again in texts: it is not empty, not larger than
 * SEAL_VALUE_MAXIMUM, and no line of it is longer than SECRET_VALUE_MAXIMUM. ERROR_INVALID_INPUT. */
MUST_CHECK bool secret_value_check(const char *value, struct error *error);
/* Whether the value is long enough to be left out of texts. */
bool secret_value_is_redacted(const char *value);

#endif
