/* Output tables of tasks, which the doors share. */
#ifndef SERVICES_TASK_SHAPES_H
#define SERVICES_TASK_SHAPES_H

#include "server/base/field.h"

/* A task, as lists and creation show it. */
extern const struct field_table task_shape;
/* Who created something. */
extern const struct field_table person_shape;
/* The same with what get_task adds. */
extern const struct field_table task_details_shape;
extern const struct field_table failure_shape;
extern const struct field_table provenance_shape;

#endif
