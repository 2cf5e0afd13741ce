#include "server/services/output_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/task_paths.h"

static int64_t modified(const struct stat *info)
{
        return (int64_t)info->st_mtim.tv_sec * 1000 + info->st_mtim.tv_nsec / 1000000;
}

static int open_folder(const char *path)
{
        return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Whether our records own the name: then the agent's file of that name is never read. */
static bool is_record(const char *path)
{
        return !strcmp(path, RECORD_LOG) || !strcmp(path, RECORD_EVENTS) || !strcmp(path, RECORD_INSTRUCTIONS) ||
               !strncmp(path, "raw/", 4);
}

int output_file_open(const struct services *services, const char *task_id, const char *path, int64_t *size,
                     int64_t *modified_at, struct error *error)
{
        auto_free char *folder = is_record(path) ? task_path_records(services->data_folder, task_id)
                                                 : task_path_output(services->data_folder, task_id);
        struct stat info;

        if (!path_is_plain(path)) {
                error_set(error, ERROR_INVALID_PATH, NULL);
                return -1;
        }
        auto_fd root = open_folder(folder);
        if (root < 0) {
                error_set(error, ERROR_FILE_NOT_FOUND, NULL);
                return -1;
        }
        auto_fd file = path_open_beneath(root, path, error);
        if (file < 0)
                return -1;
        if (fstat(file, &info)) {
                error_set(error, ERROR_FILE_NOT_FOUND, NULL);
                return -1;
        }
        *size = info.st_size;
        if (modified_at)
                *modified_at = modified(&info);
        return take_fd(&file);
}

bool output_file_read(int file, int64_t offset, size_t maximum, struct text *out, struct error *error)
{
        auto_free char *buffer = memory_new(maximum);
        size_t done = 0;

        while (done < maximum) {
                ssize_t got = pread(file, buffer + done, maximum - done, offset + (off_t)done);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return error_set(error, ERROR_UNAVAILABLE, "the file cannot be read: %s", strerror(errno));
                if (got == 0)
                        break;
                done += (size_t)got;
        }
        text_append(out, buffer, done);
        return true;
}

struct listing {
        json_t *files;
        int64_t omitted, looked_at;
        bool is_records;
};

static void add_file(struct listing *listing, const char *path, const struct stat *info)
{
        if (json_array_size(listing->files) >= OUTPUT_FILES_MAXIMUM) {
                listing->omitted++;
                return;
        }
        json_t *entry = json_object();
        json_object_set_new(entry, "path", document_string(path));
        json_object_set_new(entry, "size", json_integer(info->st_size));
        json_object_set_new(entry, "modifiedAt", document_time(modified(info)));
        json_array_append_new(listing->files, entry);
}

static void list_folder(struct listing *listing, int folder, const char *prefix, int depth)
{
        DIR *entries = fdopendir(folder);
        struct dirent *entry;
        struct stat info;

        if (!entries) {
                close(folder);
                return;
        }
        while ((entry = readdir(entries))) {
                if (listing->looked_at++ >= OUTPUT_LOOK_MAXIMUM) {
                        listing->omitted++;
                        break;
                }
                if (entry->d_name[0] == '.' || fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW))
                        continue;
                auto_free char *path = text_format("%s%s", prefix, entry->d_name);
                bool is_ours = is_record(path) || (!strcmp(path, "raw") && S_ISDIR(info.st_mode));
                if (is_ours != listing->is_records)
                        continue;
                if (S_ISREG(info.st_mode)) {
                        add_file(listing, path, &info);
                } else if (S_ISDIR(info.st_mode)) {
                        int inner =
                                openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                        auto_free char *inner_prefix = text_format("%s/", path);
                        if (inner >= 0 && depth < OUTPUT_DEPTH_MAXIMUM) {
                                list_folder(listing, inner, inner_prefix, depth + 1);
                        } else {
                                listing->omitted++;
                                if (inner >= 0)
                                        close(inner);
                        }
                }
        }
        closedir(entries);
}

static int by_path(const void *a, const void *b)
{
        return strcmp(document_get_string(*(json_t *const *)a, "path"),
                      document_get_string(*(json_t *const *)b, "path"));
}

static json_t *sorted(const json_t *files)
{
        size_t count = json_array_size(files);
        auto_free json_t **items = memory_new(count * sizeof *items);
        json_t *result = json_array();

        for (size_t i = 0; i < count; i++)
                items[i] = json_array_get(files, i);
        qsort(items, count, sizeof *items, by_path);
        for (size_t i = 0; i < count; i++)
                json_array_append(result, items[i]);
        return result;
}

json_t *output_files_list(const struct services *services, const char *task_id, int64_t *omitted)
{
        auto_free char *records = task_path_records(services->data_folder, task_id),
                       *output = task_path_output(services->data_folder, task_id);
        struct listing listing = {.files = json_array(), .is_records = true};
        int folder = open_folder(records);

        if (folder >= 0)
                list_folder(&listing, folder, "", 0);
        listing.is_records = false;
        if ((folder = open_folder(output)) >= 0)
                list_folder(&listing, folder, "", 0);
        *omitted = listing.omitted;
        json_t *result = sorted(listing.files);
        json_decref(listing.files);
        return result;
}

bool output_log_tail(const struct services *services, const char *task_id, const struct redactor *redactor,
                     size_t maximum, struct text *out, int64_t *total, struct error *error)
{
        int64_t wanted = (int64_t)(maximum + redact_reach(redactor));
        auto_text raw = TEXT_WITH_MAXIMUM((size_t)wanted), shown = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
        auto_fd file = output_file_open(services, task_id, RECORD_LOG, total, NULL, error);

        if (file < 0)
                return false;
        if (!output_file_read(file, *total > wanted ? *total - wanted : 0, (size_t)wanted, &raw, error))
                return false;
        size_t from = raw.length > maximum ? raw.length - maximum : 0;
        for (int i = 0; from && i < 3 && from < raw.length && ((unsigned char)raw.data[from] & 0xc0) == 0x80; i++)
                from++;
        redact_append_from(redactor, &shown, raw.data, raw.length, from);
        utf8_append_clean(out, text_string(&shown), shown.length);
        return true;
}
