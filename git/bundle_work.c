#include <string.h>

#include "git/command.h"
#include "git/mirror_damage.h"
#include "git/mirror_place.h"
#include "git/request.h"
#include "server/base/document.h"

struct job {
        struct command command;
        const char *mirror;
        const char *branch, *basis; /* NULL: not told */
        const char *destination;
};

static bool no_branch(struct error *error, const char *standard)
{
        return error_set(error, ERROR_GIT_REF_NOT_FOUND, "there is no such branch%s%s",
                         standard ? "; the default branch is " : "", standard ? standard : "");
}

static bool is_empty(git_repository *repository)
{
        git_branch_iterator *branches = NULL;
        git_reference *reference = NULL;
        git_branch_t kind;

        bool is_none = git_branch_iterator_new(&branches, repository, GIT_BRANCH_LOCAL) ||
                       git_branch_next(&reference, &kind, branches);
        git_reference_free(reference);
        git_branch_iterator_free(branches);
        return is_none;
}

/* The branch, the caller's, and its commit. NULL without an error: the remote has no commit yet. */
static char *resolve(const struct job *job, git_repository *repository, git_oid *commit, struct error *error)
{
        auto_free char *standard = mirror_default_branch(repository),
                       *chosen = text_copy(job->branch ? job->branch : standard);
        bool has = false;

        if (is_empty(repository))
                return NULL;
        if (chosen && !mirror_find_branch(repository, chosen, &has, error))
                return NULL;
        auto_free char *name = text_format("refs/heads/%s", chosen ? chosen : "");
        if (has && !git_reference_name_to_id(commit, repository, name))
                return take(chosen);
        no_branch(error, standard);
        return NULL;
}

/* Whether the receiver's word of what it has is of use: a commit of the branch. */
static bool is_part(const struct job *job, git_repository *repository, const git_oid *head, git_oid *basis)
{
        return job->basis && !git_oid_fromstr(basis, job->basis) &&
               (git_oid_equal(basis, head) || git_graph_descendant_of(repository, head, basis) == 1);
}

static bool write_bundle(const struct job *job, const char *branch, const git_oid *basis, struct error *error)
{
        char known[GIT_OID_HEXSZ + 2] = "^";
        auto_free char *reference = text_format("refs/heads/%s", branch);
        const char *arguments[] = {"bundle", "create", "--quiet", job->destination, reference, NULL, NULL};

        if (basis) {
                git_oid_tostr(known + 1, sizeof known - 1, basis);
                arguments[5] = known;
        }
        return command_run(&job->command, arguments, NULL, error);
}

static bool work(const struct job *job, const char *lock_path, json_t *result, struct error *error)
{
        auto_fd lock = mirror_lock(lock_path, true, error);
        auto_repository *repository = lock < 0 ? NULL : mirror_open(job->mirror, error);
        char hex[GIT_OID_HEXSZ + 1] = "";
        git_oid head, basis;

        if (!repository)
                return false;
        auto_free char *branch = resolve(job, repository, &head, error);
        if (!branch && error->code)
                return false;
        bool is_known = branch && is_part(job, repository, &head, &basis);
        bool is_news = branch && !(is_known && git_oid_equal(&basis, &head));
        if (is_news && !write_bundle(job, branch, is_known ? &basis : NULL, error))
                return false;
        if (branch)
                git_oid_tostr(hex, sizeof hex, &head);
        json_object_set_new(result, "branch", document_string(branch));
        json_object_set_new(result, "head", document_string(hex));
        json_object_set_new(result, "written", json_boolean(is_news));
        return true;
}

bool bundle_work(const json_t *request, json_t *result, struct error *error)
{
        struct job job = {
                .command = {.git = document_get_string(request, "git"),
                            .folder = document_get_string(request, "mirror"),
                            .protocols = "file",
                            .memory_bytes = document_get_integer(request, "memory_bytes", 0)},
                .mirror = document_get_string(request, "mirror"),
                .branch = document_get_string(request, "branch"),
                .basis = document_get_string(request, "basis"),
                .destination = document_get_string(request, "destination"),
        };
        const char *lock = document_get_string(request, "lock");

        if (work(&job, lock, result, error))
                return true;
        mirror_blame(job.mirror, lock, &job.command, error);
        return false;
}
