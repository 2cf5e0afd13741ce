/* The store: one SQLite file in WAL mode with synchronous FULL.
 *
 * All writes go through one writer thread that commits what has gathered as one transaction (group commit); each piece
 * of work runs in a savepoint of its own, so that a refused one leaves no trace and the others stay. Readers are one
 * connection per thread. No SQL stands outside this folder, no JSON inside it: documents are opaque text here. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/base/error.h"
#include "server/base/text.h"

struct store;
/* One connection with its prepared statements; used by one thread at a time. */
struct store_db;

struct store_counters {
        uint64_t commits;  /* transactions committed */
        uint64_t works;    /* pieces of work in them */
        uint64_t failures; /* transactions that could not be committed */
        int64_t database_bytes;
        int64_t log_bytes; /* write-ahead log */
};

/* Opens (and makes, and migrates) the store FOLDER/store.db and starts the writer thread. The caller owns it; NULL on
 * error. The folder must exist and be locked by the caller. */
struct store *store_open(const char *folder, struct error *error);
/* Waits for pending writes and closes. Readers must be closed before. */
void store_close(struct store *store);

/* A reader for the calling thread. */
struct store_db *store_reader_open(struct store *store, struct error *error);
void store_reader_close(struct store_db *db);
/* Until store_snapshot_end() the reader sees the store as it is at its next query, however many it makes; that also
 * saves taking the file's locks for each of them. Not nested. When it cannot be begun, each query sees what is newest.
 */
void store_snapshot_begin(struct store_db *db);
void store_snapshot_end(struct store_db *db);
/* The store that a connection belongs to. */
struct store *store_of(const struct store_db *db);

/* A piece of work on the writer's connection. It must not block and must not keep `db`. Returning false undoes it. */
typedef bool store_work(struct store_db *db, void *context, struct error *error);
/* Called on the writer thread once the outcome is durable (or has failed: `error` is not NULL then). Must not block. */
typedef void store_done(void *context, struct error *error);

/* Runs the work and waits until it is durable. Not for the writer thread itself. */
MUST_CHECK bool store_write(struct store *store, store_work *work, void *context, struct error *error);
/* Queues the work and returns at once; `done` is called exactly once. */
void store_write_later(struct store *store, store_work *work, void *context, store_done *done);

/* Says, from within a piece of work, that it changes what people may see or do: the generation grows with its commit.
 */
void store_changes_access(struct store_db *db);
/* Calls `wake` (on the writer thread, must not block) after every commit of work that called store_wakes(). Once this
 * has returned, what was set before is not called any more. */
void store_on_wake(struct store *store, void (*wake)(void *context), void *context);
/* Says, from within a piece of work, that it leaves something to do (a job, a due time). */
void store_wakes(struct store_db *db);
/* Calls `change` (on the writer thread, must not block) after every commit that recorded a change of a task
 * (server/store/feed.h) or of what people may see or do. */
void store_on_change(struct store *store, void (*change)(void *context), void *context);
/* Grows whenever users, bindings, roles, environments, settings or the sharing of a task change. A reader that took it
 * before reading and finds it unchanged afterwards has read with the caller's current access. */
uint64_t store_generation(const struct store_db *db);

/* Whether the disk is so full that nothing new should begin. The store has room of its own then, so that how things end
 * can still be recorded. */
bool store_is_low(const struct store *store);
/* Whether the latest transaction could be committed; true when there has been none. Does not try. */
bool store_is_writable(const struct store *store);
struct store_counters store_counters(struct store *store);
/* Reads the whole store for damage; ERROR_STORE_FAILED says what is wrong. */
MUST_CHECK bool store_check(struct store_db *db, struct error *error);
/* Copies the whole store to a new file, consistently, while it is in use. */
MUST_CHECK bool store_backup(struct store_db *db, const char *path, struct error *error);

#endif
