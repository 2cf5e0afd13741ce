/* Internal to the store: attachments, of turns and of follow-ups alike. */
#ifndef STORE_ATTACHMENT_ROW_H
#define STORE_ATTACHMENT_ROW_H

#include "server/store/attachment.h"
#include "server/store/query.h"

/* Reads the rows (name, size, upload) of a query that is bound. */
MUST_CHECK bool attachment_rows_read(struct query *query, struct store_attachments *attachments, struct error *error);

#endif
