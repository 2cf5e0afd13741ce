/* The branch of a task's conversation in the store: turns that were rewound away have no conversation index. */
#ifndef STORE_REWIND_H
#define STORE_REWIND_H

#include "server/store/store.h"

/* Discards the turns behind the ordinal; the latest reply is then the newest that is left. *discarded counts them. */
MUST_CHECK bool store_rewind(struct store_db *db, int64_t task, int64_t ordinal, int *discarded, struct error *error);
/* How many turns of the conversation are behind the ordinal. */
MUST_CHECK bool store_turns_since(struct store_db *db, int64_t task, int64_t ordinal, int64_t *count,
                                  struct error *error);

/* The turn that another one goes on from: the last of the conversation that an agent was told. Owns its strings. */
struct store_turn_before {
        int64_t ordinal; /* 0: there is none */
        int64_t latest;  /* of all that an agent was told, rewound away or not */
        char *conversation_files, *agent;
};
void store_turn_before_clear(struct store_turn_before *before);
#define auto_store_turn_before CLEANUP(store_turn_before_clear) struct store_turn_before
MUST_CHECK bool store_turn_find_before(struct store_db *db, int64_t task, int64_t ordinal,
                                       struct store_turn_before *before, struct error *error);
/* Records how long the agent's own record of the conversation was when the turn ended; opaque here, may be NULL. */
MUST_CHECK bool store_turn_set_conversation(struct store_db *db, int64_t turn, const char *files, struct error *error);

#endif
