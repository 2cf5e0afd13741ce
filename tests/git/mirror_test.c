#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include "git/worker.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "tests/git/fixture.h"

static bool has_branch(const struct fixture *fixture, const char *name, const char *branch)
{
        auto_free char *url = remote_url(&fixture->remote, "open", name);
        auto_error error = {0};
        bool has = false;

        if (!repository_has_branch(fixture->mirrors, url, branch, &has, &error))
                fail_msg("%s", error.message);
        return has;
}

static void a_mirror_follows_its_remote(void **state)
{
        struct fixture *fixture = *state;
        const struct remote *remote = &fixture->remote;

        remote_make(remote, "r");
        remote_commit(remote, "r", "main", "a", "one");
        remote_commit(remote, "r", "gone", "a", "two");
        fixture_mirror(fixture, "r");
        assert_true(has_branch(fixture, "r", "main"));
        assert_true(has_branch(fixture, "r", "gone"));
        remote_commit(remote, "r", "new/branch", "a", "three");
        remote_script(remote, "r", "git push -q origin :gone");
        fixture_mirror(fixture, "r");
        assert_true(has_branch(fixture, "r", "new/branch"));
        assert_false(has_branch(fixture, "r", "new"));
        assert_false(has_branch(fixture, "r", "new/branch/x"));
        assert_false(has_branch(fixture, "r", "gone"));
        fixture_mirror(fixture, "r");
        assert_int_equal(fixture_count(fixture, "mirrors", ""), 2);
}

static void replace_branches(struct fixture *fixture)
{
        const struct remote *remote = &fixture->remote;

        remote_make(remote, "r");
        remote_commit(remote, "r", "main", "a", "one");
        remote_commit(remote, "r", "x", "a", "two");
        fixture_mirror(fixture, "r");
        remote_script(remote, "r", "git push -q origin :x && git branch -m x x/y && git push -q origin x/y");
        fixture_mirror(fixture, "r");
        assert_true(has_branch(fixture, "r", "x/y"));
        remote_script(remote, "r", "git push -q origin :x/y && git branch -m x/y x && git push -q origin x");
        fixture_mirror(fixture, "r");
        assert_true(has_branch(fixture, "r", "x"));
        assert_false(has_branch(fixture, "r", "x/y"));
}

static void a_branch_may_take_the_place_of_a_folder_of_branches(void **state)
{
        replace_branches(*state);
}

/* As git 2.47 does, whatever git is installed here. */
static void a_branch_may_do_so_though_git_aborts_over_it(void **state)
{
        fixture_git(*state, "git \"$@\" || kill -ABRT $$");
        replace_branches(*state);
}

static void a_rewritten_branch_is_taken_over(void **state)
{
        struct fixture *fixture = *state;
        const struct remote *remote = &fixture->remote;
        char before[REPOSITORY_HEAD_SIZE];

        remote_make(remote, "r");
        remote_commit(remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        memcpy(before, fixture->head, sizeof before);
        remote_script(remote, "r", "git commit -q --amend -m other && git push -q -f origin main");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        assert_string_not_equal(before, fixture->head);
}

static void the_default_branch_follows_the_remote(void **state)
{
        struct fixture *fixture = *state;
        const struct remote *remote = &fixture->remote;

        remote_make(remote, "r");
        remote_commit(remote, "r", "main", "a", "one");
        remote_commit(remote, "r", "trunk", "a", "two");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        assert_string_equal(fixture->branch, "main");
        remote_script(remote, "r", "git -C ../../repositories/r.git symbolic-ref HEAD refs/heads/trunk");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        assert_string_equal(fixture->branch, "trunk");
}

static bool update_locked(struct fixture *fixture, const char *user, const char *password, struct error *error)
{
        auto_free char *url = remote_url(&fixture->remote, "locked", "r");
        struct repository_remote remote = {.url = url, .username = user, .password = password};

        return repository_mirror_update(fixture->mirrors, &remote, &fixture_limits, error);
}

/* Fails when the text is in any file of the tree, or in a file's name. */
static void assert_nowhere(const char *folder, const char *text)
{
        auto_free char *command =
                text_format("! grep -raqF -e '%s' '%s' && ! find '%s' | grep -qF -e '%s'", text, folder, folder, text);

        assert_int_equal(system(command), 0);
}

static void credentials_open_a_remote_and_are_found_nowhere(void **state)
{
        struct fixture *fixture = *state;
        const struct remote *remote = &fixture->remote;
        static const char encoded[] = "YWxpY2U6Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5LTQy";
        auto_error error = {0};

        remote_make(remote, "r");
        remote_commit(remote, "r", "main", "a", "one");
        remote_record(remote, true);
        if (!update_locked(fixture, REMOTE_USER, REMOTE_PASSWORD, &error))
                fail_msg("%s", error.message);
        remote_commit(remote, "r", "main", "a", "two");
        if (!update_locked(fixture, REMOTE_USER, REMOTE_PASSWORD, &error))
                fail_msg("%s", error.message);
        auto_free char *url = remote_url(remote, "locked", "r");
        if (!repository_workspace_make(fixture->mirrors, url, NULL, fixture->workspace, FIXTURE_UID, FIXTURE_GID,
                                       &fixture_limits, &fixture->branch, fixture->head, &error))
                fail_msg("%s", error.message);
        assert_nowhere(fixture->data, REMOTE_PASSWORD);
        assert_nowhere(fixture->data, encoded);
        auto_free char *commands = path_join(remote->folder, "commands");
        auto_text seen = TEXT_WITH_MAXIMUM(1 << 24);
        assert_true(path_read(commands, 1 << 24, &seen, NULL, &error));
        assert_non_null(memmem(seen.data, seen.length, "git-remote-http", 15));
        assert_non_null(memmem(seen.data, seen.length, REPOSITORY_WORKER_ARGUMENT, strlen(REPOSITORY_WORKER_ARGUMENT)));
        assert_nowhere(commands, REMOTE_PASSWORD);
        assert_nowhere(commands, encoded);
}

static void wrong_or_missing_credentials_are_told_from_a_missing_repository(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        remote_make(&fixture->remote, "r");
        assert_false(update_locked(fixture, REMOTE_USER, "wrong-password", &error));
        fixture_expect(&error, ERROR_GIT_AUTH_FAILED, "/locked/r.git: the remote refused");
        assert_null(strstr(error.message, "wrong-password"));
        assert_false(update_locked(fixture, NULL, NULL, &error));
        fixture_expect(&error, ERROR_GIT_AUTH_FAILED, "/locked/r.git: the remote refused");
        auto_free char *url = remote_url(&fixture->remote, "open", "missing");
        struct repository_remote missing = {.url = url};
        assert_false(repository_mirror_update(fixture->mirrors, &missing, &fixture_limits, &error));
        fixture_expect(&error, ERROR_GIT_NOT_FOUND, "/open/missing.git: the remote has no such repository");
        assert_string_equal(json_string_value(json_object_get(error.details, "repository")), url);
        assert_int_equal(fixture_count(fixture, "mirrors", ".git"), 0);
        assert_int_equal(fixture_count(fixture, "mirrors", ".new"), 0);
}

static void a_branch_of_no_mirror_is_an_error(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        bool has;

        assert_false(repository_has_branch(fixture->mirrors, "https://host.example/r", "main", &has, &error));
        fixture_expect(&error, ERROR_GIT_FAILED, "Repository https://host.example/r, branch main: there is no mirror");
        assert_false(repository_has_branch(fixture->mirrors, "https://host.example/r", "a b", &has, &error));
        fixture_expect(&error, ERROR_BRANCH_INVALID, "a b");
}

static void *update_open(void *context)
{
        struct fixture *fixture = context;
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        struct repository_remote remote = {.url = url};
        auto_error error = {0};

        return repository_mirror_update(fixture->mirrors, &remote, &fixture_limits, &error) ? fixture : NULL;
}

static void updates_at_the_same_time_take_turns(void **state)
{
        struct fixture *fixture = *state;
        pthread_t threads[4];

        remote_make(&fixture->remote, "r");
        for (int round = 0; round < 2; round++) {
                remote_commit(&fixture->remote, "r", round ? "second" : "main", "a", round ? "two" : "one");
                for (size_t i = 0; i < COUNT_OF(threads); i++)
                        assert_int_equal(pthread_create(&threads[i], NULL, update_open, fixture), 0);
                for (size_t i = 0; i < COUNT_OF(threads); i++) {
                        void *result;
                        assert_int_equal(pthread_join(threads[i], &result), 0);
                        assert_ptr_equal(result, fixture);
                }
        }
        assert_true(has_branch(fixture, "r", "second"));
        assert_int_equal(fixture_count(fixture, "mirrors", ""), 2);
}

static void count(const char *name, void *context)
{
        (void)name;
        ++*(int *)context;
}

static int unused(const struct fixture *fixture)
{
        auto_error error = {0};
        int found = 0;

        assert_true(repository_mirror_each(fixture->mirrors, clock_now() - 3600000, count, &found, &error));
        return found;
}

static void make_old(const struct fixture *fixture)
{
        auto_free char *command = text_format("touch -d '2 hours ago' %s/*.lock", fixture->mirrors);

        assert_int_equal(system(command), 0);
}

static void a_mirror_is_removed_only_when_nobody_has_used_it(void **state)
{
        struct fixture *fixture = *state;
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        auto_error error = {0};
        bool is_removed;

        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        auto_free char *name = repository_mirror_name(url, &error);
        fixture_mirror(fixture, "r");
        assert_int_equal(unused(fixture), 0);
        make_old(fixture);
        assert_int_equal(unused(fixture), 1);
        /* An update that finds nothing new is a use, too. */
        fixture_mirror(fixture, "r");
        assert_int_equal(unused(fixture), 0);
        assert_true(repository_mirror_remove(fixture->mirrors, name, clock_now() - 3600000, &is_removed, &error));
        assert_false(is_removed);
        make_old(fixture);
        auto_free char *lock = text_format("%s/%.*s.lock", fixture->mirrors, (int)strlen(name) - 4, name);
        {
                auto_fd held = open(lock, O_RDONLY | O_CLOEXEC);
                assert_int_equal(flock(held, LOCK_SH), 0);
                assert_true(
                        repository_mirror_remove(fixture->mirrors, name, clock_now() - 3600000, &is_removed, &error));
                assert_false(is_removed);
        }
        assert_true(repository_mirror_remove(fixture->mirrors, name, clock_now() - 3600000, &is_removed, &error));
        assert_true(is_removed);
        assert_int_equal(fixture_count(fixture, "mirrors", ".git"), 0);
        assert_true(repository_mirror_remove(fixture->mirrors, "../data", INT64_MAX, &is_removed, &error));
        assert_false(is_removed);
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "main");
}

int mirror_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(a_mirror_follows_its_remote),
                FIXTURE_TEST(a_mirror_is_removed_only_when_nobody_has_used_it),
                FIXTURE_TEST(a_branch_may_take_the_place_of_a_folder_of_branches),
                FIXTURE_TEST(a_branch_may_do_so_though_git_aborts_over_it),
                FIXTURE_TEST(a_rewritten_branch_is_taken_over),
                FIXTURE_TEST(the_default_branch_follows_the_remote),
                FIXTURE_TEST(credentials_open_a_remote_and_are_found_nowhere),
                FIXTURE_TEST(wrong_or_missing_credentials_are_told_from_a_missing_repository),
                FIXTURE_TEST(a_branch_of_no_mirror_is_an_error),
                FIXTURE_TEST(updates_at_the_same_time_take_turns),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
