/* Internal to the store: lists whose statements are composed from a filter, prepared once per combination. */
#ifndef STORE_LIST_QUERY_H
#define STORE_LIST_QUERY_H

#include "server/base/text.h"
#include "server/store/query.h"

/* The users that share a team with ?1, and ?1. */
#define TEAM_MATES                                                                                                     \
        "(SELECT ?1 UNION SELECT o.user FROM team_members m JOIN team_members o ON o.team = m.team WHERE m.user = ?1)"

struct list_cache;
void list_cache_free(struct list_cache *cache);

/* The prepared statement of the SQL, from the connection's cache. */
MUST_CHECK bool list_query_begin(struct store_db *db, const char *sql, struct query *query, struct error *error);

/* Lists of parameters are padded to powers of two, so that few statements serve all lengths. */
size_t list_padded(size_t count);
/* Appends "COLUMN IN (?first, ...)" for so many values. */
void list_append(struct text *sql, const char *column, int first, size_t count);
void list_bind(sqlite3_stmt *statement, int first, const int64_t *values, size_t count);

#endif
