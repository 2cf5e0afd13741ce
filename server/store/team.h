/* Teams and their members in the store. */
#ifndef STORE_TEAM_H
#define STORE_TEAM_H

#include "server/base/id.h"
#include "server/store/store.h"

/* Owns its strings. */
struct store_team {
        int64_t rid;
        char *id, *name;
        int64_t created_at;
};
void store_team_clear(struct store_team *team);
#define auto_store_team CLEANUP(store_team_clear) struct store_team

/* ERROR_CONFLICT when the name is taken. */
MUST_CHECK bool store_team_add(struct store_db *db, const char *name, int64_t now, char id[ID_SIZE],
                               struct error *error);
/* ERROR_NOT_FOUND when there is none. */
MUST_CHECK bool store_team_find(struct store_db *db, const char *name, struct store_team *team, struct error *error);
/* Calls `each` for every team, by name; the row is borrowed. */
MUST_CHECK bool store_team_list(struct store_db *db, void (*each)(const struct store_team *team, void *context),
                                void *context, struct error *error);
/* Calls `each` with the name of every member. */
MUST_CHECK bool store_team_list_members(struct store_db *db, int64_t team,
                                        void (*each)(const char *user, void *context), void *context,
                                        struct error *error);
/* Both act at once; adding a member twice and removing one who is none change nothing. */
MUST_CHECK bool store_team_add_member(struct store_db *db, int64_t team, int64_t user, struct error *error);
MUST_CHECK bool store_team_remove_member(struct store_db *db, int64_t team, int64_t user, struct error *error);

#endif
