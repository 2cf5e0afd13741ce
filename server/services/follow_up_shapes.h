/* What answers about follow-up queues look like. */
#ifndef SERVICES_FOLLOW_UP_SHAPES_H
#define SERVICES_FOLLOW_UP_SHAPES_H

#include "server/base/field.h"

extern const struct field_table queue_entry_shape, queue_shape;

#endif
