#include "git/mirror_place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "server/base/secret.h"
#include "server/base/text.h"

#define NAME_BYTES 20

void mirror_place_init(struct mirror_place *place, const char *mirrors, const char *url)
{
        uint8_t hash[SECRET_HASH_SIZE];
        char name[2 * NAME_BYTES + 1];

        secret_hash(url, strlen(url), hash);
        for (size_t i = 0; i < NAME_BYTES; i++)
                snprintf(name + 2 * i, 3, "%02x", hash[i]);
        place->mirror = text_format("%s/%s.git", mirrors, name);
        place->lock = text_format("%s/%s.lock", mirrors, name);
        place->unfinished = text_format("%s/%s.new-", mirrors, name);
}

void mirror_place_clear(struct mirror_place *place)
{
        free(place->mirror);
        free(place->lock);
        free(place->unfinished);
        *place = (struct mirror_place){0};
}

int mirror_lock(const char *lock, bool is_shared, struct error *error)
{
        int file = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);

        if (file < 0) {
                error_set(error, error_code_of_errno(errno, ERROR_GIT_FAILED), "cannot open the lock of the mirror: %s",
                          strerror(errno));
                return -1;
        }
        while (flock(file, is_shared ? LOCK_SH : LOCK_EX))
                if (errno != EINTR) {
                        error_set(error, ERROR_GIT_FAILED, "cannot lock the mirror: %s", strerror(errno));
                        close(file);
                        return -1;
                }
        /* When the mirror was used last; where that cannot be noted, it is removed too early and made anew. */
        if (futimens(file, NULL))
                errno = 0;
        return file;
}

git_repository *mirror_open(const char *mirror, struct error *error)
{
        git_repository *repository = NULL;

        repository_library_init();
        if (access(mirror, F_OK))
                error_set(error, ERROR_GIT_FAILED, "there is no mirror of it yet; update the mirror first");
        else if (git_repository_open_bare(&repository, mirror))
                error_set(error, ERROR_GIT_FAILED, "its mirror cannot be opened: %s", repository_library_reason());
        return repository;
}

bool mirror_find_branch(git_repository *repository, const char *branch, bool *has, struct error *error)
{
        auto_free char *name = text_format("refs/heads/%s", branch);
        auto_reference *reference = NULL;
        int status = git_reference_lookup(&reference, repository, name);

        if (status && status != GIT_ENOTFOUND)
                return error_set(error, ERROR_GIT_FAILED, "its mirror cannot be read: %s", repository_library_reason());
        *has = status == 0;
        return true;
}

char *mirror_default_branch(git_repository *repository)
{
        static const char before[] = "refs/heads/";
        auto_reference *head = NULL;
        const char *target;

        if (git_reference_lookup(&head, repository, "HEAD") || !(target = git_reference_symbolic_target(head)))
                return NULL;
        return strncmp(target, before, sizeof before - 1) ? NULL : text_copy(target + sizeof before - 1);
}
