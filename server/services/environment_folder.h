/* Internal to the registry of environments: the folders below SETUP/environments. */
#ifndef SERVICES_ENVIRONMENT_FOLDER_H
#define SERVICES_ENVIRONMENT_FOLDER_H

#include <stddef.h>

#include "server/base/error.h"

#define ENVIRONMENT_FOLDER_NAME "environments"
#define ENVIRONMENT_FOLDER_MAXIMUM 10000

/* Names in no order; owns them. */
struct environment_names {
        char **items;
        size_t count;
};
void environment_names_clear(struct environment_names *names);
#define auto_environment_names CLEANUP(environment_names_clear) struct environment_names

/* The folders in the open folder; hidden ones are left out. ERROR_UNAVAILABLE when it cannot be read to its end,
 * ERROR_TOO_MANY when there are more than ENVIRONMENT_FOLDER_MAXIMUM. */
MUST_CHECK bool environment_folder_list(int folder, struct environment_names *names, struct error *error);

#endif
