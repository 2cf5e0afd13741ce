#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "git/mirror_place.h"
#include "git/repository.h"
#include "git/url.h"
#include "server/base/path.h"

#define END ".git"

char *repository_mirror_name(const char *url, struct error *error)
{
        auto_free char *normal = repository_url_normalise(url, error);
        auto_mirror_place place = {0};

        if (!normal)
                return NULL;
        mirror_place_init(&place, "", normal);
        return text_copy(place.mirror + 1);
}

/* The lock beside the mirror, the caller's: whoever uses the mirror touches it. NULL for what is no mirror's name. */
static char *lock_of(const char *mirrors, const char *name)
{
        size_t length = strlen(name), end = strlen(END);

        if (length <= end || strcmp(name + length - end, END) || strspn(name, "0123456789abcdef") != length - end)
                return NULL;
        return text_format("%s/%.*s.lock", mirrors, (int)(length - end), name);
}

static bool is_used_since(int lock, int64_t since)
{
        struct stat info;

        return fstat(lock, &info) || (int64_t)info.st_mtim.tv_sec * 1000 > since;
}

bool repository_mirror_each(const char *mirrors, int64_t unused_since, void (*told)(const char *name, void *context),
                            void *context, struct error *error)
{
        DIR *listing = opendir(mirrors);
        struct dirent *entry;

        if (!listing)
                return errno == ENOENT ||
                       error_set(error, ERROR_INTERNAL, "the mirrors cannot be listed: %s", strerror(errno));
        while ((entry = readdir(listing))) {
                auto_free char *path = lock_of(mirrors, entry->d_name);
                auto_fd lock = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
                if (lock >= 0 && !is_used_since(lock, unused_since))
                        told(entry->d_name, context);
        }
        closedir(listing);
        return true;
}

bool repository_mirror_remove(const char *mirrors, const char *name, int64_t unused_since, bool *is_removed,
                              struct error *error)
{
        auto_free char *path = lock_of(mirrors, name), *mirror = path_join(mirrors, name);
        auto_fd lock = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

        *is_removed = false;
        /* Who waits for the lock finds no mirror and makes one; the lock itself stays, for there may be such. */
        if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) || is_used_since(lock, unused_since))
                return true;
        *is_removed = path_remove_tree(mirror, error);
        return *is_removed;
}
