/* Internal to the store: a prepared statement in use. Binding and column functions keep the SQL calls short. */
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include <sqlite3.h>

#include "server/store/statements.h"
#include "server/store/store.h"

struct store_db {
        sqlite3 *connection;
        sqlite3_stmt *statements[STATEMENT_COUNT];
        struct list_cache *lists; /* composed list statements, owned by list_query.c */
        struct store *store;
        bool is_access_changed;
        bool is_waking;
        bool is_feed_grown;
};

/* A statement that is reset when the variable leaves its scope. */
struct query {
        sqlite3_stmt *statement;
        sqlite3 *connection;
        int bound;
};
void query_end(struct query *query);
#define auto_query CLEANUP(query_end) struct query

/* Takes the statement, preparing it at its first use on this connection; parameters are bound in order by the query_*
 * functions below. */
struct query query_begin(struct store_db *db, enum statement which);
void query_text(struct query *query, const char *value); /* NULL binds NULL; must live until the end of the query */
void query_integer(struct query *query, int64_t value);
void query_optional(struct query *query, int64_t value);     /* 0 binds NULL */
void query_maybe(struct query *query, const int64_t *value); /* NULL binds NULL */
void query_blob(struct query *query, const void *bytes, size_t length);

/* Steps to the next row: sets *is_row; false on a failure of the store. */
MUST_CHECK bool query_next(struct query *query, bool *is_row, struct error *error);
/* Runs a statement that returns nothing; *changed (may be NULL) gets the number of rows it touched. */
MUST_CHECK bool query_run(struct query *query, int *changed, struct error *error);

/* The first column of all rows, integers, as a heap list that the caller frees; NULL when there are none. */
MUST_CHECK bool query_integers(struct query *query, int64_t **list, size_t *count, struct error *error);

/* Columns of the current row. Strings are heap copies, NULL for NULL. */
char *query_column_text(struct query *query, int column);
/* A blob's bytes, of `length`; NULL for NULL and for an empty one. */
uint8_t *query_column_blob(struct query *query, int column, size_t *length);
int64_t query_column_integer(struct query *query, int column);
/* Whether the column is NULL. */
bool query_column_is_null(struct query *query, int column);

/* Turns the connection's last failure into an error; returns false. */
bool query_failure(sqlite3 *connection, struct error *error);
void query_finalize_all(struct store_db *db);

#endif
