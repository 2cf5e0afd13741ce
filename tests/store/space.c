/* A full disk, on a small file system in a mount namespace of a child process. */
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "server/base/path.h"
#include "server/store/query.h"
#include "server/store/setting.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

#define MEGABYTE (1024 * 1024)

/* The child's checks: the line that failed is its exit status, modulo what a status can hold. */
#define CHECK(condition)                                                                                               \
        do {                                                                                                           \
                if (!(condition)) {                                                                                    \
                        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
                        _exit(1);                                                                                      \
                }                                                                                                      \
        } while (0)

static bool put(struct store_db *db, void *context, struct error *error)
{
        return store_setting_put(db, context, "x", 1, error);
}

static bool put_much(struct store_db *db, void *context, struct error *error)
{
        auto_free char *value = memory_new(16 * MEGABYTE + 1);

        memset(value, 'x', 16 * MEGABYTE);
        return store_setting_put(db, context, value, 1, error);
}

/* Leaves `rest` bytes free. */
static void fill(const char *folder, int64_t rest)
{
        auto_free char *path = path_join(folder, "filler");
        auto_fd file = open(path, O_WRONLY | O_CREAT, 0600);
        int64_t available = path_free_space(folder);

        CHECK(file >= 0 && available > rest);
        CHECK(posix_fallocate(file, 0, available - rest) == 0);
}

static void check_low_disk(const char *folder)
{
        auto_error error = {0}, full = {0};
        auto_free char *filler = path_join(folder, "filler");
        struct store *store = store_open(folder, &error);

        CHECK(store && !store_is_low(store));
        fill(folder, 0);
        for (int i = 0; i < 100; i++)
                CHECK(store_write(store, put, (char[]){'A', (char)('a' + i % 26), '\0'}, &error));
        CHECK(store_is_low(store));
        CHECK(!store_write(store, put_much, (char[]){"B"}, &full));
        CHECK(full.code == ERROR_STORE_FULL);
        CHECK(store_write(store, put, (char[]){"D"}, &error));
        unlink(filler);
        CHECK(store_write(store, put, (char[]){"C"}, &error));
        CHECK(!store_is_low(store));
        struct store_db *db = store_reader_open(store, &error);
        CHECK(db && store_check(db, &error));
        store_reader_close(db);
        store_close(store);
}

static void a_full_disk_refuses_what_is_large_and_still_takes_what_is_small(void **state)
{
        char folder[] = "/tmp/longshore-full-XXXXXX";
        int status;

        (void)state;
        assert_non_null(mkdtemp(folder));
        pid_t child = fork();
        if (!child) {
                CHECK(unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
                CHECK(mount("none", folder, "tmpfs", 0, "size=64m") == 0);
                check_low_disk(folder);
                _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        rmdir(folder);
        assert_int_equal(status, 0);
}

int run_space_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_full_disk_refuses_what_is_large_and_still_takes_what_is_small),
        };

        return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
