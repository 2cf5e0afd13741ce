/* Output tables of groups, which the doors share. */
#ifndef SERVICES_GROUP_SHAPES_H
#define SERVICES_GROUP_SHAPES_H

#include "server/base/field.h"

/* A group, as lists show it. */
extern const struct field_table group_shape;
/* The same with its tasks. */
extern const struct field_table group_details_shape;

/* clang-format off */
/* What every rename answers with. */
#define RENAME_ROWS \
        OUT_STRINGS("renamedTaskIds", .is_required = true, .help = "Every task that was renamed and that you can see."), \
        OUT_ANY("previousNames", .help = "The name each had before, null for none, by task id."), \
        OUT_MAP("newNames", .help = "The name each has now, by task id."), \
        OUT_ANY("previousNameSources", .help = "Whether the previous name was generated, chosen or unset (null).")
/* What every change of pins answers with. */
#define PIN_ROWS \
        OUT_ANY("previousPinSnoozedUntil", .help = "Until when each was put aside before, null for not, by task id."), \
        OUT_ANY("pinSnoozeVersionByTaskId", .help = "Version of your pin of each task, by its id; it never goes down.")
/* clang-format on */

#endif
