/* What lies in a repository of changes, and how its objects are compared. For the workers. */
#ifndef GIT_CHANGE_PLACE_H
#define GIT_CHANGE_PLACE_H

#include <jansson.h>
#include <stdbool.h>

#include "git/library.h"
#include "server/base/error.h"

/* The file that lists what differs between two trees; the caller's. */
char *change_list_path(const char *repository, const char *from, const char *to);

static inline void change_tree_release(git_tree **tree)
{
        git_tree_free(*tree);
}
static inline void change_diff_release(git_diff **diff)
{
        git_diff_free(*diff);
}
static inline void change_patch_release(git_patch **patch)
{
        git_patch_free(*patch);
}
#define auto_tree CLEANUP(change_tree_release) git_tree
#define auto_diff CLEANUP(change_diff_release) git_diff
#define auto_patch CLEANUP(change_patch_release) git_patch

/* Finds what differs between two trees (NULL: an empty one), renames too. `paths` (may be empty) are the files that
 * count, to the byte. NULL with ERROR_GIT_FAILED. */
git_diff *change_compare(git_repository *repository, git_tree *from, git_tree *to, git_strarray paths,
                         struct error *error);

/* Makes the list of files, an array that is the caller's, and the totals of what differs. NULL with
 * ERROR_GIT_FAILED. */
struct change_totals {
        int64_t files, additions, deletions; /* -1: not known */
        bool is_whole;
};
json_t *change_list_make(git_repository *repository, git_diff *diff, struct change_totals *totals, struct error *error);

/* Makes two trees of what differs between two (NULL: an empty one), and of nothing else, and puts all that is in them
 * among the repository's own objects; files that are too large to be compared are left out. So whoever compares these
 * trees finds the same, needs no other repository and does not meet what did not change. ERROR_GIT_OBJECT_REFUSED,
 * ERROR_GIT_FAILED. */
MUST_CHECK bool change_keep(git_repository *repository, git_tree *from, git_tree *to, git_oid kept[2],
                            struct error *error);

/* The status of a delta in the list's words. */
const char *change_status_name(git_delta_t status);

/* Sets ERROR_GIT_FAILED with the library's reason; returns false. */
bool change_fail(struct error *error, const char *what);

#endif
