#include "server/services/rate_limit.h"

#include <arpa/inet.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "server/base/secret.h"
#include "server/services/metrics.h"
#include "server/services/setting.h"

#define SETS 4096
#define WAYS 4
#define MINUTE INT64_C(60000000000)
#define SECOND INT64_C(1000000000)

/* A bucket as the time at which it will be full (the generic cell rate algorithm): one number tells all. One that is
 * full says no more than a new one, so that its place may be taken. Two threads that take a place at once may lose a
 * request or two of the count. */
struct bucket {
        atomic_uint_fast64_t key;
        atomic_int_fast64_t full_at;
};
static struct bucket buckets[SETS][WAYS];

static struct bucket *find(uint64_t key)
{
        struct bucket *set = buckets[key % SETS], *oldest = &set[0];

        for (size_t i = 0; i < WAYS; i++) {
                if (atomic_load_explicit(&set[i].key, memory_order_relaxed) == key)
                        return &set[i];
                if (atomic_load_explicit(&set[i].full_at, memory_order_relaxed) <
                    atomic_load_explicit(&oldest->full_at, memory_order_relaxed))
                        oldest = &set[i];
        }
        atomic_store_explicit(&oldest->key, key, memory_order_relaxed);
        atomic_store_explicit(&oldest->full_at, 0, memory_order_relaxed);
        return oldest;
}

int64_t rate_limit_take(uint64_t key, int64_t per_minute, int64_t now)
{
        struct bucket *bucket = find(key);
        int64_t full_at = atomic_load_explicit(&bucket->full_at, memory_order_relaxed), next;

        do {
                next = (full_at > now ? full_at : now) + MINUTE / per_minute;
                if (next > now + MINUTE)
                        return next - now - MINUTE;
        } while (!atomic_compare_exchange_weak_explicit(&bucket->full_at, &full_at, next, memory_order_relaxed,
                                                        memory_order_relaxed));
        return 0;
}

static int64_t nanoseconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return now.tv_sec * SECOND + now.tv_nsec;
}

/* What a name is the name of: equal names of different kinds have different buckets. */
enum kind { CREDENTIAL = 1, USER, ADDRESS };

static bool take_one(enum kind kind, const void *name, size_t length, int64_t per_minute, const char *whose,
                     struct error *error)
{
        if (!per_minute)
                return true;
        int64_t wait = rate_limit_take(secret_short_hash(name, length) ^ kind, per_minute, nanoseconds());
        if (!wait)
                return true;
        int seconds = (int)((wait + SECOND - 1) / SECOND);
        metrics_count(METRIC_RATE_LIMITED, 1);
        return error_set_details(error, ERROR_TOO_MANY, json_pack("{s:i}", "retryAfterSeconds", seconds),
                                 "Too many requests %s: at most %lld a minute. Retry in %d second%s.", whose,
                                 (long long)per_minute, seconds, seconds == 1 ? "" : "s");
}

bool rate_limit_actor(const struct actor *actor, struct error *error)
{
        const struct settings *settings = settings_current();

        return take_one(CREDENTIAL, actor->credential_id, strlen(actor->credential_id), settings->rate_limit_key,
                        "with this credential", error) &&
               take_one(USER, &actor->user, sizeof actor->user, settings->rate_limit_user, "by this user", error);
}

/* Of IPv6, a network of /64 counts: that is what one customer gets. */
bool rate_limit_address(const char *address, struct error *error)
{
        uint8_t six[16];
        bool is_six = inet_pton(AF_INET6, address, six) == 1;

        return take_one(ADDRESS, is_six ? (const void *)six : address, is_six ? 8 : strlen(address),
                        settings_current()->rate_limit_address, "from this address", error);
}

void rate_limit_refused(const char *address, struct error *error)
{
        auto_error limited = {0};

        if (error->code != ERROR_UNAUTHENTICATED || rate_limit_address(address, &limited))
                return;
        error_clear(error);
        (void)error_move(error, &limited);
}
