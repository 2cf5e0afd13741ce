/* Counts in a table of fixed size: whoever floods it from many places pushes out the oldest counts, never a client. */
#include "server/services/oauth_limit.h"

#include <pthread.h>
#include <string.h>

#include "server/base/secret.h"

#define SETS 512
#define WAYS 4

static struct count {
        uint8_t key[SECRET_HASH_SIZE];
        int64_t began; /* of its window; 0: empty */
        unsigned taken;
} counts[SETS][WAYS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct count *find(const uint8_t key[SECRET_HASH_SIZE], int64_t now)
{
        struct count *set = counts[(key[0] | key[1] << 8) % SETS], *oldest = &set[0];

        for (size_t i = 0; i < WAYS; i++) {
                if (set[i].began && !memcmp(set[i].key, key, SECRET_HASH_SIZE)) {
                        if (now - set[i].began >= OAUTH_LIMIT_WINDOW_MS)
                                set[i] = (struct count){.began = 0};
                        oldest = &set[i];
                        break;
                }
                if (set[i].began < oldest->began)
                        oldest = &set[i];
        }
        if (!oldest->began || memcmp(oldest->key, key, SECRET_HASH_SIZE)) {
                *oldest = (struct count){.began = now ? now : 1};
                memcpy(oldest->key, key, SECRET_HASH_SIZE);
        }
        return oldest;
}

bool oauth_limit_take(const char *source, int64_t now, struct error *error)
{
        uint8_t key[SECRET_HASH_SIZE];

        secret_hash(source, strlen(source), key);
        pthread_mutex_lock(&mutex);
        struct count *count = find(key, now);
        bool is_allowed = count->taken < OAUTH_LIMIT_MAXIMUM;
        count->taken += is_allowed;
        int64_t wait = count->began + OAUTH_LIMIT_WINDOW_MS - now;
        pthread_mutex_unlock(&mutex);
        if (is_allowed)
                return true;
        int seconds = (int)((wait + 999) / 1000);
        return error_set_details(error, ERROR_TOO_MANY, json_pack("{s:i}", "retryAfterSeconds", seconds),
                                 "Too many clients were registered from this address; retry in %d seconds.", seconds);
}

void oauth_limit_reset(void)
{
        pthread_mutex_lock(&mutex);
        memset(counts, 0, sizeof counts);
        pthread_mutex_unlock(&mutex);
}
