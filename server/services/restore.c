#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/archive.h"
#include "server/services/backup.h"
#include "server/store/meta.h"

#define MANIFEST_MAXIMUM 65536
#define FORMAT 1

static const struct field rows[] = {
        STRING_FIELD(struct restore_input, file, .is_required = true, .minimum = 1, .maximum = 4000, .format = "path",
                     .help = "A tar file that `backup` made."),
};
const struct field_table restore_table = FIELD_TABLE(struct restore_input, rows);

static bool check_empty(const char *folder, struct error *error)
{
        DIR *listing = opendir(folder);
        struct dirent *entry;
        size_t count = 0;

        if (!listing)
                return errno == ENOENT ||
                       error_set(error, ERROR_INVALID_INPUT, "%s cannot be read: %s", folder, strerror(errno));
        while ((entry = readdir(listing)))
                count++;
        closedir(listing);
        return count <= 2 || error_set(error, ERROR_CONFLICT,
                                       "the data folder %s is not empty; restore into an empty or a new one", folder);
}

static bool check_manifest(const char *folder, struct error *error)
{
        auto_free char *path = path_join(folder, "manifest.json");
        auto_text text = TEXT_WITH_MAXIMUM(MANIFEST_MAXIMUM);

        if (!path_read(path, MANIFEST_MAXIMUM, &text, NULL, error))
                return error_set(error, ERROR_INVALID_INPUT, "the file is not a backup: it has no manifest.json");
        auto_json *manifest = document_parse(text_string(&text), text.length, error);
        if (!manifest)
                return error_prefix(error, "manifest.json");
        int64_t format = document_get_integer(manifest, "format", 0);
        if (format != FORMAT)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "the backup has the format %d, this program reads %d: use the newer program",
                                 (int)format, FORMAT);
        return unlink(path) == 0 || error_set(error, ERROR_INTERNAL, "%s cannot be removed", path);
}

/* Opening brings an older store to this program's version, as the first start would. What is checked becomes a store of
 * its own, for the original may live on beside it. */
static bool check_store(const char *folder, char **old_id, struct error *error)
{
        auto_free char *path = path_join(folder, "store.db");
        struct stat info;

        if (lstat(path, &info) || !S_ISREG(info.st_mode))
                return error_set(error, ERROR_INVALID_INPUT, "the file is not a backup: it has no store.db");
        struct store *store = store_open(folder, error);
        if (!store)
                return false;
        struct store_db *db = store_reader_open(store, error);
        bool is_good = db && store_check(db, error);
        store_reader_close(db);
        is_good = is_good && store_become_copy(store, old_id, error);
        store_close(store);
        return is_good;
}

static bool unpack(const char *file, const char *folder, char **old_id, struct error *error)
{
        auto_free char *from = text_format("--file=%s", file), *to = text_format("--directory=%s", folder);
        char extract[] = "--extract", owner[] = "--numeric-owner", keep[] = "--preserve-permissions", tar[] = "tar";
        char *arguments[] = {tar, extract, from, to, owner, keep, NULL};

        return archive_run(arguments, false, error) && check_manifest(folder, error) &&
               check_store(folder, old_id, error);
}

/* Puts the finished folder in the place of the empty one, once it is on the disk. */
static bool settle(const char *temporary, const char *folder, struct error *error)
{
        auto_fd opened = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (opened >= 0 && syncfs(opened) == 0 && rename(temporary, folder) == 0 && path_sync_folder_of(folder))
                return true;
        return error_set(error, ERROR_INTERNAL, "%s cannot be put in place: %s%s", folder, strerror(errno),
                         errno == EBUSY ? " (a mount point: restore into a folder inside it)" : "");
}

bool backup_restore(const char *data_folder, const char *file, char **old_id, struct error *error)
{
        auto_free char *original = NULL;
        char id[ID_SIZE];

        if (access(file, R_OK))
                return error_set(error, ERROR_INVALID_INPUT, "%s cannot be read: %s", file, strerror(errno));
        if (!check_empty(data_folder, error))
                return false;
        id_new("restore", id);
        auto_free char *temporary = text_format("%s.%s", data_folder, id);
        bool is_good = path_make_folder(temporary, 0700, error) && unpack(file, temporary, &original, error) &&
                       chmod(temporary, 0700) == 0 && settle(temporary, data_folder, error);
        if (!is_good) {
                auto_error ignored = {0};
                if (!path_remove_tree(temporary, &ignored))
                        return error_prefix(error, "%s is left behind", temporary);
        }
        *old_id = take(original);
        return is_good;
}
