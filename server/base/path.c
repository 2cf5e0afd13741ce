#include "server/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

static bool fail(struct error *error, const char *what, const char *path)
{
        int number = errno;
        enum error_code code = error_code_of_errno(number, ERROR_INTERNAL);

        return error_set(error, code, "%s %s: %s", what, path, strerror(number));
}

char *path_join(const char *folder, const char *name)
{
        return text_format("%s/%s", folder, name);
}

bool path_is_plain(const char *relative)
{
        if (!*relative)
                return false;
        for (const char *segment = relative; segment;) {
                const char *end = strchrnul(segment, '/');
                size_t length = (size_t)(end - segment);
                if (length == 0 || (length == 1 && segment[0] == '.') ||
                    (length == 2 && segment[0] == '.' && segment[1] == '.'))
                        return false;
                segment = *end ? end + 1 : NULL;
        }
        return true;
}

bool path_make_folder(const char *path, mode_t mode, struct error *error)
{
        auto_free char *copy = text_copy(path);

        for (char *at = copy + 1;; at++) {
                char kept = *at;
                if (kept && kept != '/')
                        continue;
                *at = '\0';
                if (mkdir(copy, mode) && errno != EEXIST)
                        return fail(error, "cannot make folder", copy);
                if (!kept)
                        return true;
                *at = kept;
        }
}

bool path_read_open(int file, const char *name, size_t maximum, struct text *out, struct error *error)
{
        char buffer[16384];
        struct stat info;

        if (fstat(file, &info) || !S_ISREG(info.st_mode))
                return error_set(error, ERROR_INTERNAL, "%s is not a regular file", name);
        if ((size_t)info.st_size > maximum)
                return error_set(error, ERROR_TOO_LARGE, "%s is larger than %zu bytes", name, maximum);
        for (;;) {
                ssize_t got = read(file, buffer, sizeof buffer);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return fail(error, "cannot read", name);
                if (got == 0)
                        return true;
                text_append(out, buffer, (size_t)got);
        }
}

bool path_read(const char *path, size_t maximum, struct text *out, bool *is_missing, struct error *error)
{
        auto_fd file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (is_missing)
                *is_missing = file < 0 && (errno == ENOENT || errno == ENOTDIR);
        if (file < 0)
                return fail(error, "cannot open", path);
        return path_read_open(file, path, maximum, out, error);
}

static bool write_whole(int file, const char *bytes, size_t length)
{
        while (length) {
                ssize_t done = write(file, bytes, length);
                if (done < 0 && errno == EINTR)
                        continue;
                if (done < 0)
                        return false;
                bytes += done;
                length -= (size_t)done;
        }
        return true;
}

bool path_sync_folder_of(const char *path)
{
        auto_free char *folder = text_copy(path);
        char *slash = strrchr(folder, '/');

        if (slash)
                *slash = '\0';
        auto_fd opened = open(slash ? (*folder ? folder : "/") : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return opened >= 0 && fsync(opened) == 0;
}

bool path_write(const char *path, const void *bytes, size_t length, mode_t mode, struct error *error)
{
        auto_free char *temporary = text_format("%s.%d.tmp", path, (int)getpid());
        auto_fd file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);

        if (file < 0)
                return fail(error, "cannot create", temporary);
        if (!write_whole(file, bytes, length) || fchmod(file, mode) || fsync(file) || rename(temporary, path)) {
                fail(error, "cannot write", path);
                unlink(temporary);
                return false;
        }
        return path_sync_folder_of(path) || fail(error, "cannot sync the folder of", path);
}

typedef bool visit(int folder, const char *name, const struct stat *info, void *context);

/* Visits everything in the tree at folder/name, children before their folder, without following links. */
static bool walk(int folder, const char *name, visit *visitor, void *context)
{
        struct stat info;

        if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW))
                return errno == ENOENT;
        if (S_ISDIR(info.st_mode)) {
                int opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                DIR *listing = opened < 0 ? NULL : fdopendir(opened);
                if (!listing) {
                        if (opened >= 0)
                                close(opened);
                        return false;
                }
                bool is_good = true;
                struct dirent *entry;
                while (is_good && (entry = readdir(listing)))
                        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
                                is_good = walk(dirfd(listing), entry->d_name, visitor, context);
                int number = errno;
                closedir(listing);
                errno = number;
                if (!is_good)
                        return false;
        }
        return visitor(folder, name, &info, context);
}

static bool remove_one(int folder, const char *name, const struct stat *info, void *context)
{
        (void)context;
        return unlinkat(folder, name, S_ISDIR(info->st_mode) ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT;
}

bool path_remove_tree(const char *path, struct error *error)
{
        return walk(AT_FDCWD, path, remove_one, NULL) || fail(error, "cannot remove", path);
}

struct owner {
        uid_t uid;
        gid_t gid;
};

static bool own_one(int folder, const char *name, const struct stat *info, void *context)
{
        const struct owner *owner = context;

        if (info->st_uid == owner->uid && info->st_gid == owner->gid)
                return true;
        return fchownat(folder, name, owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) == 0;
}

bool path_own_tree(const char *path, uid_t uid, gid_t gid, struct error *error)
{
        struct owner owner = {uid, gid};

        return walk(AT_FDCWD, path, own_one, &owner) || fail(error, "cannot change the owner of", path);
}

int path_open_beneath(int root, const char *relative, struct error *error)
{
        struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
                               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
        struct stat info;
        auto_fd file = (int)syscall(SYS_openat2, root, relative, &how, sizeof how);

        if (file < 0 || fstat(file, &info) || !S_ISREG(info.st_mode)) {
                error_set(error, ERROR_FILE_NOT_FOUND, NULL);
                return -1;
        }
        return take_fd(&file);
}

int64_t path_free_space(const char *path)
{
        struct statvfs info;

        return statvfs(path, &info) ? -1 : (int64_t)info.f_bavail * (int64_t)info.f_frsize;
}
