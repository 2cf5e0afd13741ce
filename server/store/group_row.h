/* Internal to the store: reading a row of GROUP_COLUMNS. */
#ifndef STORE_GROUP_ROW_H
#define STORE_GROUP_ROW_H

#include "server/store/group.h"
#include "server/store/query.h"

struct store_group group_row_read(struct query *query);

#endif
