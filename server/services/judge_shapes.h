/* Output tables of judges, shared by doors. */
#ifndef SERVICES_JUDGE_SHAPES_H
#define SERVICES_JUDGE_SHAPES_H

#include "server/base/field.h"

/* What a run answers. */
extern const struct field_table judge_run_shape;
/* get_task_output's sections of a judge. */
extern const struct field_table recommendation_shape;

#endif
