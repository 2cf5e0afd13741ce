/* What answers about saved changes and comments look like. */
#ifndef SERVICES_CHANGES_SHAPES_H
#define SERVICES_CHANGES_SHAPES_H

#include "server/base/field.h"

extern const struct field_table changes_list_shape, changes_diff_shape, review_shape, comment_shape, comment_list_shape;

#endif
