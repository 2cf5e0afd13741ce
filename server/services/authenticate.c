/* Credentials to actors. The cache is what makes an authenticated call cost no SQL; it is per thread, so that it needs
 * no lock, and every entry is good only for the generation it was read in. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/services/access.h"
#include "server/services/grants.h"
#include "server/services/oauth_secret.h"
#include "server/services/oauth_site.h"
#include "server/services/session.h"
#include "server/services/toolset.h"
#include "server/store/key.h"
#include "server/store/oauth.h"
#include "server/store/session.h"

#define CACHE_SETS 64
#define CACHE_WAYS 4
#define TOUCH_INTERVAL_MS 60000
#define NEVER INT64_MAX

struct entry {
        uint8_t hash[SECRET_HASH_SIZE];
        struct actor actor;
        struct grants *grants;               /* owned; NULL in an empty entry */
        int64_t rid, expires_at, touched_at; /* of the credential; expires_at may be NEVER */
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

static void set_person(struct actor *actor, const char *credential_id, int64_t user, const char *id, const char *name)
{
        actor->user = user;
        snprintf(actor->user_id, sizeof actor->user_id, "%s", id);
        snprintf(actor->user_name, sizeof actor->user_name, "%s", name);
        snprintf(actor->credential_id, sizeof actor->credential_id, "%s", credential_id);
}

/* Names that the store kept are known, unless another version of the server wrote them: then no tool is left. */
static uint32_t limit_of(const struct store_key *key)
{
        auto_error ignored = {0};
        uint32_t set = 0;

        if (key->toolsets && !toolset_parse(key->toolsets, &set, &ignored))
                return TOOLSET_NONE;
        return set;
}

static bool look_for_key(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct entry *entry, bool *is_good,
                         struct error *error)
{
        auto_store_key key = {0};
        bool is_found;

        if (!store_key_find(db, hash, &key, &is_found, error))
                return false;
        *is_good = is_found && !key.revoked_at && !key.is_user_disabled;
        if (*is_good) {
                set_person(&entry->actor, key.id, key.user, key.user_id, key.user_name);
                entry->actor.toolsets = limit_of(&key);
                entry->rid = key.rid;
                entry->expires_at = key.expires_at ? key.expires_at : NEVER;
                entry->touched_at = key.last_used_at;
        }
        return true;
}

static bool look_for_session(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct entry *entry,
                             bool *is_good, struct error *error)
{
        auto_store_session session = {0};
        bool is_found;

        if (!store_session_find(db, hash, &session, &is_found, error))
                return false;
        *is_good = is_found && !session.is_user_disabled;
        if (*is_good) {
                set_person(&entry->actor, session.id, session.user, session.user_id, session.user_name);
                entry->rid = session.rid;
                entry->expires_at = session.expires_at;
                entry->touched_at = session.last_used_at;
        }
        return true;
}

static bool look_for_access_token(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct entry *entry,
                                  bool *is_good, struct error *error)
{
        auto_store_oauth_token token = {0};
        const struct store_oauth_grant *grant = &token.grant;
        bool is_found;

        if (!store_oauth_token_find(db, hash, &token, &is_found, error))
                return false;
        *is_good = is_found && !token.is_refresh && !grant->is_user_disabled && oauth_site_is_resource(grant->resource);
        if (*is_good) {
                set_person(&entry->actor, grant->id, grant->user, grant->user_id, grant->user_name);
                entry->rid = grant->rid;
                entry->expires_at = token.expires_at;
                entry->touched_at = grant->last_used_at;
        }
        return true;
}

/* What the kinds of credentials differ in. */
struct kind {
        enum credential credential;
        bool (*look)(struct store_db *db, const uint8_t hash[SECRET_HASH_SIZE], struct entry *entry, bool *is_good,
                     struct error *error);
        bool (*touch)(struct store_db *db, int64_t rid, int64_t now, int64_t interval, struct error *error);
        int64_t (*idle_ms)(void); /* unused for so long, it ends; NULL: it does not */
};
static const struct kind keys = {CREDENTIAL_API_KEY, look_for_key, store_key_touch, NULL};
static const struct kind access_tokens = {CREDENTIAL_OAUTH, look_for_access_token, store_oauth_grant_touch, NULL};
static const struct kind sessions = {CREDENTIAL_SESSION, look_for_session, store_session_touch, session_idle_ms};

/* The generation is taken before reading, so that a change in between makes the entry stale and never too fresh. */
static struct entry *fill(struct store_db *db, struct cache *own, const struct kind *kind,
                          const uint8_t hash[SECRET_HASH_SIZE], struct error *error)
{
        struct entry found = {.actor = {.credential = kind->credential, .generation = store_generation(db)}};
        bool is_good;

        if (!kind->look(db, hash, &found, &is_good, error))
                return NULL;
        if (!is_good) {
                error_set(error, ERROR_UNAUTHENTICATED, NULL);
                return NULL;
        }
        found.grants = grants_resolve(db, found.actor.user, error);
        if (!found.grants)
                return NULL;
        found.actor.grants = found.grants;
        memcpy(found.hash, hash, SECRET_HASH_SIZE);
        struct entry *entry = place(own, hash);
        free(entry->grants);
        *entry = found;
        return entry;
}

struct touch {
        const struct kind *kind;
        int64_t rid, now;
};

static bool touch_work(struct store_db *db, void *context, struct error *error)
{
        const struct touch *touch = context;

        return touch->kind->touch(db, touch->rid, touch->now, TOUCH_INTERVAL_MS, error);
}

/* A use that could not be noted (a full disk) is not worth refusing the call. */
static void touch_done(void *context, struct error *error)
{
        (void)error;
        free(context);
}

static void note_use(struct store_db *db, const struct kind *kind, struct entry *entry, int64_t now)
{
        if (now - entry->touched_at < TOUCH_INTERVAL_MS)
                return;
        struct touch *touch = memory_new(sizeof *touch);
        *touch = (struct touch){kind, entry->rid, now};
        entry->touched_at = now;
        store_write_later(store_of(db), touch_work, touch, touch_done);
}

static bool is_idle(const struct kind *kind, const struct entry *entry, int64_t now)
{
        return kind->idle_ms && now - entry->touched_at >= kind->idle_ms();
}

static bool authenticate(struct store_db *db, const struct kind *kind, const char *token, struct actor *actor,
                         struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];
        struct cache *own = cache_of_thread();
        int64_t now = clock_now();

        secret_hash(token, strlen(token), hash);
        struct entry *entry = find(own, hash);
        /* A credential that seems idle to this thread may have been used on another one. */
        bool is_fresh = entry && entry->actor.credential == kind->credential &&
                        entry->actor.generation == store_generation(db) && !is_idle(kind, entry, now);
        if (!is_fresh && !(entry = fill(db, own, kind, hash, error)))
                return false;
        if (entry->expires_at <= now || is_idle(kind, entry, now))
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        note_use(db, kind, entry, now);
        *actor = entry->actor;
        return true;
}

bool access_authenticate_key(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        if (!secret_key_is_wellformed(token))
                return error_set(error, ERROR_UNAUTHENTICATED, NULL);
        return authenticate(db, &keys, token, actor, error);
}

bool access_authenticate_oauth(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        if (!oauth_secret_is(OAUTH_ACCESS_TOKEN, token) || !settings_current()->mcp_oauth_enabled)
                return error_set(error, ERROR_UNAUTHENTICATED, "The access token is not valid.");
        if (authenticate(db, &access_tokens, token, actor, error))
                return true;
        if (error->code == ERROR_UNAUTHENTICATED) {
                error_clear(error);
                error_set(error, ERROR_UNAUTHENTICATED, "The access token is not valid, has expired or was revoked.");
        }
        return false;
}

bool access_authenticate_session(struct store_db *db, const char *token, struct actor *actor, struct error *error)
{
        if (strlen(token) != SESSION_TOKEN_LENGTH)
                return error_set(error, ERROR_UNAUTHENTICATED, "The session has ended; log in again.");
        if (authenticate(db, &sessions, token, actor, error))
                return true;
        if (error->code == ERROR_UNAUTHENTICATED) {
                error_clear(error);
                error_set(error, ERROR_UNAUTHENTICATED, "The session has ended; log in again.");
        }
        return false;
}
