/* Saved changes in the store: what a task's repositories were at the end of each turn. */
#ifndef STORE_SAVED_CHANGE_H
#define STORE_SAVED_CHANGE_H

#include "server/store/store.h"

/* Owns its strings. Counts are -1 when they are not known. */
struct store_saved_change {
        char *repository, *state, *reason;
        char *base, *branch, *tree; /* NULL: not known; base "": there was no commit */
        char *from, *to;            /* NULL: nothing differs, or it is not known */
        int64_t files, additions, deletions;
        bool is_whole;
        char *left_out; /* a JSON array, opaque here; NULL: none */
};
void store_saved_change_clear(struct store_saved_change *change);

/* All of one turn; turn 0: nothing was ever saved. */
struct store_saved_changes {
        int64_t turn, ordinal, conversation_index;
        struct store_saved_change *items;
        size_t count;
};
void store_saved_changes_clear(struct store_saved_changes *changes);
#define auto_store_saved_changes CLEANUP(store_saved_changes_clear) struct store_saved_changes

/* The commit that the task began with; NULL in *base when it is not known. The caller frees it. */
MUST_CHECK bool store_saved_change_base_find(struct store_db *db, int64_t task, const char *repository, char **base,
                                             struct error *error);
MUST_CHECK bool store_saved_change_base_set(struct store_db *db, int64_t task, const char *repository, const char *base,
                                            struct error *error);
MUST_CHECK bool store_saved_change_add(struct store_db *db, int64_t turn, const struct store_saved_change *change,
                                       struct error *error);
/* Those of the newest turn of the conversation that has any. */
MUST_CHECK bool store_saved_change_list(struct store_db *db, int64_t task, struct store_saved_changes *changes,
                                        struct error *error);
/* Copies those of the source's turns up to the ordinal to the turns of the same ordinals of the task. */
MUST_CHECK bool store_saved_change_fork(struct store_db *db, int64_t task, int64_t source, int64_t ordinal,
                                        struct error *error);

#endif
