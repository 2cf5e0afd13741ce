/* The OAuth server's clients, grants, codes and tokens in the store. Times are ms since the epoch; strings of structs
 * are owned. A grant that is deleted takes its code and tokens with it. */
#ifndef STORE_OAUTH_H
#define STORE_OAUTH_H

#include "server/base/id.h"
#include "server/base/secret.h"
#include "server/store/store.h"

#define STORE_OAUTH_SALT_SIZE 16

/* A client that registered itself. */
struct store_oauth_client {
        int64_t rid;
        char *id, *name;
        char *redirect_uris; /* one on each line */
        char *auth_method;
        bool has_secret;
        uint8_t secret_hash[SECRET_HASH_SIZE];
        int64_t created_at, used_at; /* used_at: 0 while nobody has approved it */
};
void store_oauth_client_clear(struct store_oauth_client *client);
#define auto_store_oauth_client CLEANUP(store_oauth_client_clear) struct store_oauth_client

struct store_oauth_client_new {
        const char *name, *redirect_uris, *auth_method;
        const uint8_t *secret_hash; /* NULL: it has none */
        const char *source;
        int64_t created_at;
};
/* Forgets unused clients made before `forget_before`, and while there are `unused_maximum` of them the oldest of the
 * source that has the most; then adds the client and writes its id. */
MUST_CHECK bool store_oauth_client_add(struct store_db *db, const struct store_oauth_client_new *client,
                                       int64_t forget_before, int64_t unused_maximum, char id[ID_SIZE],
                                       struct error *error);
MUST_CHECK bool store_oauth_client_find(struct store_db *db, const char *id, struct store_oauth_client *client,
                                        bool *is_found, struct error *error);
/* Notes that somebody has approved it. Nothing happens for a client that is not registered here. */
MUST_CHECK bool store_oauth_client_use(struct store_db *db, const char *id, int64_t now, struct error *error);

/* What a person has approved, with the person. */
struct store_oauth_grant {
        int64_t rid;
        char *id, *client, *resource, *scope;
        int64_t last_used_at, expires_at;
        int64_t user;
        char *user_id, *user_name;
        bool is_user_disabled;
};
void store_oauth_grant_clear(struct store_oauth_grant *grant);
#define auto_store_oauth_grant CLEANUP(store_oauth_grant_clear) struct store_oauth_grant

struct store_oauth_grant_new {
        int64_t user;
        const char *client, *client_name, *redirect_host, *resource, *scope;
        int64_t created_at, expires_at;
};
/* Writes id and rid, and forgets grants that expired before it was created. */
MUST_CHECK bool store_oauth_grant_add(struct store_db *db, const struct store_oauth_grant_new *grant, char id[ID_SIZE],
                                      int64_t *rid, struct error *error);
/* Expired ones may be found too. */
MUST_CHECK bool store_oauth_grant_find(struct store_db *db, const char *id, struct store_oauth_grant *grant,
                                       bool *is_found, struct error *error);
MUST_CHECK bool store_oauth_grant_extend(struct store_db *db, int64_t rid, int64_t expires_at, int64_t now,
                                         struct error *error);
/* Notes a use, at most once per `interval` ms of each grant. */
MUST_CHECK bool store_oauth_grant_touch(struct store_db *db, int64_t rid, int64_t now, int64_t interval,
                                        struct error *error);
/* All of these act at once. */
MUST_CHECK bool store_oauth_grant_end(struct store_db *db, int64_t rid, struct error *error);
/* Those of a user, of one client (NULL: all); *count is how many there were. */
MUST_CHECK bool store_oauth_grants_end(struct store_db *db, int64_t user, const char *client, int *count,
                                       struct error *error);

/* The grants of a person for one client, taken together. */
struct store_oauth_approved {
        char *client, *name, *redirect_host, *scope;
        int64_t created_at, last_used_at, expires_at, count;
};
/* Calls `each` for every client that the user has approved, by id; the row is borrowed. */
MUST_CHECK bool store_oauth_grant_list(struct store_db *db, int64_t user, int64_t now,
                                       void (*each)(const struct store_oauth_approved *approved, void *context),
                                       void *context, struct error *error);

struct store_oauth_code {
        char *challenge, *redirect_uri;
        int64_t expires_at, used_at; /* used_at: 0 while it has not been used */
        struct store_oauth_grant grant;
};
void store_oauth_code_clear(struct store_oauth_code *code);
#define auto_store_oauth_code CLEANUP(store_oauth_code_clear) struct store_oauth_code

MUST_CHECK bool store_oauth_code_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t grant,
                                     const char *challenge, const char *redirect_uri, int64_t expires_at,
                                     struct error *error);
MUST_CHECK bool store_oauth_code_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE],
                                      struct store_oauth_code *code, bool *is_found, struct error *error);
MUST_CHECK bool store_oauth_code_use(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t now,
                                     struct error *error);

struct store_oauth_token {
        int64_t rid;
        bool is_refresh;
        int64_t expires_at, replaced_at; /* replaced_at: 0 while it has not been */
        bool has_salt;
        uint8_t salt[STORE_OAUTH_SALT_SIZE];
        struct store_oauth_grant grant;
};
void store_oauth_token_clear(struct store_oauth_token *token);
#define auto_store_oauth_token CLEANUP(store_oauth_token_clear) struct store_oauth_token

MUST_CHECK bool store_oauth_token_add(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], int64_t grant,
                                      bool is_refresh, int64_t expires_at, struct error *error);
/* Expired and replaced ones may be found too. */
MUST_CHECK bool store_oauth_token_find(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE],
                                       struct store_oauth_token *token, bool *is_found, struct error *error);
/* Notes that the refresh token has a successor, and forgets the grant's other salts and expired tokens. */
MUST_CHECK bool store_oauth_token_replace(struct store_db *db, const struct store_oauth_token *token,
                                          const uint8_t salt[STORE_OAUTH_SALT_SIZE], int64_t now, struct error *error);
/* Acts at once. */
MUST_CHECK bool store_oauth_token_end(struct store_db *db, int64_t rid, struct error *error);

#endif
