/* Counts of attempts in a table of fixed size: whoever floods it pushes out the oldest counts and no memory. */
#include "server/services/login_limit.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "server/base/secret.h"
#include "server/base/text.h"

#define SETS 1024
#define WAYS 4
#define WINDOW_MS 60000

struct count {
        uint8_t key[SECRET_HASH_SIZE];
        int64_t began; /* of its window; 0: empty */
        unsigned attempts;
};

static const struct limit {
        bool has_address, has_user;
        unsigned maximum; /* attempts in a window */
} limits[] = {
        {true, true, 10},
        {true, false, 60},
        {false, true, 100},
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct count counts[SETS][WAYS];

static void key_of(const struct limit *limit, const char *address, const char *user, uint8_t key[SECRET_HASH_SIZE])
{
        auto_free char *text = text_format("%s\n%s", limit->has_address ? address : "", limit->has_user ? user : "");

        for (char *at = text; *at; at++)
                *at = (char)tolower((unsigned char)*at);
        secret_hash(text, strlen(text), key);
}

static struct count *find(const uint8_t key[SECRET_HASH_SIZE], int64_t now)
{
        struct count *set = counts[(key[0] | key[1] << 8) % SETS], *oldest = &set[0];

        for (size_t i = 0; i < WAYS; i++) {
                if (set[i].began && !memcmp(set[i].key, key, SECRET_HASH_SIZE)) {
                        if (now - set[i].began >= WINDOW_MS)
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

bool login_limit_take(const char *address, const char *user, int64_t now, struct error *error)
{
        int64_t wait = 0;

        pthread_mutex_lock(&mutex);
        for (size_t i = 0; i < COUNT_OF(limits); i++) {
                uint8_t key[SECRET_HASH_SIZE];
                key_of(&limits[i], address, user, key);
                struct count *count = find(key, now);
                if (++count->attempts > limits[i].maximum && count->began + WINDOW_MS - now > wait)
                        wait = count->began + WINDOW_MS - now;
        }
        pthread_mutex_unlock(&mutex);
        if (!wait)
                return true;
        int seconds = (int)((wait + 999) / 1000);
        return error_set_details(error, ERROR_TOO_MANY, json_pack("{s:i}", "retryAfterSeconds", seconds),
                                 "Too many attempts to log in; retry in %d seconds.", seconds);
}

void login_limit_reset(void)
{
        pthread_mutex_lock(&mutex);
        memset(counts, 0, sizeof counts);
        pthread_mutex_unlock(&mutex);
}
