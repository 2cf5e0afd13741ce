#include "server/services/reader.h"

#include <pthread.h>

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void close_reader(void *db)
{
        store_reader_close(db);
}

static void make_key(void)
{
        pthread_key_create(&key, close_reader);
}

struct store_db *services_reader(const struct services *services, struct error *error)
{
        pthread_once(&once, make_key);
        struct store_db *db = pthread_getspecific(key);
        if (!db) {
                db = store_reader_open(services->store, error);
                pthread_setspecific(key, db);
        }
        return db;
}

void services_reader_close(void)
{
        pthread_once(&once, make_key);
        store_reader_close(pthread_getspecific(key));
        pthread_setspecific(key, NULL);
}
