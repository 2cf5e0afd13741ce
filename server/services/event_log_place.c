#include "server/services/event_log_place.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "server/base/cleanup.h"
#include "server/base/secret.h"

/* As many of the log's bytes before the offset as show that it is the same log; a line has a time in it. */
#define TAIL_BYTES 256

/* The file. `check` is over what is before it and the log's tail. */
struct record {
        char magic[8];
        struct event_log_place place;
        uint8_t check[SECRET_HASH_SIZE];
};
static const char magic[8] = "lsplace1";

static bool check_of(const struct record *record, int log, uint8_t check[SECRET_HASH_SIZE])
{
        uint64_t offset = record->place.offset, start = offset > TAIL_BYTES ? offset - TAIL_BYTES : 0;
        char tail[TAIL_BYTES];
        struct secret_hasher hasher;
        size_t length = (size_t)(offset - start);

        if (offset > INT64_MAX || pread(log, tail, length, (off_t)start) != (ssize_t)length ||
            (length && tail[length - 1] != '\n'))
                return false;
        secret_hash_begin(&hasher);
        secret_hash_add(&hasher, record, offsetof(struct record, check));
        secret_hash_add(&hasher, tail, length);
        secret_hash_end(&hasher, check);
        return true;
}

bool event_log_place_read(const char *path, int log, struct event_log_place *place)
{
        auto_fd file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        uint8_t check[SECRET_HASH_SIZE];
        struct record record;

        if (file < 0 || pread(file, &record, sizeof record, 0) != (ssize_t)sizeof record ||
            memcmp(record.magic, magic, sizeof magic) || !check_of(&record, log, check) ||
            !secret_is_equal(check, record.check, sizeof check))
                return false;
        *place = record.place;
        return true;
}

void event_log_place_write(const char *path, int log, const struct event_log_place *place)
{
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        struct record record = {.place = *place};

        memcpy(record.magic, magic, sizeof magic);
        if (file >= 0 && check_of(&record, log, record.check) &&
            pwrite(file, &record, sizeof record, 0) != (ssize_t)sizeof record)
                unlink(path);
}
