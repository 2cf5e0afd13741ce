/* What was changed, kept: a bare repository of what a container handed out, and of what differs between that and what
 * it began with. It needs no other repository to be read.
 *
 * Packs and trees come from an agent. They are taken up by short-lived workers only, objects that git-fsck(1) complains
 * of are not kept, and everything that is counted or listed was found out on this side. */
#ifndef GIT_CHANGE_H
#define GIT_CHANGE_H

#include <jansson.h>

#include "git/repository.h"
#include "server/base/text.h"

/* Files of one change that are listed; there may be more. */
#define REPOSITORY_CHANGE_FILES_MAXIMUM 5000
/* Bytes of a file beyond which its lines are not compared, and of a patch beyond which it is left out. */
#define REPOSITORY_PATCH_MAXIMUM (8 * 1024 * 1024)

/* A pack that is to be taken up; borrowed. */
struct repository_change_pack {
        const char *repository;    /* absolute path of the bare repository, which is made when it is not there */
        const char *mirrors, *url; /* where the beginning comes from */
        const char *file;          /* the pack: `length` bytes at `offset` of this file */
        int64_t offset, length;
        const char *base; /* the commit that the change began with, in hex; empty: there was none */
        const char *tree; /* of what it is now */
};

/* What a change amounts to. */
struct repository_change {
        char from[REPOSITORY_HEAD_SIZE], to[REPOSITORY_HEAD_SIZE]; /* trees of only what differs; names of the change */
        int64_t files;                                             /* all of them */
        int64_t additions, deletions; /* lines; -1: not known, for lines of some file were not compared */
        bool is_whole;                /* every file is listed */
};

/* Takes the pack up and lists what differs. Nothing refers to what an import that failed has left behind.
 * ERROR_GIT_OBJECT_REFUSED when the pack or the tree is not as it must be, ERROR_GIT_TIMEOUT, ERROR_GIT_FAILED,
 * ERROR_STORE_FULL. */
MUST_CHECK bool repository_change_import(const struct repository_change_pack *pack,
                                         const struct repository_limits *limits, struct repository_change *change,
                                         struct error *error);

/* The files that differ, as the import has listed them: an array, the caller's, of
 *   {path, bytes?, oldPath?, oldBytes?, status: added|modified|deleted|renamed|type_changed, mode, oldMode, size,
 *    oldSize, binary, omitted?: too_large, additions, deletions (null: not known)}
 * in the order of their paths; `bytes` are a path in hex that is not UTF-8. NULL with ERROR_GIT_FAILED. */
json_t *repository_change_files(const char *repository, const char *from, const char *to, struct error *error);

/* Which part of a change is wanted as a patch. */
struct repository_change_range {
        const char *repository, *from, *to;
        const char *path, *old_path; /* of one file; NULL: of all */
        size_t maximum;              /* bytes of the patch */
};
/* Appends the patch as git writes it, renames found. *is_omitted says that it is longer than the maximum, or that a
 * file is too large to be compared; of all files, what fits is there then. ERROR_NOT_FOUND when the file does not
 * differ, ERROR_GIT_TIMEOUT, ERROR_GIT_FAILED. */
MUST_CHECK bool repository_change_patch(const struct repository_change_range *range,
                                        const struct repository_limits *limits, struct text *patch, bool *is_omitted,
                                        struct error *error);

#endif
