/* API keys to actors. The cache is what makes an authenticated call cost no SQL; it is per thread, so that it needs no
 * lock, and every entry is good only for the generation it was read in. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/services/access.h"
#include "server/services/grants.h"
#include "server/store/key.h"

#define CACHE_SETS 64
#define CACHE_WAYS 4
#define TOUCH_INTERVAL_MS 60000

struct entry {
        uint8_t hash[SECRET_HASH_SIZE];
        struct actor actor;
        struct grants *grants; /* owned; NULL in an empty entry */
        int64_t key, expires_at, touched_at;
};

struct cache {
        struct entry entries[CACHE_SETS][CACHE_WAYS];
        unsigned char next[CACHE_SETS]; /* the way that is given up next */
};

static pthread_key_t cache_key;
static pthread_once_t cache_once = PTHREAD_ONCE_INIT;
static _Thread_local struct cache *cache;

static void cache_free(void *pointer)
{
        struct cache *old = pointer;

        for (size_t i = 0; i < CACHE_SETS; i++)
                for (size_t j = 0; j < CACHE_WAYS; j++)
                        free(old->entries[i][j].grants);
        free(old);
        cache = NULL;
}

static void make_key(void)
{
        pthread_key_create(&cache_key, cache_free);
}

static struct cache *cache_of_thread(void)
{
        if (!cache) {
                pthread_once(&cache_once, make_key);
                cache = memory_new(sizeof *cache);
                pthread_setspecific(cache_key, cache);
        }
        return cache;
}

static struct entry *find(struct cache *own, const uint8_t hash[SECRET_HASH_SIZE])
{
        struct entry *set = own->entries[hash[0] % CACHE_SETS];

        for (size_t i = 0; i < CACHE_WAYS; i++)
                if (set[i].grants && secret_is_equal(set[i].hash, hash, SECRET_HASH_SIZE))
                        return &set[i];
        return NULL;
}

static struct entry *place(struct cache *own, const uint8_t hash[SECRET_HASH_SIZE])
{
        struct entry *known = find(own, hash);
        size_t set = hash[0] % CACHE_SETS;

        return known ? known : &own->entries[set][own->next[set]++ % CACHE_WAYS];
}

static bool is_usable(const struct store_key *key)
{
        return !key->revoked_at && !key->is_user_disabled;
}

/* The generation is taken before reading, so that a change in between makes the entry stale and never too fresh. */
static struct entry *fill(struct store_db *db, struct cache *own, const uint8_t hash[SECRET_HASH_SIZE],
                          struct error *error)
{
        auto_store_key key = {0};
        uint64_t generation = store_generation(db);
        bool is_found;

        if (!store_key_find(db, hash, &key, &is_found, error))
                return NULL;
        if (!is_found || !is_usable(&key)) {
                error_set(error, ERROR_UNAUTHENTICATED, NULL);
                return NULL;
        }
        struct grants *grants = grants_resolve(db, key.user, error);
        if (!grants)
                return NULL;
        struct entry *entry = place(own, hash);
        free(entry->grants);
        *entry = (struct entry){.grants = grants,
                                .key = key.rid,
                                .expires_at = key.expires_at,
                                .touched_at = key.last_used_at,
                                .actor = {.user = key.user,
                                          .credential = CREDENTIAL_API_KEY,
                                          .generation = generation,
                                          .grants = grants}};
        memcpy(entry->hash, hash, SECRET_HASH_SIZE);
        snprintf(entry->actor.user_id, sizeof entry->actor.user_id, "%s", key.user_id);
        snprintf(entry->actor.user_name, sizeof entry->actor.user_name, "%s", key.user_name);
        snprintf(entry->actor.credential_id, sizeof entry->actor.credential_id, "%s", key.id);
        return entry;
}

struct touch {
        int64_t key, now;
};

static bool touch_work(struct store_db *db, void *context, struct error *error)
{
        const struct touch *touch = context;

        return store_key_touch(db, touch->key, touch->now, TOUCH_INTERVAL_MS, error);
}

/* A use that could not be noted (a full disk) is not worth refusing the call. */
static void touch_done(void *context, struct error *error)
{
        (void)error;
        free(context);
}

static void note_use(struct store_db *db, struct entry *entry, int64_t now)
{
        if (now - entry->touched_at < TOUCH_INTERVAL_MS)
                return;
        struct touch *touch = memory_new(sizeof *touch);
        *touch = (struct touch){entry->key, now};
        entry->touched_at = now;
        store_write_later(store_of(db), touch_work, touch, touch_done);
}

bool access_authenticate_key(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];
        struct cache *own = cache_of_thread();
        int64_t now = clock_now();

        if (!secret_key_is_wellformed(token))
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        secret_hash(token, strlen(token), hash);
        struct entry *entry = find(own, hash);
        if ((!entry || entry->actor.generation != store_generation(db)) && !(entry = fill(db, own, hash, error)))
                return false;
        if (entry->expires_at && entry->expires_at <= now)
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        note_use(db, entry, now);
        *actor = entry->actor;
        return true;
}
