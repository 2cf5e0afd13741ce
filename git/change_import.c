#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "git/change.h"
#include "git/change_place.h"
#include "git/command.h"
#include "git/mirror_clean.h"
#include "git/request.h"
#include "server/base/document.h"
#include "server/base/path.h"

struct job {
        struct command command;
        const char *path, *mirror;
        const char *file;
        int64_t offset, length;
        const char *base, *tree;
};

static bool prepare(const struct job *job, git_repository **repository, struct error *error)
{
        auto_free char *lists = path_join(job->path, "lists");

        repository_library_init();
        if (!access(job->path, F_OK)) {
                auto_free char *none = text_format("%s.none-", job->path);
                mirror_clean(job->path, none);
        }
        /* Making one where there is one is nothing. */
        if (!path_make_folder(job->path, 0700, error))
                return false;
        if (git_repository_init(repository, job->path, true))
                return change_fail(error, "the repository of changes cannot be made");
        return path_make_folder(lists, 0700, error);
}

/* The program takes a file for a pack and nothing else. */
static int pack_open(const struct job *job, struct error *error)
{
        auto_fd source = open(job->file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), copy = -1;
        off_t at = job->offset;

        copy = open(job->path, O_TMPFILE | O_RDWR, 0600);
        for (int64_t left = job->length; source >= 0 && copy >= 0 && left > 0;) {
                ssize_t done = copy_file_range(source, &at, copy, NULL, (size_t)left, 0);
                if (done <= 0) {
                        error_set(error, error_code_of_errno(done ? errno : EIO, ERROR_GIT_FAILED),
                                  "the pack cannot be copied: %s", done ? strerror(errno) : "it is cut short");
                        return -1;
                }
                left -= done;
        }
        if (source >= 0 && copy >= 0 && lseek(copy, 0, SEEK_SET) == 0)
                return take_fd(&copy);
        error_set(error, error_code_of_errno(errno, ERROR_GIT_FAILED), "the pack cannot be opened: %s",
                  strerror(errno));
        return -1;
}

/* git's own complaint about an object is the reason; what it has begun to write goes. */
static bool take_up(struct job *job, struct error *error)
{
        auto_free char *objects = path_join(job->mirror, "objects"),
                       *size = text_format("--max-input-size=%lld", (long long)job->length),
                       *none = text_format("%s.none-", job->path);
        const char *const arguments[] = {"--git-dir=.", "index-pack", "--strict", "--stdin", size, NULL};
        auto_fd pack = pack_open(job, error);

        if (pack < 0)
                return false;
        job->command.input = &pack;
        job->command.folder = job->path;
        job->command.alternates = access(objects, F_OK) ? NULL : objects;
        if (command_run(&job->command, arguments, NULL, error))
                return true;
        mirror_clean(job->path, none);
        if (error->code != ERROR_GIT_FAILED)
                return false;
        auto_error reason = {0};
        error_move(&reason, error);
        return error_set(error, ERROR_GIT_OBJECT_REFUSED, "%s", reason.message);
}

/* The mirror's objects are read beside the repository's own as long as this process lives. */
static bool add_mirror(const struct job *job, git_repository *repository, struct error *error)
{
        auto_free char *objects = path_join(job->mirror, "objects");
        git_odb *all = NULL;

        if (access(objects, F_OK))
                return true;
        bool is_added = !git_repository_odb(&all, repository) && !git_odb_add_disk_alternate(all, objects);
        git_odb_free(all);
        return is_added || change_fail(error, "the mirror cannot be read");
}

static bool find_base(const struct job *job, git_repository *repository, git_tree **tree, struct error *error)
{
        git_commit *commit = NULL;
        git_oid id;

        if (!*job->base)
                return true;
        if (git_oid_fromstr(&id, job->base) || git_commit_lookup(&commit, repository, &id))
                return error_set(error, ERROR_GIT_REF_NOT_FOUND, "the commit %s that it began with is not known",
                                 job->base);
        bool is_found = !git_commit_tree(tree, commit);
        git_commit_free(commit);
        return is_found || change_fail(error, "the tree of the beginning cannot be read");
}

static bool find_tree(const struct job *job, git_repository *repository, git_tree **tree, struct error *error)
{
        git_oid id;

        return (!git_oid_fromstr(&id, job->tree) && !git_tree_lookup(tree, repository, &id)) ||
               error_set(error, ERROR_GIT_OBJECT_REFUSED, "the tree %s did not come with the pack", job->tree);
}

static bool write_list(const struct job *job, const char *from, const char *to, const json_t *files,
                       struct error *error)
{
        auto_free char *path = change_list_path(job->path, from, to), *printed = document_print(files);

        return path_write(path, printed, strlen(printed), 0600, error);
}

/* What is kept is what is compared and listed. */
static bool list(const struct job *job, git_repository *repository, const git_oid kept[2], json_t *result,
                 struct error *error)
{
        char from[GIT_OID_HEXSZ + 1], to[GIT_OID_HEXSZ + 1];
        auto_tree *old = NULL, *new = NULL;
        struct change_totals totals;

        if (git_tree_lookup(&old, repository, &kept[0]) || git_tree_lookup(&new, repository, &kept[1]))
                return change_fail(error, "what was kept cannot be read");
        auto_diff *diff = change_compare(repository, old, new, (git_strarray){0}, error);
        auto_json *files = diff ? change_list_make(repository, diff, &totals, error) : NULL;
        git_oid_tostr(from, sizeof from, &kept[0]);
        git_oid_tostr(to, sizeof to, &kept[1]);
        if (!files || !write_list(job, from, to, files, error))
                return false;
        json_object_set_new(result, "from", json_string(from));
        json_object_set_new(result, "to", json_string(to));
        json_object_set_new(result, "files", json_integer(totals.files));
        json_object_set_new(result, "additions", json_integer(totals.additions));
        json_object_set_new(result, "deletions", json_integer(totals.deletions));
        json_object_set_new(result, "isWhole", json_boolean(totals.is_whole));
        return true;
}

static bool keep(const struct job *job, git_repository *repository, json_t *result, struct error *error)
{
        auto_tree *from = NULL, *to = NULL;
        git_oid kept[2];

        return find_base(job, repository, &from, error) && find_tree(job, repository, &to, error) &&
               change_keep(repository, from, to, kept, error) && list(job, repository, kept, result, error);
}

bool change_import_work(const json_t *request, json_t *result, struct error *error)
{
        struct job job = {
                .command = {.git = document_get_string(request, "git"),
                            .protocols = "",
                            .memory_bytes = document_get_integer(request, "memory_bytes", 0)},
                .path = document_get_string(request, "repository"),
                .mirror = document_get_string(request, "mirror"),
                .file = document_get_string(request, "file"),
                .offset = document_get_integer(request, "offset", 0),
                .length = document_get_integer(request, "length", 0),
                .base = document_get_string(request, "base"),
                .tree = document_get_string(request, "tree"),
        };
        auto_fd lock = open(document_get_string(request, "lock"), O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
        auto_repository *repository = NULL;

        /* Somebody who waits for a remote must not make a turn's end wait: what is read of the mirror stays there, and
         * packs that are joined meanwhile are found again. */
        if (lock >= 0 && flock(lock, LOCK_SH | LOCK_NB))
                close(take_fd(&lock));
        return prepare(&job, &repository, error) && take_up(&job, error) && add_mirror(&job, repository, error) &&
               keep(&job, repository, result, error);
}
