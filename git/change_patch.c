#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "git/change.h"
#include "git/change_place.h"
#include "git/request.h"
#include "server/base/document.h"

struct job {
        const char *repository, *from, *to, *destination;
        char *path, *old_path; /* NULL: of all files */
        size_t maximum, written;
        bool is_omitted;
};

static char *bytes_of(const char *hex)
{
        size_t length = hex ? strlen(hex) / 2 : 0;
        char *bytes = hex ? memory_new(length + 1) : NULL;

        for (size_t i = 0; i < length; i++) {
                unsigned value = 0;
                sscanf(hex + 2 * i, "%2x", &value);
                bytes[i] = (char)value;
        }
        return bytes;
}

static bool write_whole(int file, const char *bytes, size_t length, struct error *error)
{
        while (length) {
                ssize_t done = write(file, bytes, length);
                if (done < 0)
                        return error_set(error, ERROR_GIT_FAILED, "the patch cannot be written: %s", strerror(errno));
                bytes += done;
                length -= (size_t)done;
        }
        return true;
}

/* Blobs that are too large are not there: nothing of such a file is read. */
static bool is_readable(git_odb *objects, const git_diff_file *file)
{
        git_object_t kind;
        size_t size = 0;

        return git_oid_is_zero(&file->id) || file->mode == GIT_FILEMODE_COMMIT ||
               (!git_odb_read_header(&size, &kind, objects, &file->id) && size <= REPOSITORY_PATCH_MAXIMUM);
}

/* A patch that does not fit is left out whole, and so is what comes after it. */
static bool write_one(struct job *job, git_diff *diff, size_t at, int file, struct error *error)
{
        git_buf text = {0};
        auto_patch *patch = NULL;

        if (git_patch_from_diff(&patch, diff, at) || !patch || git_patch_to_buf(&text, patch))
                return change_fail(error, "the files cannot be compared");
        job->is_omitted = text.size > job->maximum - job->written;
        bool is_good = job->is_omitted || write_whole(file, text.ptr, text.size, error);
        if (is_good && !job->is_omitted)
                job->written += text.size;
        git_buf_dispose(&text);
        return is_good;
}

static bool is_wanted(const struct job *job, const git_diff_delta *delta)
{
        const char *path = delta->status == GIT_DELTA_DELETED ? delta->old_file.path : delta->new_file.path;

        return !job->path || !strcmp(path, job->path);
}

static bool write_all(struct job *job, git_repository *repository, git_diff *diff, int file, struct error *error)
{
        git_odb *objects = NULL;
        bool is_good = !git_repository_odb(&objects, repository) || change_fail(error, "the objects cannot be read"),
             is_any = false, is_large = false;

        for (size_t i = 0; is_good && !job->is_omitted && i < git_diff_num_deltas(diff); i++) {
                const git_diff_delta *delta = git_diff_get_delta(diff, i);
                if (!is_wanted(job, delta))
                        continue;
                is_any = true;
                if (is_readable(objects, &delta->old_file) && is_readable(objects, &delta->new_file))
                        is_good = write_one(job, diff, i, file, error);
                else
                        is_large = true;
        }
        job->is_omitted = job->is_omitted || is_large;
        git_odb_free(objects);
        if (is_good && !is_any && job->path)
                return error_set(error, ERROR_NOT_FOUND, "the file does not differ");
        return is_good;
}

static bool find_tree(git_repository *repository, const char *hex, git_tree **tree, struct error *error)
{
        git_oid id;

        return (!git_oid_fromstr(&id, hex) && !git_tree_lookup(tree, repository, &id)) ||
               change_fail(error, "a tree cannot be read");
}

static bool patch(struct job *job, struct error *error)
{
        char *paths[] = {job->path, job->old_path};
        git_strarray wanted = {paths, job->path ? job->old_path ? 2 : 1 : 0};
        auto_fd file = open(job->destination, O_WRONLY | O_CLOEXEC);
        auto_repository *repository = NULL;
        auto_tree *from = NULL, *to = NULL;

        repository_library_init();
        if (file < 0)
                return error_set(error, ERROR_GIT_FAILED, "the patch cannot be written: %s", strerror(errno));
        if (git_repository_open_bare(&repository, job->repository))
                return change_fail(error, "the repository of changes cannot be opened");
        if (!find_tree(repository, job->from, &from, error) || !find_tree(repository, job->to, &to, error))
                return false;
        auto_diff *diff = change_compare(repository, from, to, wanted, error);
        return diff && write_all(job, repository, diff, file, error);
}

bool change_patch_work(const json_t *request, json_t *result, struct error *error)
{
        struct job job = {
                .repository = document_get_string(request, "repository"),
                .from = document_get_string(request, "from"),
                .to = document_get_string(request, "to"),
                .destination = document_get_string(request, "destination"),
                .path = bytes_of(document_get_string(request, "path")),
                .old_path = bytes_of(document_get_string(request, "oldPath")),
                .maximum = (size_t)document_get_integer(request, "maximum", 0),
        };
        bool is_done = patch(&job, error);

        free(job.path);
        free(job.old_path);
        json_object_set_new(result, "isOmitted", json_boolean(job.is_omitted));
        return is_done;
}
