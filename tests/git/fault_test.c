#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git/worker.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "tests/git/fixture.h"

#define GRACE_MS 30000

static const struct repository_limits brief = {.deadline_ms = 1500, .memory_bytes = 1 << 30};

static bool update(struct fixture *fixture, const char *url, const struct repository_limits *limits,
                   struct error *error)
{
        struct repository_remote remote = {.url = url, .username = REMOTE_USER, .password = REMOTE_PASSWORD};

        return repository_mirror_update(fixture->mirrors, &remote, limits, error);
}

static bool is_in_command_line(const char *pid, const char *text)
{
        auto_free char *path = text_format("/proc/%s/cmdline", pid);
        FILE *file = fopen(path, "re");
        char line[16384];
        size_t length = file ? fread(line, 1, sizeof line, file) : 0;

        if (file)
                fclose(file);
        return memmem(line, length, text, strlen(text)) != NULL;
}

static bool is_any_process(const char *text)
{
        DIR *processes = opendir("/proc");
        struct dirent *entry;
        bool is_any = false;

        while ((entry = readdir(processes)))
                is_any |= isdigit((unsigned char)entry->d_name[0]) && is_in_command_line(entry->d_name, text);
        closedir(processes);
        return is_any;
}

/* Fails when a process with the text in its command line stays; one that was killed needs a moment to be gone. */
static void assert_no_process(const char *text)
{
        int64_t begun = clock_monotonic();

        while (is_any_process(text)) {
                if (clock_monotonic() - begun > GRACE_MS)
                        fail_msg("a process with %s is left", text);
                usleep(5000);
        }
}

static void refused_addresses_run_nothing(void **state)
{
        static const char *const urls[] = {"ext::sh -c touch%20/tmp/x", "file:///etc", "/etc",
                                           "http://u:p@127.0.0.1/open/r.git"};
        struct fixture *fixture = *state;

        for (size_t i = 0; i < COUNT_OF(urls); i++) {
                auto_error error = {0};
                assert_false(update(fixture, urls[i], &fixture_limits, &error));
                assert_int_equal(error.code, ERROR_GIT_URL_REFUSED);
        }
        assert_int_equal(fixture_count(fixture, "", ""), 0);
}

static void a_redirect_is_not_followed(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *url = remote_url(&fixture->remote, "moved", "r");
        auto_error error = {0};

        assert_false(update(fixture, url, &fixture_limits, &error));
        fixture_expect(&error, ERROR_GIT_FAILED, "redirects elsewhere");
        assert_false(remote_is_trapped(&fixture->remote));
        assert_int_equal(fixture_count(fixture, "mirrors", ".git"), 0);
}

static void a_silent_peer_ends_at_the_deadline(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *url = text_format("http://127.0.0.1:%d/r.git", fixture->remote.trap_port);
        auto_error error = {0};
        int64_t begun = clock_monotonic();

        assert_false(update(fixture, url, &brief, &error));
        fixture_expect(&error, ERROR_GIT_TIMEOUT, "/r.git: not finished within 1.5 seconds");
        assert_in_range(clock_monotonic() - begun, brief.deadline_ms, brief.deadline_ms + GRACE_MS);
        assert_int_equal(fixture_count(fixture, "mirrors", ".git"), 0);
        assert_int_equal(fixture_count(fixture, "mirrors", ".new"), 0);
        assert_no_process(url);
}

/* A mirror with one commit, and a remote that has another, too large to be sent while stalled. */
static char *make_stalled(struct fixture *fixture)
{
        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        remote_script(&fixture->remote, "r",
                      "head -c 300000 /dev/urandom > big && git add big && git commit -q -m big && git push -q origin "
                      "HEAD && git push -q origin HEAD:second");
        remote_stall(&fixture->remote, true);
        return remote_url(&fixture->remote, "open", "r");
}

static void a_fetch_killed_half_way_leaves_the_mirror_as_it_was(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        auto_free char *url = make_stalled(fixture);
        bool has = true;

        assert_false(update(fixture, url, &brief, &error));
        fixture_expect(&error, ERROR_GIT_TIMEOUT, "/open/r.git");
        auto_free char *stalled = path_join(fixture->remote.folder, "stalled");
        assert_return_code(access(stalled, F_OK), 0);
        assert_no_process(url);
        assert_true(repository_has_branch(fixture->mirrors, url, "second", &has, &error));
        assert_false(has);
        fixture_workspace_works(fixture, "r", NULL);
        fixture_script(fixture, "test ! -e big; test $(cat a) = one; git fsck --strict 2>/dev/null");
        remote_stall(&fixture->remote, false);
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "second");
        fixture_script(fixture, "test $(stat -c %s big) = 300000; ! ls .git/objects/pack/tmp_* 2>/dev/null");
        auto_free char *leftover =
                text_format("! find %s -name 'tmp_*' -o -name '*.git/*.lock' | grep .", fixture->mirrors);
        assert_int_equal(system(leftover), 0);
}

static void lock_files_of_the_dead_are_cleared(void **state)
{
        struct fixture *fixture = *state;

        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "two");
        auto_free char *litter = text_format("cd %s/*.git && touch packed-refs.lock HEAD.lock refs/heads/main.lock "
                                             "config.lock objects/pack/tmp_pack_x && cd .. && "
                                             "mkdir $(basename *.git .git).new-m-dead",
                                             fixture->mirrors);
        assert_int_equal(system(litter), 0);
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        fixture_script(fixture, "test $(cat a) = two");
        assert_int_equal(fixture_count(fixture, "mirrors", ""), 2);
}

/* The process stands for a server: it updates, and is killed while it waits. */
static void a_killed_server_leaves_no_worker_behind(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *url = make_stalled(fixture);
        auto_free char *stalled = path_join(fixture->remote.folder, "stalled");
        pid_t server = fork();

        if (server == 0) {
                auto_error error = {0};
                _exit(update(fixture, url, &fixture_limits, &error) ? 0 : 1);
        }
        while (access(stalled, F_OK))
                usleep(5000);
        kill(server, SIGKILL);
        waitpid(server, NULL, 0);
        remote_stall(&fixture->remote, false);
        /* The lock is free as soon as the worker and its git are gone. */
        int64_t begun = clock_monotonic();
        fixture_mirror(fixture, "r");
        assert_in_range(clock_monotonic() - begun, 0, 10000);
        assert_no_process(url);
        fixture_workspace_works(fixture, "r", "second");
}

static void waiting_for_the_mirror_ends_at_the_deadline(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *url = make_stalled(fixture);
        auto_free char *stalled = path_join(fixture->remote.folder, "stalled");
        auto_error error = {0};
        pid_t holder = fork();

        if (holder == 0) {
                auto_error ignored = {0};
                _exit(update(fixture, url, &fixture_limits, &ignored) ? 0 : 1);
        }
        while (access(stalled, F_OK))
                usleep(5000);
        int64_t begun = clock_monotonic();
        assert_false(update(fixture, url, &brief, &error));
        fixture_expect(&error, ERROR_GIT_TIMEOUT, "not finished");
        assert_in_range(clock_monotonic() - begun, brief.deadline_ms, brief.deadline_ms + GRACE_MS);
        kill(holder, SIGKILL);
        waitpid(holder, NULL, 0);
        remote_stall(&fixture->remote, false);
}

/* Makes `path` a file system of its own with so many bytes; false where that is not allowed. */
static bool mount_small(const char *path, const char *size)
{
        auto_free char *options = text_format("size=%s,mode=755", size);

        assert_return_code(mkdir(path, 0755), 0);
        return !mount("tmpfs", path, "tmpfs", 0, options);
}

static void make_large(struct fixture *fixture)
{
        remote_make(&fixture->remote, "r");
        remote_script(&fixture->remote, "r",
                      "head -c 3000000 /dev/urandom > big && git add big && git commit -q -m big && git push -q origin "
                      "HEAD");
}

static void a_full_disk_leaves_no_half_mirror(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        make_large(fixture);
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        if (!mount_small(fixture->mirrors, "1m"))
                skip();
        bool is_made = update(fixture, url, &fixture_limits, &error);
        size_t left = fixture_count(fixture, "mirrors", ".git") + fixture_count(fixture, "mirrors", ".new");
        assert_return_code(umount(fixture->mirrors), 0);
        assert_false(is_made);
        fixture_expect(&error, ERROR_STORE_FULL, "the disk is full");
        assert_int_equal(left, 0);
}

static void a_full_disk_during_a_fetch_keeps_the_old_mirror(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        if (!mount_small(fixture->mirrors, "1m"))
                skip();
        bool is_made = update(fixture, url, &fixture_limits, &error);
        remote_script(&fixture->remote, "r",
                      "head -c 3000000 /dev/urandom > big && git add big && git commit -q -m big && git push -q origin "
                      "HEAD");
        bool is_updated = update(fixture, url, &fixture_limits, &error);
        auto_error second = {0};
        bool is_there = fixture_workspace(fixture, "r", NULL, &second);
        assert_return_code(umount(fixture->mirrors), 0);
        assert_true(is_made);
        assert_false(is_updated);
        fixture_expect(&error, ERROR_STORE_FULL, "the disk is full");
        if (!is_there)
                fail_msg("%s", second.message);
        fixture_script(fixture, "test $(cat a) = one");
}

static void a_full_disk_leaves_no_half_workspace(void **state)
{
        static const char *const sizes[] = {"1m", "4m"}; /* too small for the objects, too small for the files */
        struct fixture *fixture = *state;

        make_large(fixture);
        fixture_mirror(fixture, "r");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        auto_free char *small = path_join(fixture->data, "small");
        auto_free char *destination = path_join(small, "workspace");
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
                auto_error error = {0};
                if (!mount_small(small, sizes[i]))
                        skip();
                bool is_made =
                        repository_workspace_make(fixture->mirrors, url, NULL, destination, FIXTURE_UID, FIXTURE_GID,
                                                  &fixture_limits, &fixture->branch, fixture->head, &error);
                size_t left = fixture_count(fixture, "small", "");
                assert_return_code(umount(small), 0);
                assert_return_code(rmdir(small), 0);
                assert_false(is_made);
                fixture_expect(&error, ERROR_STORE_FULL, "the disk is full");
                assert_int_equal(left, 0);
        }
}

static void objects_that_reach_out_of_a_checkout_are_refused_and_merely_old_ones_are_not(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        remote_make(&fixture->remote, "r");
        remote_script(&fixture->remote, "r",
                      "plain=$(printf '100644 blob %s\\ta\\n' $(echo x | git hash-object -w --stdin) | git mktree)\n"
                      "git cat-file tree $plain | sed s/^100644/0100644/ > tree\n"
                      "tree=$(git hash-object -t tree -w --literally tree)\n"
                      "git push -q origin $(git commit-tree -m old $tree):refs/heads/main");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        remote_script(&fixture->remote, "r",
                      "tree=$(printf '100644 blob %s\\t.git\\n' $(echo x | git hash-object -w --stdin) | git mktree)\n"
                      "git push -q origin $(git commit-tree -m bad $tree):refs/heads/bad");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        assert_false(update(fixture, url, &fixture_limits, &error));
        fixture_expect(&error, ERROR_GIT_FAILED, "hasDotgit");
        fixture_workspace_works(fixture, "r", NULL);
}

static void git_cannot_use_more_memory_than_its_limit(void **state)
{
        struct fixture *fixture = *state;
        const struct repository_limits small = {.deadline_ms = 60000, .memory_bytes = 24 << 20};
        auto_error error = {0};

        remote_make(&fixture->remote, "r");
        remote_script(&fixture->remote, "r",
                      "head -c 90000000 /dev/zero > big && git add big && git commit -q -m big && git push -q origin "
                      "HEAD");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        assert_false(update(fixture, url, &small, &error));
        fixture_expect(&error, ERROR_GIT_FAILED, "more memory than its limit");
        assert_int_equal(fixture_count(fixture, "mirrors", ".git"), 0);
}

static void a_program_that_is_no_worker_is_an_error(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        repository_worker_configure("/bin/false", NULL);
        bool is_false = update(fixture, "https://host.example/r", &fixture_limits, &error);
        repository_worker_configure("/nonexistent/program", NULL);
        auto_error missing = {0};
        bool is_missing = update(fixture, "https://host.example/r", &fixture_limits, &missing);
        repository_worker_configure(NULL, "/nonexistent/git");
        auto_error no_git = {0};
        bool is_without = update(fixture, "https://host.example/r", &fixture_limits, &no_git);
        repository_worker_configure(NULL, NULL);
        assert_false(is_false || is_missing || is_without);
        fixture_expect(&error, ERROR_GIT_FAILED, "ended with status 1 and without an answer");
        fixture_expect(&missing, ERROR_GIT_FAILED, "Cannot start a git worker: No such file");
#ifdef __SANITIZE_THREAD__
        /* The sanitizer itself runs into the memory limit that is set just before git. */
        fixture_expect(&no_git, ERROR_GIT_FAILED, "");
#else
        fixture_expect(&no_git, ERROR_GIT_FAILED, "cannot run the git program: No such file");
#endif
}

static void the_last_words_of_a_git_that_was_killed_are_told(void **state)
{
        static const struct {
                const char *script;
                enum error_code code;
                const char *part;
        } cases[] = {
                {"echo 'error: first' >&2; echo 'fatal: last' >&2; kill -ABRT $$", ERROR_GIT_FAILED,
                 "/open/r.git: git was ended by signal 6 (Aborted): first; last"},
                {"echo 'error: No space left on device' >&2; kill -BUS $$", ERROR_STORE_FULL, "the disk is full"},
                {"kill -KILL $$", ERROR_GIT_FAILED, "/open/r.git: git was ended by signal 9 (Killed)"},
        };
        struct fixture *fixture = *state;
        auto_free char *url = remote_url(&fixture->remote, "open", "r");

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                fixture_git(fixture, cases[i].script);
                assert_false(update(fixture, url, &fixture_limits, &error));
                fixture_expect(&error, cases[i].code, cases[i].part);
        }
}

int fault_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(refused_addresses_run_nothing),
                FIXTURE_TEST(a_redirect_is_not_followed),
                FIXTURE_TEST(a_silent_peer_ends_at_the_deadline),
                FIXTURE_TEST(a_fetch_killed_half_way_leaves_the_mirror_as_it_was),
                FIXTURE_TEST(lock_files_of_the_dead_are_cleared),
                FIXTURE_TEST(a_killed_server_leaves_no_worker_behind),
                FIXTURE_TEST(waiting_for_the_mirror_ends_at_the_deadline),
                FIXTURE_TEST(a_full_disk_leaves_no_half_mirror),
                FIXTURE_TEST(a_full_disk_during_a_fetch_keeps_the_old_mirror),
                FIXTURE_TEST(a_full_disk_leaves_no_half_workspace),
                FIXTURE_TEST(objects_that_reach_out_of_a_checkout_are_refused_and_merely_old_ones_are_not),
                FIXTURE_TEST(git_cannot_use_more_memory_than_its_limit),
                FIXTURE_TEST(a_program_that_is_no_worker_is_an_error),
                FIXTURE_TEST(the_last_words_of_a_git_that_was_killed_are_told),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
