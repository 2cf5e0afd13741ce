#include <pthread.h>
#include <semaphore.h>

#include "server/store/query.h"
#include "server/store/setting.h"
#include "server/store/user.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

static bool put_setting(struct store_db *db, void *context, struct error *error)
{
        return store_setting_put(db, context, "x", 1, error);
}

static bool put_and_refuse(struct store_db *db, void *context, struct error *error)
{
        return store_setting_put(db, context, "x", 1, error) && error_set(error, ERROR_CONFLICT, "refused");
}

static void count_setting(const char *name, const char *value, void *context)
{
        (void)name;
        (void)value;
        ++*(int *)context;
}

static int settings_in(struct fixture *fixture)
{
        auto_error error = {0};
        int count = 0;

        assert_true(store_setting_list(fixture->db, count_setting, &count, &error));
        return count;
}

static void what_is_written_is_seen_by_readers(void **state)
{
        struct fixture *fixture = *state;

        fixture_write(fixture, put_setting, (char[]){"A"});
        assert_int_equal(settings_in(fixture), 1);
}

static void a_snapshot_stays_as_it_was_until_it_ends(void **state)
{
        struct fixture *fixture = *state;

        store_snapshot_begin(fixture->db);
        assert_int_equal(settings_in(fixture), 0);
        fixture_write(fixture, put_setting, (char[]){"A"});
        assert_int_equal(settings_in(fixture), 0);
        store_snapshot_end(fixture->db);
        assert_int_equal(settings_in(fixture), 1);
        store_snapshot_end(fixture->db);
        assert_int_equal(settings_in(fixture), 1);
}

static void a_refused_piece_of_work_leaves_no_trace(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        uint64_t generation = store_generation(fixture->db);

        assert_false(store_write(fixture->store, put_and_refuse, (char[]){"A"}, &error));
        assert_int_equal(error.code, ERROR_CONFLICT);
        assert_string_equal(error.message, "refused");
        assert_int_equal(settings_in(fixture), 0);
        assert_int_equal(store_generation(fixture->db), generation);
}

/* Holds the writer in a piece of work, so that what is queued meanwhile becomes one batch. */
struct gate {
        sem_t is_held, go_on;
};

static bool hold_writer(struct store_db *db, void *context, struct error *error)
{
        struct gate *gate = context;

        (void)db;
        (void)error;
        sem_post(&gate->is_held);
        sem_wait(&gate->go_on);
        return true;
}

static void ignore_done(void *context, struct error *error)
{
        (void)context;
        (void)error;
}

struct tally {
        sem_t all;
        int good, failed;
};

static void tally_done(void *context, struct error *error)
{
        struct tally *tally = context;

        if (error)
                tally->failed++;
        else
                tally->good++;
        sem_post(&tally->all);
}

struct piece {
        struct tally *tally;
        char name[16];
        bool is_refused;
};

static bool piece_work(struct store_db *db, void *context, struct error *error)
{
        struct piece *piece = context;

        return store_setting_put(db, piece->name, "x", 1, error) &&
               (!piece->is_refused || error_set(error, ERROR_CONFLICT, NULL));
}

static void piece_done(void *context, struct error *error)
{
        tally_done(((struct piece *)context)->tally, error);
}

static void what_gathers_is_one_commit_and_a_refused_piece_does_not_harm_the_others(void **state)
{
        struct fixture *fixture = *state;
        struct gate gate;
        struct tally tally = {0};
        struct piece pieces[20];

        sem_init(&gate.is_held, 0, 0);
        sem_init(&gate.go_on, 0, 0);
        sem_init(&tally.all, 0, 0);
        store_write_later(fixture->store, hold_writer, &gate, ignore_done);
        sem_wait(&gate.is_held);
        uint64_t before = store_counters(fixture->store).commits;
        for (size_t i = 0; i < COUNT_OF(pieces); i++) {
                pieces[i] = (struct piece){.tally = &tally, .is_refused = i % 4 == 0};
                snprintf(pieces[i].name, sizeof pieces[i].name, "N%zu", i);
                store_write_later(fixture->store, piece_work, &pieces[i], piece_done);
        }
        sem_post(&gate.go_on);
        for (size_t i = 0; i < COUNT_OF(pieces); i++)
                sem_wait(&tally.all);
        assert_int_equal(tally.good, 15);
        assert_int_equal(tally.failed, 5);
        assert_int_equal(settings_in(fixture), 15);
        assert_int_equal(store_counters(fixture->store).commits - before, 2);
}

static void wake(void *context)
{
        sem_post(context);
}

static bool waking_work(struct store_db *db, void *context, struct error *error)
{
        (void)context;
        (void)error;
        store_wakes(db);
        return true;
}

static bool waking_refusal(struct store_db *db, void *context, struct error *error)
{
        return waking_work(db, context, error) && error_set(error, ERROR_CONFLICT, NULL);
}

static void only_committed_work_wakes(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        sem_t woken;
        int count;

        sem_init(&woken, 0, 0);
        store_on_wake(fixture->store, wake, &woken);
        assert_false(store_write(fixture->store, waking_refusal, NULL, &error));
        fixture_write(fixture, put_setting, (char[]){"A"});
        fixture_write(fixture, waking_work, NULL);
        sem_wait(&woken);
        sem_getvalue(&woken, &count);
        assert_int_equal(count, 0);
}

static bool disable(struct store_db *db, void *context, struct error *error)
{
        (void)context;
        return store_user_set_disabled(db, 1, true, error);
}

static void the_generation_grows_with_what_changes_access_and_only_then(void **state)
{
        struct fixture *fixture = *state;
        uint64_t generation = store_generation(fixture->db);

        fixture_write(fixture, waking_work, NULL);
        assert_int_equal(store_generation(fixture->db), generation);
        fixture_write(fixture, disable, NULL);
        assert_int_equal(store_generation(fixture->db), generation + 1);
}

static void a_reader_cannot_write(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        assert_false(store_setting_put(fixture->db, "A", "x", 1, &error));
        assert_int_equal(error.code, ERROR_STORE_FAILED);
}

static void a_closed_store_has_kept_what_was_queued(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        struct tally tally = {0};

        sem_init(&tally.all, 0, 0);
        store_write_later(fixture->store, put_setting, (char[]){"A"}, ignore_done);
        store_reader_close(fixture->db);
        store_close(fixture->store);
        fixture->store = store_open(fixture->folder, &error);
        assert_non_null(fixture->store);
        fixture->db = store_reader_open(fixture->store, &error);
        assert_int_equal(settings_in(fixture), 1);
}

static void a_backup_is_a_whole_store(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        char copy[64];

        fixture_write(fixture, put_setting, (char[]){"A"});
        strcpy(copy, "/tmp/longshore-copy-XXXXXX");
        assert_non_null(mkdtemp(copy));
        auto_free char *path = text_format("%s/store.db", copy);
        assert_true(store_backup(fixture->db, path, &error));
        struct store *store = store_open(copy, &error);
        assert_non_null(store);
        struct store_db *db = store_reader_open(store, &error);
        int count = 0;
        assert_true(store_check(db, &error));
        assert_true(store_setting_list(db, count_setting, &count, &error));
        assert_int_equal(count, 1);
        store_reader_close(db);
        store_close(store);
        auto_free char *command = text_format("rm -rf %s", copy);
        assert_int_equal(system(command), 0);
}

static void a_store_of_a_newer_program_is_refused(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        sqlite3 *connection;
        auto_free char *path = text_format("%s/store.db", fixture->folder);

        assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
        assert_int_equal(sqlite3_exec(connection, "PRAGMA user_version = 999", NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(connection);
        assert_null(store_open(fixture->folder, &error));
        assert_non_null(strstr(error.message, "use the newer program"));
}

int run_commit_tests(void)
{
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
        const struct CMUnitTest tests[] = {
                WITH_STORE(what_is_written_is_seen_by_readers),
                WITH_STORE(a_snapshot_stays_as_it_was_until_it_ends),
                WITH_STORE(a_refused_piece_of_work_leaves_no_trace),
                WITH_STORE(what_gathers_is_one_commit_and_a_refused_piece_does_not_harm_the_others),
                WITH_STORE(only_committed_work_wakes),
                WITH_STORE(the_generation_grows_with_what_changes_access_and_only_then),
                WITH_STORE(a_reader_cannot_write),
                WITH_STORE(a_closed_store_has_kept_what_was_queued),
                WITH_STORE(a_backup_is_a_whole_store),
                WITH_STORE(a_store_of_a_newer_program_is_refused),
        };

        return cmocka_run_group_tests_name("commit", tests, NULL, NULL);
}
