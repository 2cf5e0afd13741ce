#include "server/services/tree_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/cleanup.h"
#include "server/base/text.h"

#define MODE_BITS 07777
#define PIECE_BYTES (64 * 1024 * 1024)

static bool fail(struct error *error, const char *name)
{
        int reason = errno;

        return error_set(error, reason == ENOSPC || reason == EDQUOT ? ERROR_STORE_FULL : ERROR_INTERNAL,
                         "%s cannot be copied: %s", name, strerror(reason));
}

/* The owner first: giving a file away takes its set-id bits. */
static bool set_attributes(int file, const struct stat *info)
{
        const struct timespec times[] = {info->st_atim, info->st_mtim};

        return !fchown(file, info->st_uid, info->st_gid) && !fchmod(file, info->st_mode & MODE_BITS) &&
               !futimens(file, times);
}

static bool copy_content(int from, int to)
{
        ssize_t copied;

        if (!ioctl(to, FICLONE, from))
                return true;
        while ((copied = copy_file_range(from, NULL, to, NULL, PIECE_BYTES, 0)) > 0)
                continue;
        return copied == 0;
}

static bool copy_file(int from_folder, int to_folder, const char *name, struct error *error)
{
        auto_fd from = openat(from_folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat info;

        /* It may have become something else since it was looked at. */
        if (from < 0 || fstat(from, &info))
                return errno == ENOENT || errno == ELOOP || errno == ENXIO || fail(error, name);
        if (!S_ISREG(info.st_mode))
                return true;
        auto_fd to = openat(to_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        return (to >= 0 && copy_content(from, to) && set_attributes(to, &info)) || fail(error, name);
}

static bool copy_link(int from_folder, int to_folder, const char *name, const struct stat *info, struct error *error)
{
        const struct timespec times[] = {info->st_atim, info->st_mtim};
        char target[PATH_MAX];
        ssize_t length = readlinkat(from_folder, name, target, sizeof target - 1);

        if (length < 0)
                return errno == ENOENT || errno == EINVAL || fail(error, name);
        target[length] = '\0';
        return (!symlinkat(target, to_folder, name) &&
                !fchownat(to_folder, name, info->st_uid, info->st_gid, AT_SYMLINK_NOFOLLOW) &&
                !utimensat(to_folder, name, times, AT_SYMLINK_NOFOLLOW)) ||
               fail(error, name);
}

static bool copy_folder(int from, int to, int depth, struct error *error);

static bool copy_below(int from_folder, int to_folder, const char *name, int depth, struct error *error)
{
        auto_fd from = openat(from_folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (from < 0)
                return errno == ENOENT || errno == ELOOP || errno == ENOTDIR || fail(error, name);
        if (depth == TREE_DEPTH_MAXIMUM)
                return error_set(error, ERROR_INTERNAL, "the folders are more than %d levels deep", TREE_DEPTH_MAXIMUM);
        if (mkdirat(to_folder, name, 0700))
                return fail(error, name);
        auto_fd to = openat(to_folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return to < 0 ? fail(error, name) : copy_folder(from, to, depth + 1, error);
}

static bool copy_entry(int from, int to, const char *name, int depth, struct error *error)
{
        struct stat info;

        if (!strcmp(name, ".") || !strcmp(name, ".."))
                return true;
        if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW))
                return errno == ENOENT || fail(error, name);
        switch (info.st_mode & S_IFMT) {
        case S_IFREG:
                return copy_file(from, to, name, error);
        case S_IFDIR:
                return copy_below(from, to, name, depth, error);
        case S_IFLNK:
                return copy_link(from, to, name, &info, error);
        default:
                return true;
        }
}

/* The times of a folder last: every entry changes them. */
static bool copy_folder(int from, int to, int depth, struct error *error)
{
        int listed = dup(from);
        DIR *listing = listed < 0 ? NULL : fdopendir(listed);
        struct dirent *entry;
        struct stat info;
        bool is_good = true;

        if (!listing || fstat(from, &info)) {
                fail(error, "a folder");
                if (listing)
                        closedir(listing);
                else if (listed >= 0)
                        close(listed);
                return false;
        }
        while (is_good && (entry = readdir(listing)))
                is_good = copy_entry(from, to, entry->d_name, depth, error);
        closedir(listing);
        return is_good && (set_attributes(to, &info) || fail(error, "a folder"));
}

bool tree_copy(const char *from_path, const char *to_path, struct error *error)
{
        auto_fd from = open(from_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (from < 0)
                return errno == ENOENT || fail(error, from_path);
        if (mkdir(to_path, 0700))
                return fail(error, to_path);
        auto_fd to = open(to_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return to < 0 ? fail(error, to_path) : copy_folder(from, to, 0, error);
}
