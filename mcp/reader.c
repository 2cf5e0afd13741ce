#include "mcp/reader.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void close_reader(void *reader)
{
        store_reader_close(reader);
}

static void make_key(void)
{
        if (pthread_key_create(&key, close_reader))
                abort();
}

struct store_db *reader_of_thread(struct store *store, struct error *error)
{
        pthread_once(&once, make_key);
        struct store_db *reader = pthread_getspecific(key);
        if (reader)
                return reader;
        reader = store_reader_open(store, error);
        if (reader && pthread_setspecific(key, reader))
                abort();
        return reader;
}
