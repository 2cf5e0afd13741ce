#include <unistd.h>

#include "server/base/text.h"
#include "tests/git/fixture.h"

/* Makes a bundle of the branch; the script runs with it as $b, in the workspace. */
static bool make(struct fixture *fixture, const char *branch, const char *basis, bool *is_written, char **branch_out,
                 char head[REPOSITORY_HEAD_SIZE], struct error *error)
{
        auto_free char *url = remote_url(&fixture->remote, "open", "r"),
                       *path = text_format("%s.bundle", fixture->workspace);

        unlink(path);
        return repository_bundle_make(fixture->mirrors, url, branch, basis, path, &fixture_limits, branch_out, head,
                                      is_written, error);
}

static void a_bundle_holds_what_is_new(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        auto_free char *branch = NULL, *again = NULL;
        char head[REPOSITORY_HEAD_SIZE], same[REPOSITORY_HEAD_SIZE];
        bool is_written;

        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        auto_free char *basis = text_copy(fixture->head);
        remote_commit(&fixture->remote, "r", "main", "a", "two");
        fixture_mirror(fixture, "r");
        assert_true(make(fixture, NULL, basis, &is_written, &branch, head, &error));
        assert_true(is_written);
        assert_string_equal(branch, "main");
        auto_free char *script =
                text_format("git bundle verify -q ../$(basename $PWD).bundle\n"
                            "git fetch -q ../$(basename $PWD).bundle main; test $(git rev-parse FETCH_HEAD) = %s\n"
                            "git bundle list-heads ../$(basename $PWD).bundle | grep -q refs/heads/main\n"
                            "grep -aq '^-%s' ../$(basename $PWD).bundle",
                            head, basis);
        fixture_script(fixture, script);
        assert_true(make(fixture, "main", head, &is_written, &again, same, &error));
        assert_false(is_written);
        assert_string_equal(same, head);
}

static void a_basis_that_is_no_part_of_the_branch_does_not_count(void **state)
{
        static const char *const others[] = {"1111111111111111111111111111111111111111", "nonsense"};
        struct fixture *fixture = *state;
        char head[REPOSITORY_HEAD_SIZE];

        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
        for (size_t i = 0; i < COUNT_OF(others); i++) {
                auto_error error = {0};
                auto_free char *branch = NULL;
                bool is_written;
                assert_true(make(fixture, "main", others[i], &is_written, &branch, head, &error));
                assert_true(is_written);
                fixture_script(fixture, "! grep -aq '^-' ../$(basename $PWD).bundle; "
                                        "git bundle verify -q ../$(basename $PWD).bundle");
        }
}

static void a_bundle_of_a_missing_branch_or_an_empty_remote_is_none(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};
        auto_free char *branch = NULL;
        char head[REPOSITORY_HEAD_SIZE];
        bool is_written;

        remote_make(&fixture->remote, "r");
        fixture_mirror(fixture, "r");
        assert_true(make(fixture, NULL, NULL, &is_written, &branch, head, &error));
        assert_false(is_written);
        assert_null(branch);
        assert_string_equal(head, "");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        fixture_mirror(fixture, "r");
        assert_false(make(fixture, "topic", NULL, &is_written, &branch, head, &error));
        fixture_expect(&error, ERROR_GIT_REF_NOT_FOUND, "there is no such branch; the default branch is main");
}

int bundle_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(a_bundle_holds_what_is_new),
                FIXTURE_TEST(a_basis_that_is_no_part_of_the_branch_does_not_count),
                FIXTURE_TEST(a_bundle_of_a_missing_branch_or_an_empty_remote_is_none),
        };

        return cmocka_run_group_tests_name("bundles", tests, NULL, NULL);
}
