#include "server/store/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/log.h"
#include "server/base/text.h"

/* What the database may grow by, and what the log may hold, without asking the disk for more. */
#define DATABASE_ROOM (4 * 1024 * 1024)
#define LOG_ROOM (8 * 1024 * 1024)
#define BLOCK 512

void store_room_open(struct store_room *room, const char *path)
{
        auto_free char *log = text_format("%s-wal", path);

        room->database = open(path, O_RDWR | O_CLOEXEC);
        room->log = open(log, O_RDWR | O_CLOEXEC);
}

void store_room_close(struct store_room *room)
{
        if (room->database >= 0)
                close(room->database);
        if (room->log >= 0)
                close(room->log);
}

static void keep(int file, int64_t least, int64_t beyond_end)
{
        struct stat info;

        if (file < 0 || fstat(file, &info))
                return;
        int64_t wanted = info.st_size + beyond_end > least ? info.st_size + beyond_end : least;
        if (info.st_blocks * BLOCK < wanted && fallocate(file, FALLOC_FL_KEEP_SIZE, 0, wanted))
                log_debug("the store's room could not be kept", "reason", strerror(errno));
}

void store_room_keep(struct store_room *room)
{
        keep(room->database, 0, DATABASE_ROOM);
        keep(room->log, LOG_ROOM, 0);
}
