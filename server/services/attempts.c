#include "server/services/attempts.h"

#include <ctype.h>
#include <string.h>

#include "server/base/text.h"

static void key_of(const char *name, uint8_t key[SECRET_HASH_SIZE])
{
        auto_free char *text = text_copy(name);

        for (char *at = text; *at; at++)
                *at = (char)tolower((unsigned char)*at);
        secret_hash(text, strlen(text), key);
}

/* The count of the key, or the oldest of its set emptied for it. */
static struct attempts_count *find(struct attempts *attempts, const uint8_t key[SECRET_HASH_SIZE], int64_t window,
                                   int64_t now)
{
        struct attempts_count *set = attempts->counts[(key[0] | key[1] << 8) % ATTEMPTS_SETS], *oldest = &set[0];

        for (size_t i = 0; i < ATTEMPTS_WAYS; i++) {
                if (set[i].began && !memcmp(set[i].key, key, SECRET_HASH_SIZE)) {
                        if (now - set[i].began >= window)
                                set[i] = (struct attempts_count){.began = 0};
                        oldest = &set[i];
                        break;
                }
                if (set[i].began < oldest->began)
                        oldest = &set[i];
        }
        if (!oldest->began || memcmp(oldest->key, key, SECRET_HASH_SIZE)) {
                *oldest = (struct attempts_count){.began = now ? now : 1};
                memcpy(oldest->key, key, SECRET_HASH_SIZE);
        }
        return oldest;
}

int64_t attempts_take(struct attempts *attempts, const char *name, unsigned maximum, int64_t window_ms, int64_t now)
{
        uint8_t key[SECRET_HASH_SIZE];

        key_of(name, key);
        pthread_mutex_lock(&attempts->mutex);
        struct attempts_count *count = find(attempts, key, window_ms, now);
        int64_t wait = ++count->count > maximum ? count->began + window_ms - now : 0;
        pthread_mutex_unlock(&attempts->mutex);
        return wait;
}

void attempts_forget(struct attempts *attempts, const char *name)
{
        uint8_t key[SECRET_HASH_SIZE];

        key_of(name, key);
        pthread_mutex_lock(&attempts->mutex);
        *find(attempts, key, INT64_MAX, 1) = (struct attempts_count){.began = 0};
        pthread_mutex_unlock(&attempts->mutex);
}

void attempts_reset(struct attempts *attempts)
{
        pthread_mutex_lock(&attempts->mutex);
        memset(attempts->counts, 0, sizeof attempts->counts);
        pthread_mutex_unlock(&attempts->mutex);
}

bool attempts_refuse(int64_t wait_ms, const char *what, struct error *error)
{
        int seconds = (int)((wait_ms + 999) / 1000);

        return error_set_details(error, ERROR_TOO_MANY, json_pack("{s:i}", "retryAfterSeconds", seconds),
                                 "Too many attempts to %s; retry in %d seconds.", what, seconds);
}
