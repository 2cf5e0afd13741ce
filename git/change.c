#include "git/change.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "git/change_place.h"
#include "git/mirror_place.h"
#include "git/request.h"
#include "git/url.h"
#include "git/worker.h"
#include "server/base/document.h"
#include "server/base/path.h"

#define LISTING_MAXIMUM (64 * 1024 * 1024)

static bool take_result(const json_t *result, struct repository_change *change, struct error *error)
{
        const char *from = document_get_string(result, "from"), *to = document_get_string(result, "to");

        if (!from || strlen(from) >= sizeof change->from || !to || strlen(to) >= sizeof change->to)
                return error_set(error, ERROR_GIT_FAILED, "The git worker did not name what it kept");
        *change = (struct repository_change){
                .files = document_get_integer(result, "files", 0),
                .additions = document_get_integer(result, "additions", -1),
                .deletions = document_get_integer(result, "deletions", -1),
                .is_whole = json_is_true(json_object_get(result, "isWhole")),
        };
        strcpy(change->from, from);
        strcpy(change->to, to);
        return true;
}

bool repository_change_import(const struct repository_change_pack *pack, const struct repository_limits *limits,
                              struct repository_change *change, struct error *error)
{
        auto_free char *normal = repository_url_normalise(pack->url, error);
        auto_mirror_place place = {0};
        auto_json *request = json_object();

        if (!normal)
                return false;
        mirror_place_init(&place, pack->mirrors, normal);
        json_object_set_new(request, "repository", document_string(pack->repository));
        json_object_set_new(request, "mirror", document_string(place.mirror));
        json_object_set_new(request, "lock", document_string(place.lock));
        json_object_set_new(request, "file", document_string(pack->file));
        json_object_set_new(request, "offset", json_integer(pack->offset));
        json_object_set_new(request, "length", json_integer(pack->length));
        json_object_set_new(request, "base", document_string(pack->base));
        json_object_set_new(request, "tree", document_string(pack->tree));
        auto_json *result = repository_worker_run("change import", request, limits, error);
        return result && take_result(result, change, error);
}

json_t *repository_change_files(const char *repository, const char *from, const char *to, struct error *error)
{
        auto_free char *path = change_list_path(repository, from, to);
        auto_text content = TEXT_WITH_MAXIMUM(LISTING_MAXIMUM);
        auto_error reading = {0};

        if (path_read(path, LISTING_MAXIMUM, &content, NULL, &reading)) {
                json_t *files = document_parse(text_string(&content), content.length, &reading);
                if (files)
                        return files;
        }
        error_set(error, ERROR_GIT_FAILED, "The list of changed files cannot be read: %s", reading.message);
        return NULL;
}

static char *hex_of(const char *bytes)
{
        auto_text hex = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        for (const char *at = bytes; *at; at++)
                text_printf(&hex, "%02x", (unsigned char)*at);
        return text_take(&hex);
}

static void set_path(json_t *request, const char *name, const char *path)
{
        auto_free char *hex = path ? hex_of(path) : NULL;

        json_object_set_new(request, name, document_string(hex));
}

static bool read_patch(int file, size_t maximum, struct text *patch, struct error *error)
{
        auto_text content = TEXT_WITH_MAXIMUM(maximum + 1);

        if (lseek(file, 0, SEEK_SET) < 0 || !path_read_open(file, "the patch", maximum, &content, error))
                return error->code || error_set(error, ERROR_GIT_FAILED, "The patch cannot be read");
        text_append(patch, text_string(&content), content.length);
        return true;
}

bool repository_change_patch(const struct repository_change_range *range, const struct repository_limits *limits,
                             struct text *patch, bool *is_omitted, struct error *error)
{
        auto_fd file = memfd_create("patch", MFD_CLOEXEC);
        auto_free char *path = text_format("/proc/%d/fd/%d", (int)getpid(), file);
        auto_json *request = json_object();

        if (file < 0)
                return error_set(error, ERROR_GIT_FAILED, "There is no memory for a patch");
        json_object_set_new(request, "repository", document_string(range->repository));
        json_object_set_new(request, "from", document_string(range->from));
        json_object_set_new(request, "to", document_string(range->to));
        set_path(request, "path", range->path);
        set_path(request, "oldPath", range->old_path);
        json_object_set_new(request, "maximum", json_integer((json_int_t)range->maximum));
        json_object_set_new(request, "destination", document_string(path));
        auto_json *result = repository_worker_run("change patch", request, limits, error);
        if (!result)
                return false;
        *is_omitted = json_is_true(json_object_get(result, "isOmitted"));
        return read_patch(file, range->maximum, patch, error);
}
