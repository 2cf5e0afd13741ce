#include "git/branch.h"
#include "git/url.h"
#include "server/base/text.h"
#include "tests/git/fixture.h"

struct form {
        const char *given;
        const char *normal; /* NULL: refused */
};

static const struct form forms[] = {
        {"https://github.com/owner/repo.git", "https://github.com/owner/repo.git"},
        {"HTTPS://GitHub.COM:443/owner/Repo/", "https://github.com/owner/Repo"},
        {"http://127.0.0.1:8080/a/b", "http://127.0.0.1:8080/a/b"},
        {"http://[::1]:80/a", "http://[::1]/a"},
        {"git@github.com:owner/repo.git", "https://github.com/owner/repo.git"},
        {"git@github.com:/owner/repo.git", "https://github.com/owner/repo.git"},
        {"ssh://git@github.com/owner/repo.git", "https://github.com/owner/repo.git"},
        {"ssh://git@host.example:2222/owner/repo", "https://host.example/owner/repo"},
        {"ssh://host.example/owner/repo", "https://host.example/owner/repo"},
        {"https://host/a%20b", "https://host/a%20b"},
        {"https://token@github.com/owner/repo", NULL},
        {"https://user:hunter2@github.com/owner/repo", NULL},
        {"https://@github.com/owner/repo", NULL},
        {"ssh://git:hunter2@github.com/owner/repo", NULL},
        {"git:hunter2@github.com:owner/repo", NULL},
        {"ext::sh -c id", NULL},
        {"ext::sh", NULL},
        {"a@ext::sh", NULL},
        {"file:///etc", NULL},
        {"/etc", NULL},
        {"../repo", NULL},
        {"git://host/repo", NULL},
        {"ftp://host/repo", NULL},
        {"--upload-pack=id", NULL},
        {"-oProxyCommand=id@host:path", NULL},
        {"https://-host/repo", NULL},
        {"https://host", NULL},
        {"https://host/", NULL},
        {"https:///repo", NULL},
        {"https://host:0/repo", NULL},
        {"https://host:99999/repo", NULL},
        {"https://host:8o/repo", NULL},
        {"https://host/a/../b", NULL},
        {"https://host/./b", NULL},
        {"https://host/a?x=y", NULL},
        {"https://host?x=/y", NULL},
        {"https://host/a#b", NULL},
        {"https://host/a b", NULL},
        {"https://host/a\nb", NULL},
        {"https://host\\@evil/a", NULL},
        {"https://h\xc3\xb6st/a", NULL},
        {"", NULL},
};

static void addresses_have_one_normal_form_or_are_refused(void **state)
{
        (void)state;
        for (size_t i = 0; i < COUNT_OF(forms); i++) {
                auto_error error = {0};
                auto_free char *normal = repository_url_normalise(forms[i].given, &error);
                if (!forms[i].normal && normal)
                        fail_msg("%s is not refused but becomes %s", forms[i].given, normal);
                if (forms[i].normal && (!normal || strcmp(normal, forms[i].normal)))
                        fail_msg("%s becomes %s: %s", forms[i].given, normal ? normal : "nothing", error.message);
                if (!forms[i].normal)
                        assert_int_equal(error.code, ERROR_GIT_URL_REFUSED);
        }
}

static void a_refused_address_is_not_repeated(void **state)
{
        auto_error error = {0};

        (void)state;
        assert_false(repository_url_check("https://user:hunter2@github.com/owner/repo", &error));
        fixture_expect(&error, ERROR_GIT_URL_REFUSED, "holds credentials");
        assert_null(strstr(error.message, "hunter2"));
}

static const char *const good_branches[] = {"main", "feature/x-1", "a.b", "#12",   "100%",  "a'b\"c", "w\xc3\xb6rld",
                                            "x@y",  "@x",          "(a)", "a|b;c", "$(id)", "heads/x"};
static const char *const bad_branches[] = {"",     "-x",     "HEAD",  "a..b",  "a b",   "a~1",       "a^",
                                           "a:b",  "a?b",    "a*",    "a[b",   "a\\b",  "/a",        "a/",
                                           "a//b", "a.lock", ".a",    "a/.b",  "a.",    "a@{1}",     "@{-1}",
                                           "a\tb", "a\nb",   "a\x7f", "a\x01", "a\xff", "a/b.lock/c"};

static void branch_names_are_those_that_git_takes(void **state)
{
        char long_name[BRANCH_NAME_MAXIMUM + 2];

        (void)state;
        for (size_t i = 0; i < COUNT_OF(good_branches); i++) {
                auto_error error = {0};
                if (!branch_name_check(good_branches[i], &error))
                        fail_msg("%s", error.message);
        }
        for (size_t i = 0; i < COUNT_OF(bad_branches); i++) {
                auto_error error = {0};
                if (branch_name_check(bad_branches[i], &error))
                        fail_msg("'%s' is taken", bad_branches[i]);
                assert_int_equal(error.code, ERROR_BRANCH_INVALID);
        }
        auto_error error = {0};
        memset(long_name, 'a', sizeof long_name);
        long_name[sizeof long_name - 1] = '\0';
        assert_false(branch_name_check(long_name, &error));
        long_name[BRANCH_NAME_MAXIMUM] = '\0';
        assert_true(branch_name_check(long_name, &error));
}

int address_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(addresses_have_one_normal_form_or_are_refused),
                cmocka_unit_test(a_refused_address_is_not_repeated),
                cmocka_unit_test(branch_names_are_those_that_git_takes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
