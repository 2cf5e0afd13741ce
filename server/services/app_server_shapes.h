/* Tables of the application server that the doors share. */
#ifndef SERVICES_APP_SERVER_SHAPES_H
#define SERVICES_APP_SERVER_SHAPES_H

#include "server/base/field.h"

/* What app_server_status and the changes answer. */
extern const struct field_table app_server_shape;
/* struct app_server_change_input. */
extern const struct field_table app_server_change_table;

#endif
