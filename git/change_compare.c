#include <stdio.h>

#include "git/change.h"
#include "git/change_place.h"
#include "server/base/path.h"
#include "server/base/text.h"

/* Renames among more files than this are not looked for: it takes the square of their number. */
#define RENAMES_MAXIMUM 1000

bool change_fail(struct error *error, const char *what)
{
        return error_set(error, ERROR_GIT_FAILED, "%s: %s", what, repository_library_reason());
}

char *change_list_path(const char *repository, const char *from, const char *to)
{
        return text_format("%s/lists/%s-%s.json", repository, from, to);
}

const char *change_status_name(git_delta_t status)
{
        static const char *const names[] = {
                [GIT_DELTA_ADDED] = "added",     [GIT_DELTA_DELETED] = "deleted",
                [GIT_DELTA_RENAMED] = "renamed", [GIT_DELTA_TYPECHANGE] = "type_changed",
                [GIT_DELTA_COPIED] = "added",
        };

        return (size_t)status < COUNT_OF(names) && names[status] ? names[status] : "modified";
}

git_diff *change_compare(git_repository *repository, git_tree *from, git_tree *to, git_strarray paths,
                         struct error *error)
{
        git_diff_options options;
        git_diff_find_options finding;
        auto_diff *diff = NULL;

        git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
        git_diff_find_options_init(&finding, GIT_DIFF_FIND_OPTIONS_VERSION);
        options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_DISABLE_PATHSPEC_MATCH;
        options.pathspec = paths;
        options.max_size = REPOSITORY_PATCH_MAXIMUM;
        finding.flags = GIT_DIFF_FIND_RENAMES;
        finding.rename_limit = RENAMES_MAXIMUM;
        if (git_diff_tree_to_tree(&diff, repository, from, to, &options)) {
                change_fail(error, "the trees cannot be compared");
                return NULL;
        }
        if (git_diff_num_deltas(diff) <= REPOSITORY_CHANGE_FILES_MAXIMUM && git_diff_find_similar(diff, &finding)) {
                change_fail(error, "renames cannot be found");
                return NULL;
        }
        return take(diff);
}
