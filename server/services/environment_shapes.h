/* Output tables of environments, which the doors share. */
#ifndef SERVICES_ENVIRONMENT_SHAPES_H
#define SERVICES_ENVIRONMENT_SHAPES_H

#include "server/base/field.h"

/* An environment, as lists show it. */
extern const struct field_table environment_shape;
/* The same with its configuration. */
extern const struct field_table environment_details_shape;

#endif
