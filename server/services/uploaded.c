#include "server/services/uploaded.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/audit.h"
#include "server/services/write.h"

#define MEGABYTE (INT64_C(1024) * 1024)
#define HOUR_MS (INT64_C(60) * 60 * 1000)
#define EXPIRED_AT_ONCE 100

bool uploaded_is_file_name(const char *name)
{
        return path_is_plain(name) && !strchr(name, '/') && strlen(name) <= 255 && name[0] != '.';
}

static const struct field receive_rows[] = {
        STRING_FIELD(struct uploaded_receive_input, filename, .is_required = true, .minimum = 1, .maximum = 200,
                     .is_valid = uploaded_is_file_name, .shape = "a plain file name that does not begin with a dot",
                     .help = "Name of the file in /task-output/attachments, unless the submission gives another."),
};
const struct field_table uploaded_receive_table = FIELD_TABLE(struct uploaded_receive_input, receive_rows);

static const struct field remove_rows[] = {
        STRING_FIELD(struct uploaded_remove_input, uploadId, .is_required = true, .minimum = 1, .maximum = ID_SIZE,
                     .help = "Id of the upload."),
};
const struct field_table uploaded_remove_table = FIELD_TABLE(struct uploaded_remove_input, remove_rows);

static char *folder_of(const struct services *services, const char *id)
{
        return text_format("%s/uploads/%s", services->data_folder, id);
}

void uploaded_forget(const struct services *services, const char *id)
{
        auto_free char *folder = folder_of(services, id);
        auto_error error = {0};

        if (!path_remove_tree(folder, &error))
                log_warning("an upload could not be removed", "reason", error.message);
}

/* Whether the person may keep so much more. */
static bool check(struct call *call, int64_t size, struct error *error)
{
        const struct settings *settings = settings_current();
        int64_t count, bytes;

        if (!access_allows_somewhere(call->actor, PERMISSION_BIT(TASKS_CREATE) | PERMISSION_BIT(TASKS_CHANGE)))
                return error_set(error, ERROR_PERMISSION_DENIED,
                                 "You may neither create nor continue tasks, so there is nothing to upload for.");
        if (store_is_low(call->services->store))
                return error_set(error, ERROR_STORE_FULL, "The disk is nearly full; nothing new is kept.");
        if (!store_uploaded_sum(call->db, call->actor->user, call->now, &count, &bytes, error))
                return false;
        if (count >= UPLOADED_COUNT_MAXIMUM)
                return error_set(error, ERROR_TOO_MANY, "You have %d uploads that no submission took; remove some.",
                                 UPLOADED_COUNT_MAXIMUM);
        if (bytes + size > settings->upload_person_megabytes * MEGABYTE)
                return error_set(error, ERROR_TOO_MANY,
                                 "Your uploads that no submission took would have more than %lld MiB together; remove "
                                 "some.",
                                 (long long)settings->upload_person_megabytes);
        return true;
}

static bool fail(struct error *error)
{
        int number = errno;

        return error_set(error, error_code_of_errno(number, ERROR_INTERNAL), "an upload cannot be kept: %s",
                         strerror(number));
}

/* For a file that cannot be given a name. */
static bool copy(int file, int64_t size, const char *path, struct error *error)
{
        auto_fd to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        off_t at = 0;

        while (to >= 0 && at < size)
                if (sendfile(to, file, &at, (size_t)(size - at)) <= 0)
                        return fail(error);
        return (to >= 0 && !fsync(to)) || fail(error);
}

static bool sync_folder(const char *folder)
{
        auto_fd opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return opened >= 0 && !fsync(opened);
}

/* Durable before the row that tells of it is. */
static bool keep(const struct services *services, const char *id, int file, int64_t size, struct error *error)
{
        auto_free char *folder = folder_of(services, id), *path = path_join(folder, "0"),
                       *uploads = path_join(services->data_folder, "uploads"),
                       *nameless = text_format("/proc/self/fd/%d", file);

        if (!path_make_folder(folder, 0700, error))
                return false;
        if (linkat(AT_FDCWD, nameless, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) {
                if (!copy(file, size, path, error))
                        return false;
        } else if (fsync(file)) {
                return fail(error);
        }
        return (sync_folder(folder) && sync_folder(uploads)) || fail(error);
}

static json_t *describe(const struct store_uploaded *uploaded)
{
        return json_pack("{s:s, s:o, s:I, s:o, s:o}", "uploadId", uploaded->id, "filename",
                         document_string(uploaded->filename), "size", (json_int_t)uploaded->size, "createdAt",
                         document_time(uploaded->created_at), "expiresAt", document_time(uploaded->expires_at));
}

/* Looks again: others of the person's may have come meanwhile. */
static bool add_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct store_uploaded *uploaded = context;

        if (!check(call, uploaded->size, error) || !store_uploaded_add(call->db, call->actor->user, uploaded, error) ||
            !audit_write(call->db, call->actor, "upload.add", uploaded->id,
                         json_pack("{s:I}", "size", (json_int_t)uploaded->size), error))
                return false;
        *result = describe(uploaded);
        return true;
}

bool uploaded_receive(struct call *call, const struct uploaded_receive_input *input, int file, int64_t size,
                      json_t **result, struct error *error)
{
        char id[ID_SIZE];

        if (!check(call, size, error))
                return false;
        id_new("upload", id);
        struct store_uploaded uploaded = {.id = id,
                                          .filename = (char *)input->filename,
                                          .size = size,
                                          .created_at = call->now,
                                          .expires_at = call->now + settings_current()->upload_hours * HOUR_MS};
        if (keep(call->services, id, file, size, error) && call_write(call, add_work, &uploaded, result, error))
                return true;
        uploaded_forget(call->services, id);
        return false;
}

static void append(const struct store_uploaded *uploaded, void *list)
{
        json_array_append_new(list, describe(uploaded));
}

bool uploaded_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *list = json_array();

        if (!store_uploaded_list(call->db, call->actor->user, call->now, append, list, error))
                return false;
        *result = json_pack("{s:O}", "uploads", list);
        return true;
}

static bool refuse_unknown(struct error *error)
{
        return error_set(error, ERROR_UPLOAD_NOT_FOUND, NULL);
}

bool uploaded_require(struct call *call, const char *id, struct store_uploaded *uploaded, struct error *error)
{
        bool is_found;

        return store_uploaded_find(call->db, id, call->actor->user, call->now, uploaded, &is_found, error) &&
               (is_found || refuse_unknown(error));
}

bool uploaded_link(const struct services *services, const char *id, const char *path, struct error *error)
{
        auto_free char *folder = folder_of(services, id), *from = path_join(folder, "0");

        if (!link(from, path))
                return true;
        return errno == ENOENT ? refuse_unknown(error) : fail(error);
}

bool uploaded_take(struct call *call, const char *id, struct error *error)
{
        bool is_taken;

        return store_uploaded_take(call->db, id, call->actor->user, call->now, &is_taken, error) &&
               (is_taken || refuse_unknown(error));
}

static bool remove_work(struct call *call, const void *context, json_t **result, struct error *error)
{
        const struct uploaded_remove_input *input = context;

        if (!uploaded_take(call, input->uploadId, error) ||
            !audit_write(call->db, call->actor, "upload.remove", input->uploadId, NULL, error))
                return false;
        *result = json_pack("{s:s, s:b}", "uploadId", input->uploadId, "removed", 1);
        return true;
}

bool uploaded_remove(struct call *call, const struct uploaded_remove_input *input, json_t **result, struct error *error)
{
        if (!call_write(call, remove_work, input, result, error))
                return false;
        uploaded_forget(call->services, input->uploadId);
        return true;
}

struct expiring {
        const char *id;
        int64_t now;
};

static bool expire_work(struct store_db *db, void *context, struct error *error)
{
        const struct expiring *expiring = context;

        return store_uploaded_expire(db, expiring->id, expiring->now, error);
}

void uploaded_expire(const struct services *services, struct store_db *db, int64_t now)
{
        auto_error error = {0};
        char id[ID_SIZE];
        bool is_found;

        for (int i = 0; i < EXPIRED_AT_ONCE; i++) {
                if (!store_uploaded_find_expired(db, now, id, &is_found, &error) ||
                    (is_found && !store_write(services->store, expire_work, &(struct expiring){id, now}, &error))) {
                        log_warning("old uploads could not be removed", "reason", error.message);
                        return;
                }
                if (!is_found)
                        return;
                uploaded_forget(services, id);
                log_info("old upload removed", "upload", id);
        }
}
