/* Internal to the runtime: saving what a turn made of the task's repositories.
 *
 * git in the container writes each work tree as a tree and hands out what the beginning has not, as the agent's user in
 * a run of its own; a short-lived worker takes that up strictly, into a bare repository of the task's
 * (git/change.h). A turn never fails by it: what could not be saved is recorded as unavailable, with one of the reasons
 *   missing               the workspace has no such repository
 *   broken                git cannot read it
 *   too_large             more was changed than is handed out
 *   refused               git on this side did not take what was handed out
 *   beginning_unknown     the commit that the work began with is not in the mirror any more
 *   disk_full             there is no room for it
 *   not_finished          it took too long, or ended in another way
 *   container_not_running the container ended with the turn */
#ifndef SERVICES_CHANGES_SAVE_H
#define SERVICES_CHANGES_SAVE_H

#include "server/services/runtime_parts.h"
#include "server/store/saved_change.h"

#define CHANGES_REPOSITORIES_MAXIMUM 60

/* What is to be recorded of a turn. */
struct changes_set {
        struct store_saved_change items[CHANGES_REPOSITORIES_MAXIMUM];
        bool is_told[CHANGES_REPOSITORIES_MAXIMUM];    /* the container told of it */
        int64_t offsets[CHANGES_REPOSITORIES_MAXIMUM]; /* of its pack in what the container handed out */
        int64_t sizes[CHANGES_REPOSITORIES_MAXIMUM];   /* 0: there is none */
        json_t *left_out[CHANGES_REPOSITORIES_MAXIMUM];
        size_t count;
};
void changes_set_clear(struct changes_set *set);

/* Saves the changes of a turn that has begun and ended, and fills the set (zeroed). It is empty when nothing needs to be
 * recorded. False only when the server stops (ERROR_CANCELLED) or the store cannot be read: it is to be tried again.
 * Blocks. */
MUST_CHECK bool changes_save(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
                             struct changes_set *set, struct error *error);
/* Records the set in the piece of work that ends the turn. */
MUST_CHECK bool changes_record(struct store_db *db, int64_t turn, const struct changes_set *set, struct error *error);

/* changes_facts.c: what the script in the container told, of which nothing is believed that it could not know. Whoever
 * is not named stays as it is. */
void changes_facts_read(struct changes_set *set, char *text, int64_t packs_size);
/* Marks an item as unavailable. */
void changes_set_gone(struct store_saved_change *change, const char *reason);

#endif
