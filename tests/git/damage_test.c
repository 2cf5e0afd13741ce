#include <signal.h>
#include <unistd.h>

#include "git/worker.h"
#include "server/base/path.h"
#include "tests/git/fixture.h"

/* Mirrors that lost something, as a power cut or a failing disk leaves them. */

static void run(const char *folder, const char *script)
{
        auto_free char *command = text_format("cd %s && exec 2>/dev/null && %s", folder, script);

        if (system(command))
                fail_msg("%s", script);
}

/* The folder of the only mirror; the caller's. */
static void damage(const struct fixture *fixture, const char *script)
{
        auto_free char *in_mirror = text_format("cd *.git && export GIT_DIR=. && %s", script);

        run(fixture->mirrors, in_mirror);
}

static bool update(struct fixture *fixture, const char *name, struct error *error)
{
        auto_free char *url = remote_url(&fixture->remote, "open", name);
        struct repository_remote remote = {.url = url};

        return repository_mirror_update(fixture->mirrors, &remote, &fixture_limits, error);
}

static void make(struct fixture *fixture)
{
        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        remote_commit(&fixture->remote, "r", "second", "b", "two");
        fixture_mirror(fixture, "r");
}

#define UNPACK                                                                                                         \
        "mkdir -p u && (mv objects/pack/*.pack u && rm -f objects/pack/* && "                                          \
        "for p in u/*.pack; do git unpack-objects -q <$p; done; true) && "
#define REPACK "git repack -qad && chmod u+w objects/pack/* && "

/* Whether a copy of the mirror was needed to see that it is damaged. It works in the end, with one update more. */
static bool mend(struct fixture *fixture, const char *damaging)
{
        auto_error updating = {0}, copying = {0};

        damage(fixture, damaging);
        if (!update(fixture, "r", &updating))
                fail_msg("%s: %s", damaging, updating.message);
        bool is_seen_late = !fixture_workspace(fixture, "r", "main", &copying);
        if (is_seen_late && copying.code != ERROR_GIT_MIRROR_DAMAGED)
                fail_msg("%s: %s", damaging, copying.message);
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "second");
        fixture_workspace_works(fixture, "r", "main");
        fixture_script(fixture, "test \"$(cat a)\" = one && git fsck");
        assert_int_equal(fixture_count(fixture, "mirrors", ""), 2);
        return is_seen_late;
}

static void a_damaged_mirror_is_made_anew(void **state)
{
        static const char *const damages[] = {
                UNPACK "b=$(git rev-parse main:a | sed 's,^..,&/,') && rm -f objects/$b",
                UNPACK "b=$(git rev-parse main:a | sed 's,^..,&/,') && chmod u+w objects/$b && : >objects/$b",
                "mkdir -p refs/heads && : >refs/heads/main",
                "mkdir -p refs/heads && echo zzz >refs/heads/main",
                UNPACK "b=$(git rev-parse main | sed 's,^..,&/,') && rm -f objects/$b",
                REPACK "for p in objects/pack/*.pack; do truncate -s 70 $p; done",
                REPACK "for p in objects/pack/*.idx; do : >$p; done",
                "rm -rf objects/pack/* objects/??",
                ": >HEAD",
                "rm HEAD",
                "rm -rf refs",
                "rm -rf objects",
                "head -c 50 /dev/zero >config",
                "echo zz >packed-refs",
                "rm -rf packed-refs refs/heads/*",
        };
        struct fixture *fixture = *state;
        size_t late = 0;

        make(fixture);
        for (size_t i = 0; i < COUNT_OF(damages); i++)
                late += mend(fixture, damages[i]);
        /* A blob that is gone shows only when it is checked out. */
        assert_in_range(late, 2, COUNT_OF(damages));
}

static void a_fetch_into_a_damaged_mirror_makes_it_anew(void **state)
{
        struct fixture *fixture = *state;

        make(fixture);
        damage(fixture, "mkdir -p refs/heads && : >refs/heads/second");
        remote_commit(&fixture->remote, "r", "main", "a", "three");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "main");
        fixture_script(fixture, "test \"$(cat a)\" = three && git fsck");
        fixture_workspace_works(fixture, "r", "second");
}

static void a_damaged_mirror_stays_while_the_remote_cannot_be_reached(void **state)
{
        struct fixture *fixture = *state;
        auto_error copying = {0}, updating = {0}, again = {0};
        bool has = false;

        make(fixture);
        damage(fixture, UNPACK "b=$(git rev-parse main:a | sed 's,^..,&/,') && rm -f objects/$b");
        assert_false(fixture_workspace(fixture, "r", "main", &copying));
        assert_int_equal(copying.code, ERROR_GIT_MIRROR_DAMAGED);
        run(fixture->remote.folder, "mv repositories away");
        assert_false(update(fixture, "r", &updating));
        assert_false(update(fixture, "r", &again));
        auto_free char *url = remote_url(&fixture->remote, "open", "r");
        assert_true(repository_has_branch(fixture->mirrors, url, "second", &has, &again) && has);
        assert_int_equal(fixture_count(fixture, "mirrors", ""), 2);
        run(fixture->remote.folder, "mv away repositories");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", "main");
}

static void a_whole_mirror_is_not_made_anew_by_a_failure_that_is_not_its_own(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        make(fixture);
        damage(fixture, ": >mark");
        assert_int_equal(kill(fixture->remote.pid, SIGKILL), 0);
        assert_false(update(fixture, "r", &error));
        assert_int_equal(error.code, ERROR_GIT_FAILED);
        damage(fixture, "test -e mark");
        fixture_workspace_works(fixture, "r", "main");
}

int damage_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(a_damaged_mirror_is_made_anew),
                FIXTURE_TEST(a_fetch_into_a_damaged_mirror_makes_it_anew),
                FIXTURE_TEST(a_damaged_mirror_stays_while_the_remote_cannot_be_reached),
                FIXTURE_TEST(a_whole_mirror_is_not_made_anew_by_a_failure_that_is_not_its_own),
        };

        return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
