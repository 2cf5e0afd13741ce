/* Web sessions in the store. Only hashes of their tokens are kept. */
#ifndef STORE_SESSION_H
#define STORE_SESSION_H

#include "server/base/id.h"
#include "server/base/secret.h"
#include "server/store/store.h"

/* A session and its person. Owns its strings. Times are ms since the epoch. */
struct store_session {
        int64_t rid;
        char *id;
        int64_t expires_at, last_used_at;
        int64_t user;
        char *user_id, *user_name;
        bool is_user_disabled;
        int64_t signed_in_at; /* when the person last proved who they are */
        bool is_sso;          /* at the OpenID provider, not with a password */
};
void store_session_clear(struct store_session *session);
#define auto_store_session CLEANUP(store_session_clear) struct store_session

struct store_session_new {
        const uint8_t *hash; /* SECRET_HASH_SIZE bytes */
        int64_t user, now, expires_at, signed_in_at;
        bool is_sso;
};
/* Writes the new id, and forgets sessions that expired before `now`. */
MUST_CHECK bool store_session_add(struct store_db *db, const struct store_session_new *session, char id[ID_SIZE],
                                  struct error *error);
/* Expired sessions may be found too. */
MUST_CHECK bool store_session_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE],
                                   struct store_session *session, bool *is_found, struct error *error);
MUST_CHECK bool store_session_find_id(struct store_db *db, const char *id, struct store_session *session,
                                      bool *is_found, struct error *error);
/* Notes a use, at most once per `interval` ms of each session. */
MUST_CHECK bool store_session_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval,
                                    struct error *error);
/* Both act at once. */
MUST_CHECK bool store_session_end(struct store_db *db, const char *id, struct error *error);
/* Every session of the user but the one with the id `except` ("" for none). */
MUST_CHECK bool store_session_end_all(struct store_db *db, int64_t user, const char *except, struct error *error);

#endif
