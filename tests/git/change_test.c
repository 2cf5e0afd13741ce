#include <string.h>
#include <unistd.h>

#include "git/change.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "tests/git/fixture.h"

/* The paths of one change; what a test's script does in the workspace ends with its tree in ../tree and the pack in
 * ../pack. */
struct change {
        struct fixture *fixture;
        char *repository, *pack, *tree, *url;
        struct repository_change found;
};

static const char hand_out[] = "\ncp -p .git/index ../index; export GIT_INDEX_FILE=$PWD/../index; git add -A; "
                               "git write-tree > ../tree; { cat ../tree; echo '^HEAD^{tree}'; } | "
                               "git pack-objects -q --revs --stdout > ../pack";

static char *read_file(const char *path)
{
        auto_text content = TEXT_WITH_MAXIMUM(1 << 28);
        auto_error error = {0};

        assert_true(path_read(path, 1 << 28, &content, NULL, &error));
        return text_take(&content);
}

static void change_open(struct change *change, struct fixture *fixture)
{
        *change = (struct change){.fixture = fixture,
                                  .repository = text_format("%s/changes/r.git", fixture->data),
                                  .pack = text_format("%s/../pack", fixture->workspace),
                                  .url = remote_url(&fixture->remote, "open", "r")};
        remote_make(&fixture->remote, "r");
        remote_commit(&fixture->remote, "r", "main", "a", "one");
        remote_script(&fixture->remote, "r", "mkdir deep");
        remote_commit(&fixture->remote, "r", "main", "deep/b", "one\ntwo\nthree\nfour\nfive\nsix\n");
        fixture_mirror(fixture, "r");
        fixture_workspace_works(fixture, "r", NULL);
}

static void change_close(struct change *change)
{
        free(change->repository);
        free(change->pack);
        free(change->tree);
        free(change->url);
}

#define auto_change CLEANUP(change_close) struct change

static bool import(struct change *change, struct error *error)
{
        auto_free char *pack = read_file(change->pack),
                       *tree_path = text_format("%s/../tree", change->fixture->workspace);
        auto_free char *tree = read_file(tree_path);
        auto_text bytes = TEXT_WITH_MAXIMUM(1 << 28);
        auto_error reading = {0};

        assert_true(path_read(change->pack, 1 << 28, &bytes, NULL, &reading));
        free(take(change->tree));
        change->tree = text_format("%.40s", tree);
        struct repository_change_pack wanted = {.repository = change->repository,
                                                .mirrors = change->fixture->mirrors,
                                                .url = change->url,
                                                .file = change->pack,
                                                .length = (int64_t)bytes.length,
                                                .base = change->fixture->head,
                                                .tree = change->tree};
        return repository_change_import(&wanted, &fixture_limits, &change->found, error);
}

static void take_up(struct change *change, const char *script)
{
        auto_free char *whole = text_format("%s%s", script, hand_out);
        auto_error error = {0};

        fixture_script(change->fixture, whole);
        if (!import(change, &error))
                fail_msg("%s", error.message);
}

static json_t *files_of(const struct change *change)
{
        auto_error error = {0};
        json_t *files = repository_change_files(change->repository, change->found.from, change->found.to, &error);

        assert_non_null(files);
        return files;
}

static const json_t *file_of(const json_t *files, const char *path)
{
        for (size_t i = 0; i < json_array_size(files); i++)
                if (!strcmp(document_get_string(json_array_get(files, i), "path"), path))
                        return json_array_get(files, i);
        fail_msg("%s is not listed", path);
        return NULL;
}

static char *patch_of(const struct change *change, const char *path, const char *old_path, bool *is_omitted)
{
        struct repository_change_range range = {change->repository, change->found.from,      change->found.to, path,
                                                old_path,           REPOSITORY_PATCH_MAXIMUM};
        auto_text patch = TEXT_WITH_MAXIMUM(1 << 28);
        auto_error error = {0};

        if (!repository_change_patch(&range, &fixture_limits, &patch, is_omitted, &error))
                fail_msg("%s", error.message);
        return text_take(&patch);
}

static void expect(const json_t *files, const char *path, const char *status, int additions, int deletions)
{
        const json_t *file = file_of(files, path);

        assert_string_equal(document_get_string(file, "status"), status);
        assert_int_equal(document_get_integer(file, "additions", -1), additions);
        assert_int_equal(document_get_integer(file, "deletions", -1), deletions);
}

static void what_differs_is_listed_and_read_without_the_mirror(void **state)
{
        auto_change change = {0};
        bool is_omitted;

        change_open(&change, *state);
        take_up(&change,
                "echo two >> a; git mv deep/b deep/c; echo seven >> deep/c; mkdir -p new/er; echo x > new/er/f; "
                "ln -s a link; chmod +x a; printf 'a\\0b' > blob");
        auto_json *files = files_of(&change);
        assert_int_equal(change.found.files, 5);
        assert_true(change.found.is_whole);
        assert_int_equal(json_array_size(files), 5);
        expect(files, "new/er/f", "added", 1, 0);
        expect(files, "link", "added", 1, 0);
        expect(files, "deep/c", "renamed", 1, 0);
        assert_string_equal(document_get_string(file_of(files, "deep/c"), "oldPath"), "deep/b");
        assert_string_equal(document_get_string(file_of(files, "a"), "mode"), "100755");
        assert_true(json_is_true(json_object_get(file_of(files, "blob"), "binary")));
        assert_true(json_is_null(json_object_get(file_of(files, "blob"), "additions")));
        auto_error error = {0};
        assert_true(path_remove_tree(change.fixture->mirrors, &error));
        auto_free char *renamed = patch_of(&change, "deep/c", "deep/b", &is_omitted);
        assert_non_null(strstr(renamed, "rename from deep/b\nrename to deep/c\n"));
        assert_non_null(strstr(renamed, "\n+seven\n"));
        auto_free char *all = patch_of(&change, NULL, NULL, &is_omitted);
        assert_false(is_omitted);
        assert_non_null(strstr(all, "old mode 100644\nnew mode 100755\n"));
        assert_non_null(strstr(all, "new file mode 120000\n"));
        assert_non_null(strstr(all, "Binary files"));
}

static void a_second_pack_needs_only_what_is_new(void **state)
{
        auto_change change = {0};
        bool is_omitted;

        change_open(&change, *state);
        take_up(&change, "echo two >> a");
        take_up(&change, "mv deep elsewhere; git rm -q --cached a; rm a");
        auto_json *files = files_of(&change);
        expect(files, "a", "deleted", 0, 1);
        expect(files, "elsewhere/b", "renamed", 0, 0);
        auto_free char *patch = patch_of(&change, "a", NULL, &is_omitted);
        assert_non_null(strstr(patch, "deleted file mode 100644"));
}

static void names_that_are_not_utf8_can_be_told_and_read(void **state)
{
        auto_change change = {0};
        bool is_omitted;

        change_open(&change, *state);
        take_up(&change, "echo x > \"$(printf 'caf\\351')\"");
        auto_json *files = files_of(&change);
        const json_t *file = file_of(files, "caf\xef\xbf\xbd");
        assert_string_equal(document_get_string(file, "bytes"), "636166e9");
        auto_free char *patch = patch_of(&change, "caf\xe9", NULL, &is_omitted);
        assert_non_null(strstr(patch, "+x\n"));
}

static void a_file_too_large_to_compare_is_listed_without_its_lines(void **state)
{
        auto_change change = {0};
        bool is_omitted;

        change_open(&change, *state);
        take_up(&change, "yes abcdefg | head -c 9000000 > big; echo two >> a");
        auto_json *files = files_of(&change);
        const json_t *file = file_of(files, "big");
        assert_string_equal(document_get_string(file, "omitted"), "too_large");
        assert_int_equal(document_get_integer(file, "size", 0), 9000000);
        assert_int_equal(change.found.additions, -1);
        auto_free char *patch = patch_of(&change, "big", NULL, &is_omitted);
        assert_true(is_omitted);
        assert_string_equal(patch, "");
        auto_free char *all = patch_of(&change, NULL, NULL, &is_omitted);
        assert_true(is_omitted);
        assert_non_null(strstr(all, "+onetwo\n"));
}

static void refuse(struct change *change, const char *script, size_t packs)
{
        auto_error error = {0};

        fixture_script(change->fixture, script);
        assert_false(import(change, &error));
        fixture_expect(&error, ERROR_GIT_OBJECT_REFUSED, "");
        assert_int_equal(fixture_count(change->fixture, "changes/r.git/objects/pack", "tmp_"), 0);
        assert_int_equal(fixture_count(change->fixture, "changes/r.git/objects/pack", ".pack"), packs);
}

static void objects_that_would_lead_a_checkout_astray_are_refused(void **state)
{
        static const char make[] = "b=$(echo evil | git hash-object -w --stdin)\n"
                                   "t=$(printf '100644 blob %%s\\tconfig\\n' $b | git mktree)\n"
                                   "perl -e 'print \"40000 %s\\0\", pack(\"H*\", $ARGV[0])' $t > ../raw\n"
                                   "git hash-object -w -t tree --literally ../raw > ../tree\n"
                                   "{ cat ../tree; echo $t; echo $b; } | git pack-objects -q --stdout > ../pack";
        static const char *const entries[] = {".git", ".GIT", "..", ".", "a/b"};
        auto_change change = {0};

        change_open(&change, *state);
        for (size_t i = 0; i < COUNT_OF(entries); i++) {
                auto_free char *script = text_format(make, entries[i]);
                refuse(&change, script, 0);
        }
}

static void a_pack_that_is_cut_or_lacks_objects_is_refused(void **state)
{
        auto_change change = {0};

        change_open(&change, *state);
        auto_free char *cut = text_format("head -c 30000 /dev/urandom > f%s; truncate -s -100 ../pack", hand_out);
        refuse(&change, cut, 0);
        refuse(&change,
               "echo zzz > lost; cp -p .git/index ../index; export GIT_INDEX_FILE=$PWD/../index; git add -A;"
               "git write-tree > ../tree; git pack-objects -q --stdout < ../tree > ../pack",
               0);
        refuse(&change,
               "echo 1111111111111111111111111111111111111111 > ../tree; git pack-objects -q --stdout </dev/null > "
               "../pack",
               1);
}

int change_tests(void)
{
        const struct CMUnitTest tests[] = {
                FIXTURE_TEST(what_differs_is_listed_and_read_without_the_mirror),
                FIXTURE_TEST(a_second_pack_needs_only_what_is_new),
                FIXTURE_TEST(names_that_are_not_utf8_can_be_told_and_read),
                FIXTURE_TEST(a_file_too_large_to_compare_is_listed_without_its_lines),
                FIXTURE_TEST(objects_that_would_lead_a_checkout_astray_are_refused),
                FIXTURE_TEST(a_pack_that_is_cut_or_lacks_objects_is_refused),
        };

        return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
