/* Comments on tasks in the store. */
#ifndef STORE_COMMENT_H
#define STORE_COMMENT_H

#include "server/store/store.h"

/* Owns its strings. */
struct store_comment {
        char *id;
        int64_t author; /* 0: they are gone */
        char *author_id, *author_name;
        char *body;
        int64_t created_at, edited_at; /* edited_at 0: never */
};
void store_comment_clear(struct store_comment *comment);
#define auto_store_comment CLEANUP(store_comment_clear) struct store_comment

struct store_comments {
        struct store_comment *items;
        size_t count;
};
void store_comments_clear(struct store_comments *comments);
#define auto_store_comments CLEANUP(store_comments_clear) struct store_comments

MUST_CHECK bool store_comment_add(struct store_db *db, const char *id, int64_t task, int64_t author, const char *body,
                                  int64_t now, struct error *error);
/* *is_done is false when the author has no such comment on the task. */
MUST_CHECK bool store_comment_edit(struct store_db *db, const char *id, int64_t task, int64_t author, const char *body,
                                   int64_t now, bool *is_done, struct error *error);
MUST_CHECK bool store_comment_remove(struct store_db *db, const char *id, int64_t task, int64_t author, bool *is_done,
                                     struct error *error);
MUST_CHECK bool store_comment_count(struct store_db *db, int64_t task, int64_t *count, struct error *error);
/* Oldest first. */
MUST_CHECK bool store_comment_list(struct store_db *db, int64_t task, int64_t limit, int64_t offset,
                                   struct store_comments *comments, struct error *error);
MUST_CHECK bool store_comment_find(struct store_db *db, const char *id, int64_t task, struct store_comment *comment,
                                   bool *is_found, struct error *error);

#endif
