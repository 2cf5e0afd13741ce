#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "git/command.h"
#include "git/mirror_clean.h"
#include "git/mirror_damage.h"
#include "git/mirror_place.h"
#include "git/request.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/base/secret.h"

#define LISTING_MAXIMUM (64 * 1024 * 1024)
#define STAMP_SIZE (2 * SECRET_HASH_SIZE + 1)
#define PACKS_MAXIMUM 40

struct job {
        struct command command;
        const char *url;
        const char *mirror;
        const char *unfinished;
};

/* Clones the remote; before a name says that the mirror is whole, it is so on the disk too. */
static bool clone(const struct job *job, struct error *error)
{
        const char *const arguments[] = {
                "clone", "--bare", "--quiet", "--template=", "--", job->url, job->unfinished, NULL};

        if (!command_run(&job->command, arguments, NULL, error))
                return false;
        auto_fd folder = open(job->unfinished, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return (folder >= 0 && syncfs(folder) == 0) ||
               error_set(error, error_code_of_errno(errno, ERROR_GIT_FAILED), "the new mirror cannot be written: %s",
                         strerror(errno));
}

static bool put(const struct job *job, unsigned how, struct error *error)
{
        return renameat2(AT_FDCWD, job->unfinished, AT_FDCWD, job->mirror, how) == 0 ||
               error_set(error, error_code_of_errno(errno, ERROR_GIT_FAILED),
                         "the new mirror cannot be put in its place: %s", strerror(errno));
}

static bool make(const struct job *job, struct error *error)
{
        return clone(job, error) && put(job, 0, error);
}

/* A new mirror takes the place of the damaged one, which stays until then: what is whole of it may still be of use
 * while the remote cannot be reached. */
static bool make_anew(struct job *job, struct error *error)
{
        job->command.folder = NULL;
        if (!clone(job, error) || !put(job, RENAME_EXCHANGE, error))
                return false;
        mirror_remove_tree(job->unfinished);
        return true;
}

static void stamp_of(const struct text *listing, char stamp[STAMP_SIZE])
{
        uint8_t hash[SECRET_HASH_SIZE];

        secret_hash(text_string(listing), listing->length, hash);
        for (size_t i = 0; i < sizeof hash; i++)
                snprintf(stamp + 2 * i, 3, "%02x", hash[i]);
}

/* Whether the last complete update saw the very same listing. */
static bool is_seen(const char *path, const char *stamp)
{
        auto_text seen = TEXT_WITH_MAXIMUM(STAMP_SIZE);
        auto_error ignored = {0};

        return path_read(path, STAMP_SIZE, &seen, NULL, &ignored) && !strcmp(text_string(&seen), stamp);
}

static bool fetch_as(const struct job *job, const char *atomic, struct error *error)
{
        const char *const arguments[] = {"--git-dir=.",
                                         "fetch",
                                         "--quiet",
                                         "--prune",
                                         "--force",
                                         "--no-tags",
                                         "--no-write-fetch-head",
                                         "--no-auto-maintenance",
                                         "--no-recurse-submodules",
                                         atomic,
                                         "--",
                                         job->url,
                                         "+refs/heads/*:refs/heads/*",
                                         "+refs/tags/*:refs/tags/*",
                                         NULL};

        return command_run(&job->command, arguments, NULL, error);
}

/* One transaction cannot replace the branch a by a/b: that is done in two, the objects being here already. git 2.47
 * says so and then aborts, having released its locks. */
static bool fetch(const struct job *job, struct error *error)
{
        auto_error first = {0};

        if (fetch_as(job, "--atomic", &first))
                return true;
        if (!strstr(first.message, "cannot lock ref") && !strstr(first.message, "cannot create"))
                return error_move(error, &first);
        return fetch_as(job, "--no-atomic", error);
}

/* Takes the remote's default branch over, when the listing names one. */
static bool set_default_branch(const struct job *job, const struct text *listing, struct error *error)
{
        static const char before[] = "ref: ", after[] = "\tHEAD\n";
        const char *target = text_string(listing), *end = strstr(target, after);
        git_reference *reference = NULL;

        if (strncmp(target, before, sizeof before - 1) || !end)
                return true;
        target += sizeof before - 1;
        auto_free char *name = text_format("%.*s", (int)(end - target), target);
        auto_repository *repository = mirror_open(job->mirror, error);
        if (!repository)
                return false;
        if (git_reference_symbolic_create(&reference, repository, "HEAD", name, 1, NULL))
                return error_set(error, ERROR_GIT_FAILED, "its default branch cannot be set: %s",
                                 repository_library_reason());
        git_reference_free(reference);
        return true;
}

static size_t count_packs(const char *mirror)
{
        auto_free char *folder = path_join(mirror, "objects/pack");
        DIR *listing = opendir(folder);
        struct dirent *entry;
        size_t count = 0;

        while (listing && (entry = readdir(listing)))
                count += strstr(entry->d_name, ".pack") != NULL;
        if (listing)
                closedir(listing);
        return count;
}

/* Each fetch leaves a pack. That they are not joined now and then costs time only, so it is no failure of the update.
 */
static void join_packs(const struct job *job)
{
        static const char *const arguments[] = {"--git-dir=.", "repack", "--quiet", "--geometric=2", "-d", NULL};
        auto_error ignored = {0};

        if (count_packs(job->mirror) > PACKS_MAXIMUM && !command_run(&job->command, arguments, NULL, &ignored))
                error_clear(&ignored);
}

/* A mirror that lost its references takes the remote for unchanged. */
static bool has_branches(const struct job *job)
{
        static const char *const arguments[] = {"--git-dir=.", "for-each-ref", "--count=1", "refs/heads/", NULL};
        auto_text found = TEXT_WITH_MAXIMUM(4096);
        auto_error ignored = {0};

        return command_run(&job->command, arguments, &found, &ignored) && found.length;
}

static bool update(struct job *job, bool *is_reached, struct error *error)
{
        const char *const arguments[] = {"--git-dir=.", "ls-remote",    "--symref",    "--", job->url,
                                         "HEAD",        "refs/heads/*", "refs/tags/*", NULL};
        auto_text listing = TEXT_WITH_MAXIMUM(LISTING_MAXIMUM);
        auto_free char *seen = path_join(job->mirror, "seen");
        char stamp[STAMP_SIZE];

        job->command.folder = job->mirror;
        if (!command_run(&job->command, arguments, &listing, error))
                return false;
        *is_reached = true;
        stamp_of(&listing, stamp);
        if (is_seen(seen, stamp) && (!strstr(text_string(&listing), "\trefs/heads/") || has_branches(job)))
                return true;
        unlink(seen);
        if (!fetch(job, error) || !set_default_branch(job, &listing, error))
                return false;
        join_packs(job);
        return path_write(seen, stamp, STAMP_SIZE - 1, 0600, error);
}

/* Where the remote was not reached, only what is quickly seen is looked for: that is so each time while it is away. */
static bool is_at_fault(const struct job *job, bool is_reached, const struct error *error)
{
        if (error->code != ERROR_GIT_FAILED)
                return false;
        return is_reached ? mirror_is_damaged(job->mirror, &job->command)
                          : mirror_is_unreadable(job->mirror, &job->command);
}

static bool bring_up_to_date(struct job *job, struct error *error)
{
        auto_error first = {0};
        bool is_reached = false;

        if (mirror_is_condemned(job->mirror))
                return make_anew(job, error);
        if (update(job, &is_reached, &first))
                return true;
        return is_at_fault(job, is_reached, &first) ? make_anew(job, error) : error_move(error, &first);
}

bool mirror_work(const json_t *request, json_t *result, struct error *error)
{
        struct job job = {
                .command = {.git = document_get_string(request, "git"),
                            .protocols = "http:https",
                            .header = document_get_string(request, "header"),
                            .memory_bytes = document_get_integer(request, "memory_bytes", 0)},
                .url = document_get_string(request, "url"),
                .mirror = document_get_string(request, "mirror"),
                .unfinished = document_get_string(request, "unfinished"),
        };
        auto_fd lock = mirror_lock(document_get_string(request, "lock"), false, error);

        (void)result;
        if (lock < 0)
                return false;
        mirror_clean(job.mirror, document_get_string(request, "stem"));
        return access(job.mirror, F_OK) ? make(&job, error) : bring_up_to_date(&job, error);
}
