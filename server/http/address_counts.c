#include <pthread.h>
#include <string.h>
#include <sys/queue.h>

#include "server/base/secret.h"
#include "server/base/text.h"
#include "server/http/address.h"

#define BUCKETS 1024

struct count {
        struct address address;
        unsigned number;
        SLIST_ENTRY(count) next;
};

/* There are never more entries than connections. */
struct address_counts {
        pthread_mutex_t lock;
        uint64_t seed; /* keeps others from choosing addresses of one bucket */
        SLIST_HEAD(, count) buckets[BUCKETS];
};

struct address_counts *address_counts_new(void)
{
        struct address_counts *counts = memory_new(sizeof *counts);

        pthread_mutex_init(&counts->lock, NULL);
        secret_random(&counts->seed, sizeof counts->seed);
        return counts;
}

void address_counts_free(struct address_counts *counts)
{
        if (!counts)
                return;
        for (size_t i = 0; i < BUCKETS; i++) {
                struct count *count;
                while ((count = SLIST_FIRST(&counts->buckets[i]))) {
                        SLIST_REMOVE_HEAD(&counts->buckets[i], next);
                        free(count);
                }
        }
        pthread_mutex_destroy(&counts->lock);
        free(counts);
}

/* IPv6 addresses of one /64 network count together. */
static struct address key_of(const struct address *address)
{
        static const uint8_t zeros[8];
        struct address key = *address;

        if (memcmp(key.bytes, zeros, sizeof zeros))
                memset(key.bytes + 8, 0, 8);
        return key;
}

static size_t bucket_of(const struct address_counts *counts, const struct address *key)
{
        uint64_t halves[2];

        memcpy(halves, key->bytes, sizeof halves);
        uint64_t mixed = (halves[0] ^ counts->seed) * UINT64_C(0x9e3779b97f4a7c15);
        mixed = (mixed ^ mixed >> 32 ^ halves[1]) * (counts->seed | 1);
        return (mixed ^ mixed >> 29) % BUCKETS;
}

static struct count *find(struct address_counts *counts, size_t bucket, const struct address *key)
{
        struct count *count;

        SLIST_FOREACH(count, &counts->buckets[bucket], next)
        {
                if (!memcmp(&count->address, key, sizeof *key))
                        return count;
        }
        return NULL;
}

unsigned address_counts_get(struct address_counts *counts, const struct address *address)
{
        struct address key = key_of(address);

        pthread_mutex_lock(&counts->lock);
        const struct count *count = find(counts, bucket_of(counts, &key), &key);
        unsigned number = count ? count->number : 0;
        pthread_mutex_unlock(&counts->lock);
        return number;
}

void address_counts_add(struct address_counts *counts, const struct address *address, int number)
{
        struct address key = key_of(address);
        size_t bucket = bucket_of(counts, &key);

        pthread_mutex_lock(&counts->lock);
        struct count *count = find(counts, bucket, &key);
        if (!count) {
                count = memory_new(sizeof *count);
                count->address = key;
                SLIST_INSERT_HEAD(&counts->buckets[bucket], count, next);
        }
        count->number += (unsigned)number;
        if (!count->number) {
                SLIST_REMOVE(&counts->buckets[bucket], count, count, next);
                free(count);
        }
        pthread_mutex_unlock(&counts->lock);
}
