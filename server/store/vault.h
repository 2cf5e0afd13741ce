/* Sealed values in the store, and what refers to them: secrets, provider accounts, tasks that were given them. Sealing
 * and unsealing is not the store's. */
#ifndef STORE_VAULT_H
#define STORE_VAULT_H

#include "server/store/store.h"

/* Owns its strings and bytes. */
struct store_value {
        int64_t rid;
        char *origin;
        uint8_t *sealed;
        size_t sealed_length;
};
void store_value_clear(struct store_value *value);
#define auto_store_value CLEANUP(store_value_clear) struct store_value

/* What holds a value at present; all 0 and false for one that only tasks refer to. */
struct store_value_holder {
        int64_t environment, user; /* of a secret */
        bool is_account;
        int64_t account_user; /* 0: the server's default */
};

MUST_CHECK bool store_value_add(struct store_db *db, const char *origin, const uint8_t *sealed, size_t length,
                                int64_t *rid, struct error *error);
/* ERROR_STORE_FAILED when it is not there: rows refer to it. */
MUST_CHECK bool store_value_find(struct store_db *db, int64_t rid, struct store_value *value, struct error *error);
MUST_CHECK bool store_value_exists(struct store_db *db, bool *exists, struct error *error);
/* Calls `each` for every value, oldest first; both are borrowed. `each` returns false to end early: then the result is
 * false, with the error it has set. */
MUST_CHECK bool store_value_list(struct store_db *db,
                                 bool (*each)(const struct store_value *value, const struct store_value_holder *holder,
                                              void *context, struct error *error),
                                 void *context, struct error *error);
/* Deletes the values that nothing refers to. */
MUST_CHECK bool store_value_prune(struct store_db *db, struct error *error);

/* Deletes every value and all that refers to one; *count gets the number of values. */
MUST_CHECK bool store_value_forget(struct store_db *db, int64_t *count, struct error *error);

/* A secret of an environment or of a user: one of the two is 0. Owns its strings; they are borrowed when it is put. */
struct store_secret {
        int64_t rid, environment, user;
        char *environment_name, *user_name;
        char *name;
        int64_t value;
        char *given_as; /* variable or file */
        char *path;
        bool is_for_tasks;
        int64_t created_at, updated_at;
};
void store_secret_clear(struct store_secret *secret);
#define auto_store_secret CLEANUP(store_secret_clear) struct store_secret
struct store_secrets {
        struct store_secret *items;
        size_t count;
};
void store_secrets_clear(struct store_secrets *secrets);
#define auto_store_secrets CLEANUP(store_secrets_clear) struct store_secrets

MUST_CHECK bool store_secret_find(struct store_db *db, int64_t environment, int64_t user, const char *name,
                                  struct store_secret *secret, bool *is_found, struct error *error);
/* Of the environment or the user; of everybody when both are 0. */
MUST_CHECK bool store_secret_list(struct store_db *db, int64_t environment, int64_t user, struct store_secrets *secrets,
                                  struct error *error);
/* Adds the secret, or replaces the one with rid secret->rid when it is not 0. */
MUST_CHECK bool store_secret_put(struct store_db *db, const struct store_secret *secret, int64_t now,
                                 struct error *error);
MUST_CHECK bool store_secret_delete(struct store_db *db, int64_t rid, struct error *error);

/* An account of a user (0: the server's default) for an agent. Owns its strings; they are borrowed when it is put. */
struct store_account {
        int64_t rid, user;
        char *user_name, *agent, *variable;
        int64_t value, refused_at;
        char *refused_reason;
        int64_t created_at, updated_at;
};
void store_account_clear(struct store_account *account);
#define auto_store_account CLEANUP(store_account_clear) struct store_account

MUST_CHECK bool store_account_find(struct store_db *db, int64_t user, const char *agent, struct store_account *account,
                                   bool *is_found, struct error *error);
/* Calls `each` for the accounts of the user (0: the server's defaults, -1: all); the row is borrowed. */
MUST_CHECK bool store_account_list(struct store_db *db, int64_t user,
                                   void (*each)(const struct store_account *account, void *context), void *context,
                                   struct error *error);
/* Adds the account, or replaces the one with rid account->rid when it is not 0; it is not refused any more. */
MUST_CHECK bool store_account_put(struct store_db *db, const struct store_account *account, int64_t now,
                                  struct error *error);
MUST_CHECK bool store_account_delete(struct store_db *db, int64_t rid, struct error *error);
/* Marks the account whose present value the turn was given; none when it was replaced since. */
MUST_CHECK bool store_account_refuse(struct store_db *db, int64_t turn, const char *reason, int64_t now,
                                     struct error *error);
MUST_CHECK bool store_turn_account_put(struct store_db *db, int64_t turn, int64_t value, struct error *error);

/* That the task was given the value; a second time changes nothing. */
MUST_CHECK bool store_task_value_add(struct store_db *db, int64_t task, int64_t value, struct error *error);
/* Every value that `from` was given, and every secret and account of its owner, counts as given to `task` too. */
MUST_CHECK bool store_task_value_copy(struct store_db *db, int64_t task, int64_t from, struct error *error);
/* The rids of the values that the task was given; the caller frees *values. */
MUST_CHECK bool store_task_value_list(struct store_db *db, int64_t task, int64_t **values, size_t *count,
                                      struct error *error);

#endif
