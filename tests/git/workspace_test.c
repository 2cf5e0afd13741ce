#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/path.h"
#include "tests/git/fixture.h"

static int check_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
        (void)kind;
        (void)where;
        if (info->st_uid != FIXTURE_UID || info->st_gid != FIXTURE_GID)
                fail_msg("%s belongs to %d:%d", path, (int)info->st_uid, (int)info->st_gid);
        if (S_ISREG(info->st_mode) && info->st_nlink != 1)
                fail_msg("%s is linked %d times", path, (int)info->st_nlink);
        return 0;
}

static void make_simple(struct fixture *fixture)
{
        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        remote_script(&fixture->remote, "r", "git tag -a v1 -m v1 && git push -q origin v1");
        remote_commit(&fixture->remote, "r", "feature/x-1", "b", "two");
        fixture_mirror(fixture, "r");
}

static void a_workspace_belongs_wholly_to_its_owner(void **state)
{
        struct fixture *fixture = *state;

        make_simple(fixture);
        fixture_workspace_works(fixture, "r", NULL);
        assert_int_equal(nftw(fixture->workspace, check_entry, 20, FTW_PHYS), 0);
        fixture_script(fixture, "test -z \"$(find .git -name alternates)\"; test $(stat -c %a .) = 755");
        assert_int_equal(fixture_count(fixture, "", ""), 2);
}

static void a_workspace_is_a_clone_of_the_remote(void **state)
{
        struct fixture *fixture = *state;

        make_simple(fixture);
        fixture_workspace_works(fixture, "r", NULL);
        assert_string_equal(fixture->branch, "main");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        auto_free char *script = text_format(
                "test $(git rev-parse HEAD) = %s; test $(git symbolic-ref HEAD) = refs/heads/main\n"
                "test $(git config remote.origin.url) = %s; test $(git rev-parse --abbrev-ref @{u}) = origin/main\n"
                "test $(git rev-parse --abbrev-ref origin/HEAD) = origin/main; test -z \"$(git status --porcelain)\"\n"
                "test $(git tag) = v1; test $(cat a) = one; test ! -e b; git fsck --strict 2>&1\n"
                "! grep -r %s .git; git fetch -q origin; git branch -r | grep -q origin/feature/x-1",
                fixture->head, url, fixture->mirrors);
        fixture_script(fixture, script);
}

static void a_branch_asked_for_is_checked_out_and_tracks(void **state)
{
        struct fixture *fixture = *state;

        make_simple(fixture);
        fixture_workspace_works(fixture, "r", "feature/x-1");
        assert_string_equal(fixture->branch, "feature/x-1");
        fixture_script(fixture, "test $(git symbolic-ref HEAD) = refs/heads/feature/x-1; test $(cat b) = two\n"
                                "test $(git rev-parse --abbrev-ref @{u}) = origin/feature/x-1");
}

static void odd_branch_names_are_kept_exactly(void **state)
{
        static const char *const names[] = {"#12", "$(id)", "a|b;c", "w\xc3\xb6rld", "heads/x", "v1", "100%"};
        struct fixture *fixture = *state;
        bool has = false;

        make_simple(fixture);
        for (size_t i = 0; i < COUNT_OF(names); i++)
                remote_commit(&fixture->remote, "r", names[i], "name", names[i]);
        fixture_mirror(fixture, "r");
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_error error = {0};
                assert_true(repository_has_branch(fixture->mirrors, url, names[i], &has, &error) && has);
                fixture_workspace_works(fixture, "r", names[i]);
                assert_string_equal(fixture->branch, names[i]);
                auto_free char *script = text_format("test \"$(git symbolic-ref HEAD)\" = 'refs/heads/%s'\n"
                                                     "test \"$(cat name)\" = '%s'",
                                                     names[i], names[i]);
                fixture_script(fixture, script);
        }
}

static void a_missing_branch_is_named(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        make_simple(fixture);
        assert_false(fixture_workspace(fixture, "r", "feature", &error));
        fixture_expect(&error, ERROR_GIT_REF_NOT_FOUND,
                       "/open/r.git, branch feature: there is no such branch; the default branch is main");
        assert_string_equal(json_string_value(json_object_get(error.details, "ref")), "feature");
        assert_false(fixture_workspace(fixture, "r", "a..b", &error));
        fixture_expect(&error, ERROR_BRANCH_INVALID, "a..b");
        remote_script(&fixture->remote, "r", "git -C ../../repositories/r.git symbolic-ref HEAD refs/heads/none");
        remote_make(&fixture->remote, "other");
        remote_script(&fixture->remote, "other", "git -C ../../repositories/other.git fetch -q ../r.git main:else");
        fixture_mirror(fixture, "other");
        assert_false(fixture_workspace(fixture, "other", NULL, &error));
        fixture_expect(&error, ERROR_GIT_REF_NOT_FOUND, "say which branch to use");
        assert_false(fixture_workspace(fixture, "unknown", NULL, &error));
        fixture_expect(&error, ERROR_GIT_FAILED, "there is no mirror");
        assert_int_equal(fixture_count(fixture, "", ""), 1);
}

static void an_existing_folder_is_not_replaced(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        make_simple(fixture);
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        assert_return_code(mkdir(fixture->workspace, 0755), 0);
        assert_false(repository_workspace_make(fixture->mirrors, url, NULL, fixture->workspace, FIXTURE_UID,
                                               FIXTURE_GID, &fixture_limits, &fixture->branch, fixture->head, &error));
        fixture_expect(&error, ERROR_CONFLICT, "exists already");
        assert_return_code(rmdir(fixture->workspace), 0);
}

static void files_come_out_as_they_went_in(void **state)
{
        struct fixture *fixture = *state;

        remote_make(&fixture->remote, "r");
        remote_script(
                &fixture->remote, "r",
                "printf 'a\\r\\nb\\r\\n' > crlf; printf 'a\\nb' > lf; head -c 70000 /dev/urandom > binary\n"
                "printf 'x\\000y\\377' > nul; : > empty; printf '#!/bin/sh\\n' > run; chmod 755 run\n"
                "ln -s run link; ln -s /nonexistent/target dangling; mkdir -p d/e; echo deep > d/e/f\n"
                "echo odd > 'a b\"c'; printf 'latin' > \"$(printf 'caf\\351')\"\n"
                "printf '[core]\\n' > .lfsconfig; echo '*.big filter=lfs' > .gitattributes; echo pointer > x.big\n"
                "git add -A && git commit -q -m files\n"
                "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),module\n"
                "printf '[submodule \"module\"]\\n\\tpath = module\\n\\turl = ../r.git\\n' > .gitmodules\n"
                "git add .gitmodules && git commit -q -m module && git push -q origin HEAD");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        auto_free char *script =
                text_format("rmdir module; diff -r --no-dereference --exclude=.git . %s/clones/r\n"
                            "test $(stat -c %%a run) = 755; test $(stat -c %%a lf) = 644; test $(readlink dangling) = "
                            "/nonexistent/target; test -L link; mkdir module; test -z \"$(git status --porcelain)\"",
                            fixture->remote.folder);
        fixture_script(fixture, script);
}

static void a_remote_without_commits_gives_an_unborn_branch(void **state)
{
        struct fixture *fixture = *state;

        remote_make(&fixture->remote, "r");
        remote_script(&fixture->remote, "r", "git -C ../../repositories/r.git symbolic-ref HEAD refs/heads/trunk");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        assert_string_equal(fixture->branch, "trunk");
        assert_string_equal(fixture->head, "");
        fixture_workspace_works(fixture, "r", "first");
        assert_string_equal(fixture->branch, "first");
        fixture_script(fixture,
                       "test $(git symbolic-ref HEAD) = refs/heads/first; test $(git config branch.first.merge) = "
                       "refs/heads/first; echo a > a; git add a; git -c user.name=a -c user.email=a commit -q -m a\n"
                       "git push -q origin HEAD 2>/dev/null");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "first");
        assert_int_equal(strlen(fixture->head), 40);
}

int workspace_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(a_workspace_belongs_wholly_to_its_owner),
                FIXTURE_TEST(a_workspace_is_a_clone_of_the_remote),
                FIXTURE_TEST(a_branch_asked_for_is_checked_out_and_tracks),
                FIXTURE_TEST(odd_branch_names_are_kept_exactly),
                FIXTURE_TEST(a_missing_branch_is_named),
                FIXTURE_TEST(an_existing_folder_is_not_replaced),
                FIXTURE_TEST(files_come_out_as_they_went_in),
                FIXTURE_TEST(a_remote_without_commits_gives_an_unborn_branch),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
