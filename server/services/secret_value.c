#include "server/services/secret_value.h"

#include <string.h>

#include "server/base/path.h"
#include "server/services/value_set.h"

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

const char *const secret_ways[] = {"variable", "file", NULL};

bool secret_name_is_valid(const char *name)
{
        return *name && strchr(CAPITALS, *name) && !name[strspn(name, CAPITALS DIGITS "_")];
}

bool secret_path_is_valid(const char *path)
{
        return path_is_plain(path) && !path[strspn(path, CAPITALS "abcdefghijklmnopqrstuvwxyz" DIGITS "._-/")];
}

bool secret_value_check(const char *value, struct error *error)
{
        if (!*value)
                return error_set(error, ERROR_INVALID_INPUT, "value is required: the secret itself");
        if (strlen(value) > SEAL_VALUE_MAXIMUM)
                return error_set(error, ERROR_INVALID_INPUT, "value must be at most %d bytes", SEAL_VALUE_MAXIMUM);
        for (const char *line = value; *line; line += *line == '\n') {
                size_t length = strcspn(line, "\n");
                if (length > SECRET_VALUE_MAXIMUM)
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "value must have no line of more than %d bytes: it could not be found in "
                                         "texts to be left out",
                                         SECRET_VALUE_MAXIMUM);
                line += length;
        }
        return true;
}

bool secret_value_is_redacted(const char *value)
{
        return utf8_count(value, strlen(value)) >= SECRET_VALUE_MINIMUM;
}
