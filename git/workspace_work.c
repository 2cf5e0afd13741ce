#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "git/command.h"
#include "git/mirror_damage.h"
#include "git/mirror_place.h"
#include "git/request.h"
#include "server/base/document.h"
#include "server/base/path.h"

#define FULL_BYTES (256 * 1024) /* a disk with less free space is full */

struct job {
        struct command command;
        const char *url;
        const char *mirror;
        const char *unfinished;
        const char *branch;
        char head[GIT_OID_HEXSZ + 1]; /* empty: the branch is unborn */
};

static bool fail(struct error *error, const char *what)
{
        return error_set(error, ERROR_GIT_FAILED, "%s: %s", what, repository_library_reason());
}

static bool has_any_branch(git_repository *repository)
{
        git_branch_iterator *branches = NULL;
        git_reference *reference = NULL;
        git_branch_t kind;

        bool has = !git_branch_iterator_new(&branches, repository, GIT_BRANCH_LOCAL) &&
                   !git_branch_next(&reference, &kind, branches);
        git_reference_free(reference);
        git_branch_iterator_free(branches);
        return has;
}

static bool no_branch(struct error *error, const char *wanted, const char *standard)
{
        if (wanted)
                return error_set(error, ERROR_GIT_REF_NOT_FOUND, "there is no such branch%s%s",
                                 standard ? "; the default branch is " : "", standard ? standard : "");
        return error_set(error, ERROR_GIT_REF_NOT_FOUND,
                         "the remote names no default branch that exists%s%s; say which "
                         "branch to use",
                         standard ? ", only " : "", standard ? standard : "");
}

/* Decides the branch (the caller's) and its commit. */
static bool resolve(struct job *job, char **branch, struct error *error)
{
        auto_repository *repository = mirror_open(job->mirror, error);
        bool has = false;
        git_oid commit;

        if (!repository)
                return false;
        auto_free char *standard = mirror_default_branch(repository);
        auto_free char *chosen = text_copy(job->branch ? job->branch : standard);
        if (chosen && !mirror_find_branch(repository, chosen, &has, error))
                return false;
        if (!chosen || (!has && has_any_branch(repository)))
                return no_branch(error, job->branch, standard);
        auto_free char *name = text_format("refs/heads/%s", chosen);
        if (has && git_reference_name_to_id(&commit, repository, name))
                return fail(error, "the branch cannot be read");
        if (has)
                git_oid_tostr(job->head, sizeof job->head, &commit);
        *branch = take(chosen);
        return true;
}

/* Copies the objects, as files of their own, and the references. */
static bool copy(const struct job *job, struct error *error)
{
        auto_free char *option = text_format("--branch=%s", job->branch);
        const char *arguments[] = {
                "clone", "--quiet", "--no-hardlinks", "--no-checkout", "--template=", NULL, NULL, NULL, NULL, NULL};
        size_t count = 5;

        if (job->head[0])
                arguments[count++] = option;
        arguments[count++] = "--";
        arguments[count++] = job->mirror;
        arguments[count++] = job->unfinished;
        return command_run(&job->command, arguments, NULL, error);
}

/* The clone of a remote without commits follows what HEAD named there; the branch asked for may be another. */
static bool set_unborn_branch(git_repository *repository, const char *branch)
{
        auto_free char *target = text_format("refs/heads/%s", branch);
        auto_free char *remote = text_format("branch.%s.remote", branch);
        auto_free char *merge = text_format("branch.%s.merge", branch);
        git_reference *head = NULL;
        git_config *config = NULL;

        bool is_set = !git_reference_symbolic_create(&head, repository, "HEAD", target, 1, NULL) &&
                      !git_repository_config(&config, repository) && !git_config_set_string(config, remote, "origin") &&
                      !git_config_set_string(config, merge, target);
        git_reference_free(head);
        git_config_free(config);
        return is_set;
}

/* The folders of .git that programs expect of every clone, and that an empty template leaves out. */
static bool make_folders(const struct job *job, struct error *error)
{
        auto_free char *hooks = path_join(job->unfinished, ".git/hooks");
        auto_free char *info = path_join(job->unfinished, ".git/info");

        return path_make_folder(hooks, 0755, error) && path_make_folder(info, 0755, error);
}

static bool configure(const struct job *job, struct error *error)
{
        auto_repository *repository = NULL;

        if (git_repository_open_ext(&repository, job->unfinished, GIT_REPOSITORY_OPEN_NO_SEARCH, NULL))
                return fail(error, "the copy cannot be opened");
        if (git_remote_set_url(repository, "origin", job->url))
                return fail(error, "origin cannot be set");
        if (!job->head[0] && !set_unborn_branch(repository, job->branch))
                return fail(error, "the branch cannot be set");
        return make_folders(job, error);
}

/* git does not say why it could not write a file that it checks out. */
static bool explain_full(const struct job *job, struct error *error)
{
        int64_t space = path_free_space(job->unfinished);

        if (error->code != ERROR_GIT_FAILED || space < 0 || space > FULL_BYTES)
                return false;
        return error_set(error, ERROR_STORE_FULL, "the disk is full; nothing was changed");
}

/* The repository's files are made by their owner: should one of them lead git astray, it gets there without root. */
static bool check_out(const struct job *job, struct error *error)
{
        static const char *const arguments[] = {"--git-dir=.git", "--work-tree=.", "reset", "--hard", "--quiet", NULL};
        struct command command = job->command;

        command.folder = job->unfinished;
        command.is_as_owner = true;
        return path_own_tree(job->unfinished, command.uid, command.gid, error) &&
               (!job->head[0] || command_run(&command, arguments, NULL, error) || explain_full(job, error));
}

static bool put_in_place(const struct job *job, const char *destination, struct error *error)
{
        if (!renameat2(AT_FDCWD, job->unfinished, AT_FDCWD, destination, RENAME_NOREPLACE))
                return true;
        return error_set(error, errno == EEXIST ? ERROR_CONFLICT : ERROR_GIT_FAILED,
                         "the workspace cannot be put in its place %s: %s", destination, strerror(errno));
}

/* The mirror stays locked (shared) only while it is read. */
static bool take_from_mirror(struct job *job, const char *lock_path, char **branch, struct error *error)
{
        auto_fd lock = mirror_lock(lock_path, true, error);

        if (lock < 0 || !resolve(job, branch, error))
                return false;
        job->branch = *branch;
        return copy(job, error);
}

bool workspace_work(const json_t *request, json_t *result, struct error *error)
{
        struct job job = {
                .command = {.git = document_get_string(request, "git"),
                            .protocols = "file",
                            .memory_bytes = document_get_integer(request, "memory_bytes", 0),
                            .uid = (uid_t)document_get_integer(request, "uid", 0),
                            .gid = (gid_t)document_get_integer(request, "gid", 0)},
                .url = document_get_string(request, "url"),
                .mirror = document_get_string(request, "mirror"),
                .unfinished = document_get_string(request, "unfinished"),
                .branch = document_get_string(request, "branch"),
        };
        auto_free char *branch = NULL;

        const char *lock = document_get_string(request, "lock");

        /* What is missing in the mirror may show only when it is checked out. */
        if (!take_from_mirror(&job, lock, &branch, error) || !configure(&job, error) || !check_out(&job, error)) {
                mirror_blame(job.mirror, lock, &job.command, error);
                return false;
        }
        if (!put_in_place(&job, document_get_string(request, "destination"), error))
                return false;
        json_object_set_new(result, "branch", document_string(branch));
        json_object_set_new(result, "head", document_string(job.head));
        return true;
}
