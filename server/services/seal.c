#include "server/services/seal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/path.h"
#include "server/store/vault.h"

PRINTF_LIKE(2, 3) static bool unavailable(struct error *error, const char *format, ...)
{
        char message[sizeof error->message];
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        return error_set_details(error, ERROR_UNAVAILABLE, json_pack("{s:s}", "reason", "secret_values_unavailable"),
                                 "%s", message);
}

static bool read_key(const struct services *services, uint8_t *key, bool *is_missing, struct error *error)
{
        auto_free char *path = path_join(services->data_folder, SEAL_KEY_NAME);
        auto_text content = TEXT_WITH_MAXIMUM(SECRET_SEAL_KEY_SIZE);
        auto_error reason = {0};

        if (!path_read(path, SECRET_SEAL_KEY_SIZE, &content, is_missing, &reason))
                return *is_missing ? unavailable(error,
                                                 "the store holds sealed values and their key file %s is missing: put "
                                                 "it back from a backup made with --with-key",
                                                 path)
                                   : unavailable(error, "the key file %s cannot be read: %s", path, reason.message);
        if (content.length != SECRET_SEAL_KEY_SIZE)
                return unavailable(error, "the key file %s is not whole: it must hold 32 bytes", path);
        memcpy(key, content.data, SECRET_SEAL_KEY_SIZE);
        secret_wipe(content.data, content.length);
        return true;
}

bool seal_key(const struct services *services, uint8_t key[SECRET_SEAL_KEY_SIZE], struct error *error)
{
        bool is_missing;

        return read_key(services, key, &is_missing, error);
}

static bool make_key(const struct services *services, struct error *error)
{
        auto_free char *path = path_join(services->data_folder, SEAL_KEY_NAME);
        uint8_t key[SECRET_SEAL_KEY_SIZE];

        secret_random(key, sizeof key);
        bool is_made = path_write(path, key, sizeof key, 0600, error);
        secret_wipe(key, sizeof key);
        return is_made;
}

struct checking {
        const uint8_t *key;
        int64_t count;
};

static bool check_value(const struct store_value *value, const struct store_value_holder *holder, void *context,
                        struct error *error)
{
        struct checking *checking = context;
        char *opened = seal_open(checking->key, value, error);

        (void)holder;
        seal_free(opened);
        checking->count++;
        return opened;
}

bool seal_check(const struct services *services, struct store_db *db, int64_t *count, struct error *error)
{
        uint8_t key[SECRET_SEAL_KEY_SIZE];
        struct checking checking = {.key = key};
        bool has_values;

        *count = 0;
        if (!store_value_exists(db, &has_values, error))
                return false;
        if (!has_values)
                return true;
        bool is_good = seal_key(services, key, error) && store_value_list(db, check_value, &checking, error);
        secret_wipe(key, sizeof key);
        *count = checking.count;
        return is_good;
}

static bool has_key(const struct services *services)
{
        auto_free char *path = path_join(services->data_folder, SEAL_KEY_NAME);

        return access(path, F_OK) == 0;
}

/* A store that was sealed under another key than the file's must not get values of both. */
bool seal_prepare(const struct services *services, struct store_db *db, struct error *error)
{
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        int64_t count;

        if (!seal_check(services, db, &count, error))
                return false;
        pthread_mutex_lock(&mutex);
        bool is_good = has_key(services) || make_key(services, error);
        pthread_mutex_unlock(&mutex);
        return is_good;
}

bool seal_add(const struct services *services, struct store_db *db, const char *origin, const char *value, int64_t *rid,
              struct error *error)
{
        size_t length = strlen(value);
        auto_free uint8_t *sealed = memory_new(length + SECRET_SEAL_OVERHEAD);
        uint8_t key[SECRET_SEAL_KEY_SIZE];

        if (!seal_key(services, key, error))
                return false;
        secret_seal(key, origin, value, length, sealed);
        secret_wipe(key, sizeof key);
        return store_value_add(db, origin, sealed, length + SECRET_SEAL_OVERHEAD, rid, error);
}

char *seal_open(const uint8_t key[SECRET_SEAL_KEY_SIZE], const struct store_value *value, struct error *error)
{
        size_t size = value->sealed_length > SECRET_SEAL_OVERHEAD ? value->sealed_length - SECRET_SEAL_OVERHEAD : 0;
        char *opened = memory_new(size + 1);

        if (secret_unseal(key, value->origin, value->sealed, value->sealed_length, opened))
                return opened;
        seal_free(opened);
        unavailable(error, "the sealed value %s cannot be opened: it was changed, or sealed under another key file",
                    value->origin);
        return NULL;
}

char *seal_read(const struct services *services, struct store_db *db, int64_t rid, const char *origin,
                struct error *error)
{
        auto_store_value value = {0};
        uint8_t key[SECRET_SEAL_KEY_SIZE];

        if (!store_value_find(db, rid, &value, error) || !seal_key(services, key, error))
                return NULL;
        char *opened = seal_open(key, &value, error);
        secret_wipe(key, sizeof key);
        if (opened && strcmp(value.origin, origin)) {
                seal_free(opened);
                unavailable(error, "the sealed value of %s was exchanged for another", origin);
                return NULL;
        }
        return opened;
}

void seal_free(char *value)
{
        if (value)
                secret_wipe(value, strlen(value));
        free(value);
}
