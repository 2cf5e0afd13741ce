/* Internal to the store: reading a row of TASK_COLUMNS. */
#ifndef STORE_TASK_ROW_H
#define STORE_TASK_ROW_H

#include "server/store/query.h"
#include "server/store/task.h"

struct store_task task_row_read(struct query *query);

#endif
