/* Internal to the store: a grant's columns in the rows of others. */
#ifndef STORE_OAUTH_ROW_H
#define STORE_OAUTH_ROW_H

#include "server/store/oauth.h"
#include "server/store/query.h"

/* The grant of OAUTH_GRANT_LIST, whose first column is `column`. The caller owns its strings. */
struct store_oauth_grant store_oauth_grant_row(struct query *query, int column);

#endif
