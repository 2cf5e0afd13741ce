#include "server/services/tar.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/base/text.h"

#define BLOCK 512
#define NAME_MAXIMUM 100
#define PREFIX_MAXIMUM 155

/* POSIX.1-1988, 10.1.1. */
struct header {
        char name[NAME_MAXIMUM];
        char mode[8], uid[8], gid[8];
        char size[12], mtime[12];
        char checksum[8];
        char type;
        char target[NAME_MAXIMUM];
        char magic[6], version[2];
        char owner[32], group[32];
        char major[8], minor[8];
        char prefix[PREFIX_MAXIMUM];
        char rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

/* Names of the outside are shown as UTF-8. */
static char *shown(const char *path)
{
        auto_text clean = TEXT_WITH_MAXIMUM(300);

        utf8_append_clean(&clean, path, strlen(path));
        return text_take(&clean);
}

static bool put(struct tar *tar, const void *bytes, size_t length, struct error *error)
{
        if (tar->length + (int64_t)length > tar->maximum)
                return error_set(error, ERROR_TOO_LARGE, "the files are larger than %" PRId64 " MiB together",
                                 tar->maximum / 1024 / 1024);
        for (size_t done = 0; done < length;) {
                ssize_t got = write(tar->file, (const char *)bytes + done, length - done);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(error, error_code_of_errno(errno, ERROR_INTERNAL),
                                         "an archive cannot be written: %s", strerror(errno));
                done += (size_t)got;
        }
        tar->length += (int64_t)length;
        return true;
}

static bool pad(struct tar *tar, int64_t size, struct error *error)
{
        static const char zeros[BLOCK];
        size_t rest = (size_t)((BLOCK - size % BLOCK) % BLOCK);

        return put(tar, zeros, rest, error);
}

/* Copies without the terminator that a full field has no room for. */
static bool fill(char *field, size_t size, const char *text, size_t length)
{
        if (length <= size)
                memcpy(field, text, length);
        return length <= size;
}

/* The path, cut at a slash into prefix and name where it is too long for the name alone. */
static bool set_path(struct header *header, const char *path)
{
        size_t length = strlen(path);

        if (fill(header->name, sizeof header->name, path, length))
                return true;
        for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
                size_t name = length - (size_t)(slash - path) - 1;
                if (name && name <= sizeof header->name)
                        return fill(header->prefix, sizeof header->prefix, path, (size_t)(slash - path)) &&
                               fill(header->name, sizeof header->name, slash + 1, name);
        }
        return false;
}

static bool put_header(struct tar *tar, const char *path, char type, mode_t mode, int64_t size, const char *target,
                       struct error *error)
{
        struct header header = {.type = type, .magic = "ustar", .version = {'0', '0'}};
        auto_free char *name = shown(path);
        unsigned sum = 0;

        if (tar->entries == tar->entry_maximum)
                return error_set(error, ERROR_TOO_LARGE, "there are more than %zu files and folders",
                                 tar->entry_maximum);
        if (!set_path(&header, path))
                return error_set(error, ERROR_TOO_LARGE, "the path %s is too long: an archive holds 255 bytes", name);
        if (!fill(header.target, sizeof header.target, target, strlen(target)))
                return error_set(error, ERROR_TOO_LARGE, "the target of the link %s is longer than %d bytes", name,
                                 NAME_MAXIMUM);
        snprintf(header.mode, sizeof header.mode, "%07o", (unsigned)mode & 07777);
        memcpy(header.uid, "0000000", 8);
        memcpy(header.gid, "0000000", 8);
        snprintf(header.size, sizeof header.size, "%011" PRIo64, (uint64_t)size);
        memcpy(header.mtime, "00000000000", 12);
        memset(header.checksum, ' ', sizeof header.checksum);
        for (size_t i = 0; i < BLOCK; i++)
                sum += ((const unsigned char *)&header)[i];
        snprintf(header.checksum, sizeof header.checksum, "%06o", sum);
        tar->entries++;
        return put(tar, &header, sizeof header, error);
}

bool tar_add_folder(struct tar *tar, const char *path, mode_t mode, struct error *error)
{
        return put_header(tar, path, '5', mode, 0, "", error);
}

bool tar_add_link(struct tar *tar, const char *path, const char *target, struct error *error)
{
        return put_header(tar, path, '2', 0777, 0, target, error);
}

bool tar_add_bytes(struct tar *tar, const char *path, mode_t mode, const void *bytes, size_t length,
                   struct error *error)
{
        return put_header(tar, path, '0', mode, (int64_t)length, "", error) && put(tar, bytes, length, error) &&
               pad(tar, (int64_t)length, error);
}

static bool copy(struct tar *tar, const char *path, int source, int64_t size, struct error *error)
{
        char buffer[65536];

        for (int64_t at = 0; at < size;) {
                size_t wanted = size - at < (int64_t)sizeof buffer ? (size_t)(size - at) : sizeof buffer;
                ssize_t got = pread(source, buffer, wanted, at);
                auto_free char *name = got > 0 ? NULL : shown(path);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(error, ERROR_INTERNAL, "%s cannot be read: %s", name, strerror(errno));
                if (!got)
                        return error_set(error, ERROR_CONFLICT, "%s became shorter while it was read", name);
                if (!put(tar, buffer, (size_t)got, error))
                        return false;
                at += got;
        }
        return true;
}

bool tar_add_file(struct tar *tar, const char *path, mode_t mode, int source, int64_t size, struct error *error)
{
        if (tar->length + size > tar->maximum)
                return error_set(error, ERROR_TOO_LARGE, "the files are larger than %" PRId64 " MiB together",
                                 tar->maximum / 1024 / 1024);
        return put_header(tar, path, '0', mode, size, "", error) && copy(tar, path, source, size, error) &&
               pad(tar, size, error);
}

bool tar_end(struct tar *tar, struct error *error)
{
        static const char zeros[2 * BLOCK];

        return put(tar, zeros, sizeof zeros, error);
}
