#include "server/services/managed_values.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/services/credential.h"
#include "server/services/seal.h"
#include "server/store/vault.h"

/* A file that changed this shortly before it was read may change again without its times telling. */
#define SETTLED_MS 1000

struct managed_values {
        atomic_uint references;
        struct value_set *set;
        uint64_t generation;
        struct credential_stamp stamp;
        bool is_settled; /* equal stamps mean equal files */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct managed_values *current;

const struct value_set *managed_values_set(const struct managed_values *values)
{
        return values->set;
}

void managed_values_release(const struct managed_values *values)
{
        struct managed_values *owned = (struct managed_values *)values;

        if (!owned || atomic_fetch_sub(&owned->references, 1) != 1)
                return;
        value_set_free(owned->set);
        credential_stamp_clear(&owned->stamp);
        free(owned);
}

struct filling {
        struct value_set *set;
        const uint8_t *key;
};

static bool add_value(const struct store_value *value, const struct store_value_holder *holder, void *context,
                      struct error *error)
{
        const struct filling *filling = context;
        char *opened = seal_open(filling->key, value, error);

        if (!opened)
                return false;
        value_set_add(filling->set, opened, (struct value_holder){HOLDER_TASK, value->rid});
        if (holder->environment)
                value_set_add(filling->set, opened, (struct value_holder){HOLDER_ENVIRONMENT, holder->environment});
        if (holder->user)
                value_set_add(filling->set, opened, (struct value_holder){HOLDER_USER, holder->user});
        if (holder->is_account)
                value_set_add(filling->set, opened,
                              (struct value_holder){holder->account_user ? HOLDER_USER : HOLDER_SERVER,
                                                    holder->account_user});
        seal_free(opened);
        return true;
}

static bool fill(const struct services *services, struct store_db *db, struct value_set *set, struct error *error)
{
        uint8_t key[SECRET_SEAL_KEY_SIZE];
        struct filling filling = {set, key};
        bool has_values;

        if (!credential_values(services, set, error) || !store_value_exists(db, &has_values, error))
                return false;
        if (!has_values)
                return true;
        bool is_good = seal_key(services, key, error) && store_value_list(db, add_value, &filling, error);
        secret_wipe(key, sizeof key);
        return is_good;
}

/* Everything that can go wrong here is one and the same to who asks; the log alone tells what it was. */
static struct managed_values *read_values(const struct services *services, struct store_db *db, uint64_t generation,
                                          struct credential_stamp *stamp, struct error *error)
{
        struct managed_values *values = memory_new(sizeof *values);
        auto_error reason = {0};

        atomic_init(&values->references, 1);
        values->set = value_set_new();
        values->generation = generation;
        values->stamp = *stamp;
        stamp->path = NULL;
        values->is_settled = values->stamp.changed_at < (clock_now() - SETTLED_MS) * 1000000;
        if (fill(services, db, values->set, &reason)) {
                value_set_sort(values->set);
                return values;
        }
        log_error("the managed values cannot be read, so nothing of tasks is shown", "reason", reason.message);
        managed_values_release(values);
        error_set_details(error, ERROR_UNAVAILABLE, json_pack("{s:s}", "reason", "secret_values_unavailable"),
                          "The managed values cannot be read, so nothing can be shown.");
        return NULL;
}

static bool is_current(const struct managed_values *values, uint64_t generation, const struct credential_stamp *stamp)
{
        return values && values->generation == generation && values->is_settled &&
               credential_stamp_is_equal(&values->stamp, stamp);
}

static struct managed_values *keep(struct managed_values *values)
{
        atomic_fetch_add(&values->references, 1);
        return values;
}

const struct managed_values *managed_values_take(const struct services *services, struct store_db *db,
                                                 struct error *error)
{
        /* Taken before the rows are read: what is committed meanwhile is read again the next time. */
        uint64_t generation = store_generation(db);
        auto_credential_stamp stamp = {0};
        const struct managed_values *old;
        struct managed_values *taken = NULL;

        credential_stamp_take(services, &stamp);
        pthread_mutex_lock(&mutex);
        if (is_current(current, generation, &stamp))
                taken = keep(current);
        pthread_mutex_unlock(&mutex);
        if (taken)
                return taken;
        taken = read_values(services, db, generation, &stamp, error);
        if (!taken)
                return NULL;
        pthread_mutex_lock(&mutex);
        old = current;
        current = keep(taken);
        pthread_mutex_unlock(&mutex);
        managed_values_release(old);
        return taken;
}
