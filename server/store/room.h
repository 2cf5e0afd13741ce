/* Internal to the store: room on the disk that is the store's own already.
 *
 * Blocks behind the ends of the database and its log are allocated ahead (fallocate(2), FALLOC_FL_KEEP_SIZE), so that
 * how things end can still be recorded when something else has filled the disk. */
#ifndef STORE_ROOM_H
#define STORE_ROOM_H

/* Zero is not open: use store_room_open. */
struct store_room {
        int database, log;
};

/* Opens the two files, which must exist. They stay open as long as SQLite has them: closing a file gives up the locks
 * that the process holds on it. */
void store_room_open(struct store_room *room, const char *path);
void store_room_close(struct store_room *room);
/* Allocates what is missing of the room; what the disk or the file system does not give is left out. */
void store_room_keep(struct store_room *room);

#endif
