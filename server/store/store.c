#include "server/store/store.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/store/migrate.h"
#include "server/store/query.h"
#include "server/store/room.h"
#include "server/store/list_query.h"

/* With less free space nothing new should begin. */
#define LOW_BYTES (16 * 1024 * 1024)
#define BUSY_TIMEOUT_MS 10000
/* Readers find pages of the store in the system's cache instead of copying them into one of their own. */
#define READER_MAPPED_BYTES "268435456"

struct pending {
        store_work *work;
        store_done *done;
        void *context;
        struct pending *next;
        struct error error;
        bool has_failed;
};

struct store {
        char *path;
        struct store_room room;
        char *folder;
        struct store_db *writer;
        pthread_t thread;
        pthread_mutex_t mutex;
        pthread_cond_t is_pending;
        struct pending *first, **last;
        bool is_closing;
        pthread_mutex_t
                wake_mutex; /* held while one of these is called, so that it is not called once it was replaced */
        void (*wake)(void *context);
        void *wake_context;
        void (*change)(void *context);
        void *change_context;
        atomic_uint_fast64_t generation;
        atomic_uint_fast64_t commits, works, failures;
        atomic_bool is_low, has_failed;
        struct store_db *_Atomic idle; /* a reader that was closed, for whoever opens the next */
};

/* Generations of different stores are different too: a process may open one after another. */
#define GENERATIONS (UINT64_C(1) << 40)
static atomic_uint_fast64_t next_generation;

static void db_close(struct store_db *db)
{
        if (!db)
                return;
        list_cache_free(db->lists);
        query_finalize_all(db);
        sqlite3_close(db->connection);
        free(db);
}

static struct store_db *db_open(struct store *store, struct error *error)
{
        struct store_db *db = memory_new(sizeof *db);

        db->store = store;
        if (sqlite3_open_v2(store->path, &db->connection,
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
            sqlite3_busy_timeout(db->connection, BUSY_TIMEOUT_MS) ||
            sqlite3_exec(
                    db->connection,
                    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                    "PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;"
                    "PRAGMA wal_autocheckpoint = 4000",
                    NULL, NULL, NULL) != SQLITE_OK) {
                error_set(error, ERROR_STORE_FAILED, "the store %s cannot be opened: %s", store->path,
                          sqlite3_errmsg(db->connection));
                db_close(db);
                return NULL;
        }
        return db;
}

static bool execute(struct store_db *db, enum statement which, struct error *error)
{
        auto_query query = query_begin(db, which);

        return query_run(&query, NULL, error);
}

static void look_at_disk(struct store *store)
{
        int64_t available = path_free_space(store->folder);

        if (available >= 0)
                atomic_store(&store->is_low, available < LOW_BYTES);
        store_room_keep(&store->room);
}

static void run_one(struct store_db *db, struct pending *pending)
{
        bool was_changed = db->is_access_changed, was_waking = db->is_waking;

        if (!execute(db, STATEMENT_WORK_BEGIN, &pending->error)) {
                pending->has_failed = true;
                return;
        }
        if (!pending->work(db, pending->context, &pending->error)) {
                auto_error ignored = {0};
                pending->has_failed = true;
                db->is_access_changed = was_changed;
                db->is_waking = was_waking;
                execute(db, STATEMENT_WORK_UNDO, &ignored);
        }
        auto_error release = {0};
        if (!execute(db, STATEMENT_WORK_END, &release) && !pending->has_failed) {
                pending->has_failed = true;
                error_move(&pending->error, &release);
        }
}

static void call_wake(struct store *store)
{
        pthread_mutex_lock(&store->wake_mutex);
        if (store->wake)
                store->wake(store->wake_context);
        pthread_mutex_unlock(&store->wake_mutex);
}

static void call_change(struct store *store)
{
        pthread_mutex_lock(&store->wake_mutex);
        if (store->change)
                store->change(store->change_context);
        pthread_mutex_unlock(&store->wake_mutex);
}

/* Hears of every row that work writes, those of triggers included. */
static void note_row(void *context, int operation, const char *database, const char *table, sqlite3_int64 row)
{
        struct store_db *db = context;

        (void)database, (void)row;
        if (operation == SQLITE_INSERT && !strcmp(table, "task_changes"))
                db->is_feed_grown = true;
}

static void run_batch(struct store *store, struct pending *batch)
{
        struct store_db *db = store->writer;
        auto_error error = {0};
        uint64_t count = 0;

        look_at_disk(store);
        db->is_access_changed = db->is_waking = db->is_feed_grown = false;
        bool is_good = execute(db, STATEMENT_BEGIN, &error);
        for (struct pending *one = batch; is_good && one; one = one->next, count++)
                run_one(db, one);
        is_good = is_good && execute(db, STATEMENT_COMMIT, &error);
        atomic_store(&store->has_failed, !is_good);
        if (is_good) {
                atomic_fetch_add(&store->commits, 1);
                atomic_fetch_add(&store->works, count);
        } else {
                auto_error ignored = {0};
                atomic_fetch_add(&store->failures, 1);
                if (!sqlite3_get_autocommit(db->connection))
                        execute(db, STATEMENT_ROLLBACK, &ignored);
                /* Moves the log into the database, so that the log's room can be used again. */
                if (error.code == ERROR_STORE_FULL)
                        sqlite3_wal_checkpoint_v2(db->connection, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
        }
        /* Also when the commit failed: work in this batch may have read, on this connection, what never came to be. */
        if (db->is_access_changed)
                atomic_fetch_add(&store->generation, 1);
        for (struct pending *one = batch, *next; one; one = next) {
                next = one->next;
                if (!is_good && !one->has_failed) {
                        one->has_failed = true;
                        error_set(&one->error, error.code, "%s", error.message);
                }
                one->done(one->context, one->has_failed ? &one->error : NULL);
                error_clear(&one->error);
                free(one);
        }
        if (is_good && db->is_waking)
                call_wake(store);
        if (db->is_access_changed || (is_good && db->is_feed_grown))
                call_change(store);
}

static void *write_loop(void *argument)
{
        struct store *store = argument;

        for (;;) {
                pthread_mutex_lock(&store->mutex);
                while (!store->first && !store->is_closing)
                        pthread_cond_wait(&store->is_pending, &store->mutex);
                struct pending *batch = store->first;
                store->first = NULL;
                store->last = &store->first;
                pthread_mutex_unlock(&store->mutex);
                if (!batch)
                        return NULL;
                run_batch(store, batch);
        }
}

static void store_release(struct store *store)
{
        db_close(atomic_load(&store->idle));
        db_close(store->writer);
        store_room_close(&store->room);
        pthread_mutex_destroy(&store->mutex);
        pthread_mutex_destroy(&store->wake_mutex);
        pthread_cond_destroy(&store->is_pending);
        free(store->path);
        free(store->folder);
        free(store);
}

struct store *store_open(const char *folder, struct error *error)
{
        struct store *store = memory_new(sizeof *store);

        store->folder = text_copy(folder);
        store->path = path_join(folder, "store.db");
        store->room = (struct store_room){-1, -1};
        store->last = &store->first;
        atomic_store(&store->generation, atomic_fetch_add(&next_generation, GENERATIONS) + 1);
        pthread_mutex_init(&store->mutex, NULL);
        pthread_mutex_init(&store->wake_mutex, NULL);
        pthread_cond_init(&store->is_pending, NULL);
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        store->writer = db_open(store, error);
        if (!store->writer || !store_migrate(store->writer->connection, error)) {
                store_release(store);
                return NULL;
        }
        sqlite3_update_hook(store->writer->connection, note_row, store->writer);
        chmod(store->path, 0600);
        store_room_open(&store->room, store->path);
        look_at_disk(store);
        pthread_create(&store->thread, NULL, write_loop, store);
        return store;
}

void store_close(struct store *store)
{
        pthread_mutex_lock(&store->mutex);
        store->is_closing = true;
        pthread_cond_signal(&store->is_pending);
        pthread_mutex_unlock(&store->mutex);
        pthread_join(store->thread, NULL);
        store_release(store);
}

struct store_db *store_reader_open(struct store *store, struct error *error)
{
        struct store_db *db = atomic_exchange(&store->idle, NULL);

        if (db)
                return db;
        db = db_open(store, error);
        if (db)
                sqlite3_exec(db->connection, "PRAGMA query_only = ON; PRAGMA mmap_size = " READER_MAPPED_BYTES, NULL,
                             NULL, NULL);
        return db;
}

/* To read the schema is most of what a reader costs, and a server's start opens one after another. */
void store_reader_close(struct store_db *db)
{
        if (db)
                db_close(atomic_exchange(&db->store->idle, db));
}

void store_snapshot_begin(struct store_db *db)
{
        auto_error ignored = {0};

        execute(db, STATEMENT_SNAPSHOT_BEGIN, &ignored);
}

/* After a failure that ended the transaction by itself there is nothing left to end. */
void store_snapshot_end(struct store_db *db)
{
        auto_error ignored = {0};

        if (!sqlite3_get_autocommit(db->connection) && !execute(db, STATEMENT_COMMIT, &ignored))
                execute(db, STATEMENT_ROLLBACK, &ignored);
}

struct store *store_of(const struct store_db *db)
{
        return db->store;
}

void store_write_later(struct store *store, store_work *work, void *context, store_done *done)
{
        struct pending *pending = memory_new(sizeof *pending);

        pending->work = work;
        pending->done = done;
        pending->context = context;
        pthread_mutex_lock(&store->mutex);
        *store->last = pending;
        store->last = &pending->next;
        pthread_cond_signal(&store->is_pending);
        pthread_mutex_unlock(&store->mutex);
}

struct waiting {
        store_work *work;
        void *context;
        pthread_mutex_t mutex;
        pthread_cond_t is_over;
        bool is_done, has_failed;
        struct error *error;
};

static bool wait_work(struct store_db *db, void *context, struct error *error)
{
        struct waiting *waiting = context;

        return waiting->work(db, waiting->context, error);
}

static void wait_done(void *context, struct error *error)
{
        struct waiting *waiting = context;

        pthread_mutex_lock(&waiting->mutex);
        waiting->is_done = true;
        if (error) {
                waiting->has_failed = true;
                error_move(waiting->error, error);
        }
        pthread_cond_signal(&waiting->is_over);
        pthread_mutex_unlock(&waiting->mutex);
}

bool store_write(struct store *store, store_work *work, void *context, struct error *error)
{
        struct waiting waiting = {.work = work, .context = context, .error = error};

        pthread_mutex_init(&waiting.mutex, NULL);
        pthread_cond_init(&waiting.is_over, NULL);
        store_write_later(store, wait_work, &waiting, wait_done);
        pthread_mutex_lock(&waiting.mutex);
        while (!waiting.is_done)
                pthread_cond_wait(&waiting.is_over, &waiting.mutex);
        pthread_mutex_unlock(&waiting.mutex);
        pthread_mutex_destroy(&waiting.mutex);
        pthread_cond_destroy(&waiting.is_over);
        return !waiting.has_failed;
}

void store_changes_access(struct store_db *db)
{
        db->is_access_changed = true;
}

void store_wakes(struct store_db *db)
{
        db->is_waking = true;
}

void store_on_wake(struct store *store, void (*wake)(void *context), void *context)
{
        pthread_mutex_lock(&store->wake_mutex);
        store->wake_context = context;
        store->wake = wake;
        pthread_mutex_unlock(&store->wake_mutex);
}

void store_on_change(struct store *store, void (*change)(void *context), void *context)
{
        pthread_mutex_lock(&store->wake_mutex);
        store->change_context = context;
        store->change = change;
        pthread_mutex_unlock(&store->wake_mutex);
}

uint64_t store_generation(const struct store_db *db)
{
        return atomic_load(&db->store->generation);
}

bool store_is_low(const struct store *store)
{
        return atomic_load(&store->is_low);
}

bool store_is_writable(const struct store *store)
{
        return !atomic_load(&store->has_failed);
}

static int64_t size_of(const char *path)
{
        struct stat info;

        return stat(path, &info) ? 0 : info.st_size;
}

struct store_counters store_counters(struct store *store)
{
        auto_free char *log = text_format("%s-wal", store->path);

        return (struct store_counters){.commits = atomic_load(&store->commits),
                                       .works = atomic_load(&store->works),
                                       .failures = atomic_load(&store->failures),
                                       .database_bytes = size_of(store->path),
                                       .log_bytes = size_of(log)};
}

bool store_check(struct store_db *db, struct error *error)
{
        auto_query query = {.connection = db->connection};
        bool is_row, is_good = false;

        if (sqlite3_prepare_v2(db->connection, "PRAGMA quick_check(1)", -1, &query.statement, NULL) != SQLITE_OK)
                return query_failure(db->connection, error);
        if (query_next(&query, &is_row, error)) {
                auto_free char *answer = is_row ? query_column_text(&query, 0) : NULL;
                is_good = answer && !strcmp(answer, "ok");
                if (!is_good)
                        error_set(error, ERROR_STORE_FAILED, "the store is damaged: %s", answer ? answer : "no answer");
        }
        sqlite3_finalize(take(query.statement));
        return is_good;
}

bool store_backup(struct store_db *db, const char *path, struct error *error)
{
        sqlite3 *target = NULL;
        sqlite3_backup *backup = NULL;

        if (sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK)
                backup = sqlite3_backup_init(target, "main", db->connection, "main");
        if (backup)
                sqlite3_backup_step(backup, -1);
        bool is_good = backup && sqlite3_backup_finish(backup) == SQLITE_OK;
        if (!is_good)
                error_set(error, ERROR_STORE_FAILED, "the store cannot be copied to %s: %s", path,
                          sqlite3_errmsg(target));
        sqlite3_close(target);
        return is_good;
}
