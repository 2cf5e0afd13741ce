#include "server/services/build_context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/services/tar.h"

/* Where setup.sh and build/ are while it runs. */
#define SETUP_FOLDER "longshore-setup"
#define TARGET_MAXIMUM 4096

struct names {
        char **items;
        size_t count;
};

static void names_clear(struct names *names)
{
        for (size_t i = 0; i < names->count; i++)
                free(names->items[i]);
        free(names->items);
}

static void close_listing(DIR **listing)
{
        if (*listing)
                closedir(*listing);
}

static int compare(const void *a, const void *b)
{
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A path of the outside is made UTF-8 before it goes into a message. */
static bool refuse(struct error *error, enum error_code code, const char *path, const char *words)
{
        auto_text clean = TEXT_WITH_MAXIMUM(300);

        utf8_append_clean(&clean, path, strlen(path));
        return error_set(error, code, "%s %s", text_string(&clean), words);
}

/* The names in the folder, sorted, so that the same files make the same archive. */
static bool read_names(int folder, const char *path, struct names *names, struct error *error)
{
        auto_fd own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        CLEANUP(close_listing) DIR *listing = own < 0 ? NULL : fdopendir(own);
        struct dirent *entry;

        if (!listing)
                return refuse(error, ERROR_UNAVAILABLE, path, "cannot be listed");
        take_fd(&own);
        while ((errno = 0, entry = readdir(listing))) {
                if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
                        continue;
                if (names->count == BUILD_CONTEXT_ENTRIES_MAXIMUM)
                        return refuse(error, ERROR_TOO_LARGE, path, "has too many files");
                names->items = memory_resize(names->items, (names->count + 1) * sizeof *names->items);
                names->items[names->count++] = text_copy(entry->d_name);
        }
        if (errno)
                return refuse(error, ERROR_UNAVAILABLE, path, "cannot be listed to its end");
        if (names->count)
                qsort(names->items, names->count, sizeof *names->items, compare);
        return true;
}

static bool add_file(struct tar *tar, int folder, const char *name, const char *path, mode_t extra, struct error *error)
{
        auto_fd file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        struct stat info;

        if (file < 0 || fstat(file, &info) || !S_ISREG(info.st_mode))
                return refuse(error, ERROR_UNAVAILABLE, path, "cannot be read as a regular file");
        return tar_add_file(tar, path, (info.st_mode & 0777) | extra, file, info.st_size, error);
}

static bool add_link(struct tar *tar, int folder, const char *name, const char *path, struct error *error)
{
        char target[TARGET_MAXIMUM + 1];
        ssize_t length = readlinkat(folder, name, target, TARGET_MAXIMUM);

        if (length < 0)
                return refuse(error, ERROR_UNAVAILABLE, path, "cannot be read as a link");
        target[length] = '\0';
        return tar_add_link(tar, path, target, error);
}

static bool add_tree(struct tar *tar, int folder, const char *name, const char *path, int depth, struct error *error);

static bool add_entry(struct tar *tar, int folder, const char *name, const char *path, int depth, struct error *error)
{
        struct stat info;

        if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW))
                return refuse(error, ERROR_CONFLICT, path, "went away while it was read");
        if (S_ISDIR(info.st_mode))
                return add_tree(tar, folder, name, path, depth + 1, error);
        if (S_ISLNK(info.st_mode))
                return add_link(tar, folder, name, path, error);
        if (S_ISREG(info.st_mode))
                return add_file(tar, folder, name, path, 0, error);
        return refuse(error, ERROR_INVALID_INPUT, path, "is neither a file, a folder nor a link; remove it");
}

static bool add_tree(struct tar *tar, int folder, const char *name, const char *path, int depth, struct error *error)
{
        auto_fd opened = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        CLEANUP(names_clear) struct names names = {0};
        struct stat info;

        if (opened < 0 || fstat(opened, &info))
                return refuse(error, ERROR_UNAVAILABLE, path, "cannot be opened as a folder");
        if (depth > BUILD_CONTEXT_DEPTH_MAXIMUM)
                return refuse(error, ERROR_TOO_LARGE, path, "lies too deep");
        if (!tar_add_folder(tar, path, info.st_mode & 0777, error) || !read_names(opened, path, &names, error))
                return false;
        for (size_t i = 0; i < names.count; i++) {
                auto_free char *below = path_join(path, names.items[i]);
                if (!add_entry(tar, opened, names.items[i], below, depth, error))
                        return false;
        }
        return true;
}

static bool is_there(int folder, const char *name)
{
        struct stat info;

        return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

const char *build_source_find(int folder, const char *name)
{
        static const char *const sources[] = {BUILD_DOCKERFILE, BUILD_SETUP};

        for (size_t i = 0; i < COUNT_OF(sources); i++) {
                auto_free char *path = *name ? path_join(name, sources[i]) : text_copy(sources[i]);
                if (is_there(folder, path))
                        return sources[i];
        }
        return NULL;
}

static bool add_files(struct tar *tar, int folder, const char *prefix, struct error *error)
{
        auto_free char *path = text_format("%s%s", prefix, BUILD_FILES);

        return !is_there(folder, BUILD_FILES) || add_tree(tar, folder, BUILD_FILES, path, 1, error);
}

/* In Dockerfile's own words a user is one word. */
static bool is_word(const char *user)
{
        for (const char *at = user; *at; at++)
                if (*at <= ' ' || *at > '~')
                        return false;
        return *user;
}

static bool add_setup(struct tar *tar, int folder, const struct environment *environment, const char *user,
                      struct error *error)
{
        auto_text dockerfile = TEXT_WITH_MAXIMUM(4096);

        text_printf(&dockerfile, "FROM %s\nUSER 0:0\nCOPY " SETUP_FOLDER " /" SETUP_FOLDER "\n",
                    environment->file.image);
        text_append_string(&dockerfile, "RUN cd /" SETUP_FOLDER " && ./" BUILD_SETUP " && rm -rf /" SETUP_FOLDER "\n");
        if (is_word(user))
                text_printf(&dockerfile, "USER %s\n", user);
        return tar_add_bytes(tar, BUILD_DOCKERFILE, 0644, dockerfile.data, dockerfile.length, error) &&
               tar_add_folder(tar, SETUP_FOLDER, 0755, error) &&
               add_file(tar, folder, BUILD_SETUP, SETUP_FOLDER "/" BUILD_SETUP, 0555, error) &&
               add_files(tar, folder, SETUP_FOLDER "/", error);
}

static bool add_dockerfile(struct tar *tar, int folder, struct error *error)
{
        return add_file(tar, folder, BUILD_DOCKERFILE, BUILD_DOCKERFILE, 0444, error) &&
               (!is_there(folder, BUILD_SETUP) || add_file(tar, folder, BUILD_SETUP, BUILD_SETUP, 0555, error)) &&
               add_files(tar, folder, "", error);
}

static bool hash_file(int file, int64_t length, char out[2 * SECRET_HASH_SIZE + 1], struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];
        void *bytes = mmap(NULL, (size_t)length, PROT_READ, MAP_PRIVATE, file, 0);

        if (bytes == MAP_FAILED)
                return error_set(error, ERROR_INTERNAL, "the build's files cannot be read back: %s", strerror(errno));
        secret_hash(bytes, (size_t)length, hash);
        munmap(bytes, (size_t)length);
        for (size_t i = 0; i < sizeof hash; i++)
                snprintf(out + 2 * i, 3, "%02x", hash[i]);
        return true;
}

/* A file that is gone when it is closed. */
static int open_scratch(const char *scratch, struct error *error)
{
        auto_free char *path = path_join(scratch, "context.tar");
        int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

        if (file < 0)
                error_set(error, ERROR_INTERNAL, "%s cannot be made: %s", path, strerror(errno));
        unlink(path);
        return file;
}

bool build_context_make(const char *environments_folder, const struct environment *environment, const char *user,
                        const char *scratch, struct build_context *context, struct error *error)
{
        auto_free char *path = path_join(environments_folder, environment->name);
        auto_fd folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        auto_fd file = open_scratch(scratch, error);
        struct tar tar = {
                .file = file, .maximum = BUILD_CONTEXT_MAXIMUM, .entry_maximum = BUILD_CONTEXT_ENTRIES_MAXIMUM};

        if (file < 0)
                return false;
        /* What the registry has seen of the folder may be older than what is read now. */
        context->source = folder < 0 ? NULL : build_source_find(folder, "");
        if (!context->source)
                return error_set(error, ERROR_BUILD_NOTHING, NULL);
        bool is_setup = !strcmp(context->source, BUILD_SETUP);
        if (!(is_setup ? add_setup(&tar, folder, environment, user, error) : add_dockerfile(&tar, folder, error)) ||
            !tar_end(&tar, error) || !hash_file(file, tar.length, context->inputs_hash, error))
                return false;
        if (lseek(file, 0, SEEK_SET))
                return error_set(error, ERROR_INTERNAL, "the build's files cannot be read back: %s", strerror(errno));
        context->file = take_fd(&file);
        return true;
}
