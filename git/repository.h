/* Remote repositories: a bare mirror of each, kept by short-lived worker processes, and workspaces copied from mirrors.
 *
 * MIRRORS/<hash of the normalised URL>.git is the mirror, <hash>.lock beside it serialises its users. Every function
 * takes absolute folders and the URL in any form that git/url.h normalises. Failures carry the details {"repository",
 * "ref"?} and a message that names the repository, the branch and the reason; neither ever holds a credential. */
#ifndef GIT_REPOSITORY_H
#define GIT_REPOSITORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "server/base/error.h"

#define REPOSITORY_HEAD_SIZE 65

/* A remote and what opens it; borrowed. The credentials go to the remote in a header only, and to no file. */
struct repository_remote {
        const char *url;
        const char *username; /* NULL with a password: a name that token-taking hosts accept */
        const char *password; /* NULL: no credentials are sent */
};

/* What a worker may use. `deadline_ms` counts from the call, waiting for another user of the mirror included;
 * `memory_bytes` bounds the private memory of each process. */
struct repository_limits {
        int64_t deadline_ms;
        int64_t memory_bytes;
};

/* Makes the mirror of the remote, or brings it up to date: branches and tags, deleted ones dropped, and the default
 * branch. An unreachable remote, a killed worker or a full disk leaves an old mirror as it was and nothing of a new
 * one. A mirror that turns out to be damaged, or was found so by what follows, is replaced by a new one, once that is
 * whole. ERROR_GIT_URL_REFUSED, ERROR_GIT_AUTH_FAILED, ERROR_GIT_NOT_FOUND, ERROR_GIT_TIMEOUT, ERROR_GIT_FAILED,
 * ERROR_STORE_FULL. */
MUST_CHECK bool repository_mirror_update(const char *mirrors, const struct repository_remote *remote,
                                         const struct repository_limits *limits, struct error *error);

/* Makes the folder `destination` (not there yet, in a folder that is) as a clone of the mirror: its own copy
 * of every object, the URL as origin, `branch` (NULL: the remote's default branch) checked out and tracking, all of it
 * owned by uid and gid. The folder appears whole or not at all. Files are what git makes of them on Linux without any
 * configuration: bytes, mode bits and links as committed, submodules left as empty folders. When the remote has no
 * commit yet, the branch is unborn and `head` is empty; otherwise `head` is the commit id in hex. *branch_out is the
 * caller's to free. The files are not flushed to disk.
 * ERROR_GIT_URL_REFUSED, ERROR_BRANCH_INVALID, ERROR_GIT_REF_NOT_FOUND, ERROR_CONFLICT (the destination exists),
 * ERROR_GIT_TIMEOUT, ERROR_GIT_MIRROR_DAMAGED (the next update makes the mirror anew), ERROR_GIT_FAILED (also when there
 * is no mirror), ERROR_STORE_FULL. */
MUST_CHECK bool repository_workspace_make(const char *mirrors, const char *url, const char *branch,
                                          const char *destination, uid_t uid, gid_t gid,
                                          const struct repository_limits *limits, char **branch_out,
                                          char head[REPOSITORY_HEAD_SIZE], struct error *error);

/* Writes what the mirror's `branch` (NULL: the remote's default branch) has beyond the commit `basis` (hex; NULL or not
 * part of the branch: all of it) to the file `destination`, for git fetch(1) to read. Nothing is written when the branch
 * is at the basis, or when the remote has no commit yet: *is_written is false then, and `head` is empty in the second
 * case. *branch_out is the caller's to free, NULL when the remote names no branch.
 * ERROR_GIT_URL_REFUSED, ERROR_BRANCH_INVALID, ERROR_GIT_REF_NOT_FOUND, ERROR_GIT_TIMEOUT, ERROR_GIT_MIRROR_DAMAGED (as
 * above), ERROR_GIT_FAILED, ERROR_STORE_FULL. */
MUST_CHECK bool repository_bundle_make(const char *mirrors, const char *url, const char *branch, const char *basis,
                                       const char *destination, const struct repository_limits *limits,
                                       char **branch_out, char head[REPOSITORY_HEAD_SIZE], bool *is_written,
                                       struct error *error);

/* The name of the remote's mirror among the mirrors, the caller's; NULL with ERROR_GIT_URL_REFUSED. */
char *repository_mirror_name(const char *url, struct error *error);
/* Tells the names of the mirrors that nobody has used since that time (ms). */
MUST_CHECK bool repository_mirror_each(const char *mirrors, int64_t unused_since,
                                       void (*told)(const char *name, void *context), void *context,
                                       struct error *error);
/* Removes it, unless somebody uses it or has since. */
MUST_CHECK bool repository_mirror_remove(const char *mirrors, const char *name, int64_t unused_since, bool *is_removed,
                                         struct error *error);

/* Whether the mirror has the branch. Reads references only, in this process.
 * ERROR_GIT_URL_REFUSED, ERROR_BRANCH_INVALID, ERROR_GIT_FAILED (also when there is no mirror). */
MUST_CHECK bool repository_has_branch(const char *mirrors, const char *url, const char *branch, bool *has,
                                      struct error *error);

#endif
