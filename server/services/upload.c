#include "server/services/upload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/log.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/task_paths.h"
#include "server/services/uploaded.h"

static const char *const encodings[] = {"utf8", "base64", NULL};

static const struct field attachment_rows[] = {
        STRING_FIELD(struct attachment_input, filename, .is_required = true, .minimum = 1, .maximum = 200,
                     .is_valid = uploaded_is_file_name, .shape = "a plain file name that does not begin with a dot",
                     .help = "Name of the file in /task-output/attachments."),
        STRING_FIELD(struct attachment_input, content, .is_required = true, .help = "The file: text, or base64."),
        STRING_FIELD(struct attachment_input, encoding, .choices = encodings, .text_preset = "utf8",
                     .help = "How content is written."),
};
const struct field_table attachment_table = FIELD_TABLE(struct attachment_input, attachment_rows);

static const struct field attachment_or_upload_rows[] = {
        STRING_FIELD(struct attachment_input, filename, .minimum = 1, .maximum = 200, .is_valid = uploaded_is_file_name,
                     .shape = "a plain file name that does not begin with a dot",
                     .help = "Name of the file in /task-output/attachments; an upload's own when left out."),
        STRING_FIELD(struct attachment_input, content, .help = "The file: text, or base64."),
        STRING_FIELD(struct attachment_input, encoding, .choices = encodings, .text_preset = "utf8",
                     .help = "How content is written."),
        STRING_FIELD(struct attachment_input, uploadId, .minimum = 1, .maximum = ID_SIZE,
                     .help = "Instead of content: a file that you sent with POST /uploads. It is taken once."),
};
const struct field_table attachment_or_upload_table = FIELD_TABLE(struct attachment_input, attachment_or_upload_rows);

static const struct field handoff_rows[] = {
        STRING_FIELD(struct handoff_input, source, .maximum = 200, .help = "Where the work comes from."),
        STRING_FIELD(struct handoff_input, summary, .is_required = true, .minimum = 1, .maximum = 1000000,
                     .help = "What was done, what is left, what to keep away from."),
        STRING_FIELD(struct handoff_input, transcript, .maximum = 20000000, .help = "The whole conversation."),
};
const struct field_table handoff_table = FIELD_TABLE(struct handoff_input, handoff_rows);

static char *folder_of(const struct services *services, const char *id)
{
        return text_format("%s/uploads/%s", services->data_folder, id);
}

static bool is_name_taken(const struct upload *upload, const char *filename)
{
        for (size_t i = 0; i < upload->count; i++)
                if (!strcmp(upload->files[i].filename, filename))
                        return true;
        return false;
}

static bool check_name(const struct upload *upload, const char *filename, struct error *error)
{
        return !is_name_taken(upload, filename) ||
               error_set(error, ERROR_ATTACHMENT_INVALID, "two attachments are called %s", filename);
}

static bool write_file(const char *folder, struct upload *upload, const char *filename, const void *bytes,
                       size_t length, struct error *error)
{
        auto_free char *path = text_format("%s/%zu", folder, upload->count);

        if (!check_name(upload, filename, error))
                return false;
        if (length > UPLOAD_FILE_BYTES)
                return error_set(error, ERROR_TOO_LARGE, "the attachment %s is larger than 50 MiB", filename);
        if (!path_write(path, bytes, length, 0600, error))
                return false;
        upload->files[upload->count++] = (struct upload_file){text_copy(filename), (int64_t)length};
        return true;
}

static bool is_named_already(const struct upload *upload, const char *id)
{
        for (size_t i = 0; i < upload->taken_count; i++)
                if (!strcmp(upload->taken[i], id))
                        return true;
        return false;
}

/* The file gets a second name here, so that it is the submission's own however the other one goes. */
static bool take_over(struct call *call, const char *folder, struct upload *upload,
                      const struct attachment_input *attachment, struct error *error)
{
        auto_free char *path = text_format("%s/%zu", folder, upload->count);
        auto_store_uploaded uploaded = {0};

        if (attachment->content || is_named_already(upload, attachment->uploadId))
                return error_set(error, ERROR_ATTACHMENT_INVALID,
                                 attachment->content ? "an attachment has either content or uploadId"
                                                     : "two attachments are the same upload");
        if (!uploaded_require(call, attachment->uploadId, &uploaded, error))
                return false;
        const char *filename = attachment->filename ? attachment->filename : uploaded.filename;
        if (!check_name(upload, filename, error) || !uploaded_link(call->services, uploaded.id, path, error))
                return false;
        upload->files[upload->count++] = (struct upload_file){text_copy(filename), uploaded.size};
        snprintf(upload->taken[upload->taken_count++], ID_SIZE, "%s", uploaded.id);
        return true;
}

static bool write_attachment(struct call *call, const char *folder, struct upload *upload,
                             const struct attachment_input *attachment, struct error *error)
{
        if (attachment->uploadId)
                return take_over(call, folder, upload, attachment, error);
        if (!attachment->filename || !attachment->content)
                return error_set(error, ERROR_ATTACHMENT_INVALID,
                                 "an attachment needs filename and content, or uploadId");
        size_t length = strlen(attachment->content);
        if (strcmp(attachment->encoding, "base64"))
                return write_file(folder, upload, attachment->filename, attachment->content, length, error);
        auto_free void *bytes = secret_base64_decode(attachment->content, length, &length);
        if (!bytes)
                return error_set(error, ERROR_ATTACHMENT_INVALID, "the attachment %s is not valid base64",
                                 attachment->filename);
        return write_file(folder, upload, attachment->filename, bytes, length, error);
}

static bool write_handoff(const char *folder, struct upload *upload, const struct handoff_input *handoff,
                          struct error *error)
{
        auto_text text = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        text_printf(&text, "# Handoff%s%s\n\n## Summary\n\n%s\n", handoff->source ? " from " : "",
                    handoff->source ? handoff->source : "", handoff->summary);
        if (handoff->transcript)
                text_printf(&text, "\n## Transcript\n\n%s\n", handoff->transcript);
        return write_file(folder, upload, HANDOFF_FILE, text.data, text.length, error);
}

static bool write_all(struct call *call, const char *folder, struct upload *upload,
                      const struct field_objects *attachments, const struct handoff_input *handoff, struct error *error)
{
        const struct attachment_input *items = attachments->items;

        if (!path_make_folder(folder, 0700, error))
                return false;
        for (size_t i = 0; i < attachments->count; i++)
                if (!write_attachment(call, folder, upload, &items[i], error))
                        return false;
        return !handoff || write_handoff(folder, upload, handoff, error);
}

struct upload *upload_write(struct call *call, const struct field_objects *attachments,
                            const struct handoff_input *handoff, struct error *error)
{
        struct upload *upload = memory_new(sizeof *upload);

        id_new("up", upload->id);
        auto_free char *folder = folder_of(call->services, upload->id);
        if (write_all(call, folder, upload, attachments, handoff, error))
                return upload;
        upload_free(call->services, upload, false);
        return NULL;
}

bool upload_take(struct call *call, const struct upload *upload, struct error *error)
{
        for (size_t i = 0; upload && i < upload->taken_count; i++)
                if (!uploaded_take(call, upload->taken[i], error))
                        return false;
        return true;
}

bool upload_attach(struct store_db *db, const struct upload *upload, int64_t turn, struct error *error)
{
        for (size_t i = 0; upload && i < upload->count; i++)
                if (!store_attachment_add(db, turn, upload->files[i].filename, upload->files[i].size, upload->id,
                                          error))
                        return false;
        return true;
}

static void remove_folder(const struct services *services, const char *id)
{
        auto_free char *folder = folder_of(services, id);
        auto_error error = {0};

        if (!path_remove_tree(folder, &error))
                log_warning("an upload could not be removed", "reason", error.message);
}

void upload_free(const struct services *services, struct upload *upload, bool is_kept)
{
        if (!upload)
                return;
        if (!is_kept)
                remove_folder(services, upload->id);
        for (size_t i = 0; is_kept && i < upload->taken_count; i++)
                uploaded_forget(services, upload->taken[i]);
        for (size_t i = 0; i < upload->count; i++)
                free(upload->files[i].filename);
        free(upload);
}

static bool fail(struct error *error, const char *filename)
{
        int number = errno;

        return error_set(error, error_code_of_errno(number, ERROR_INTERNAL),
                         "the attachment %s cannot be put into the task's output: %s", filename, strerror(number));
}

static bool copy(int from, int to)
{
        char buffer[65536];
        ssize_t got;

        while ((got = read(from, buffer, sizeof buffer)) > 0)
                for (ssize_t done = 0, step; done < got; done += step)
                        if ((step = write(to, buffer + done, (size_t)(got - done))) < 0)
                                return false;
        return got == 0;
}

/* The folder is the agent's: nothing in it is followed, and what stands in the way is replaced. */
static int open_target(const char *output, struct error *error)
{
        uid_t uid = (uid_t)settings_current()->agent_uid;
        auto_fd root = open(output, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (root >= 0 && mkdirat(root, ATTACHMENTS_FOLDER, 0755) && errno == EEXIST) {
                struct stat info;
                if (fstatat(root, ATTACHMENTS_FOLDER, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode) &&
                    unlinkat(root, ATTACHMENTS_FOLDER, 0) == 0 && mkdirat(root, ATTACHMENTS_FOLDER, 0755))
                        fail(error, ATTACHMENTS_FOLDER);
        }
        auto_fd folder =
                root < 0 ? -1 : openat(root, ATTACHMENTS_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0 || fchown(folder, uid, uid)) {
                fail(error, ATTACHMENTS_FOLDER);
                return -1;
        }
        return take_fd(&folder);
}

static bool deliver_one(int folder, const char *source, const char *filename, struct error *error)
{
        uid_t uid = (uid_t)settings_current()->agent_uid;
        auto_fd from = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

        if (from < 0)
                return errno == ENOENT || fail(error, filename);
        if (unlinkat(folder, filename, 0) && errno != ENOENT)
                return fail(error, filename);
        auto_fd to = openat(folder, filename, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (to < 0 || fchmod(to, 0644) || fchown(to, uid, uid) || !copy(from, to))
                return fail(error, filename);
        return true;
}

/* Which of the files of its upload the attachment is: a turn may have files of several. */
static size_t number_in_upload(const struct store_attachments *attachments, size_t which)
{
        size_t number = 0;

        for (size_t i = 0; i < which; i++)
                number += !strcmp(attachments->items[i].upload, attachments->items[which].upload);
        return number;
}

bool upload_deliver(const struct services *services, const char *task_id, const struct store_attachments *attachments,
                    struct error *error)
{
        auto_free char *output = task_path_output(services->data_folder, task_id);

        if (!attachments->count)
                return true;
        auto_fd folder = open_target(output, error);
        for (size_t i = 0; folder >= 0 && i < attachments->count; i++) {
                auto_free char *source = text_format("%s/uploads/%s/%zu", services->data_folder,
                                                     attachments->items[i].upload, number_in_upload(attachments, i));
                if (!deliver_one(folder, source, attachments->items[i].filename, error))
                        return false;
        }
        return folder >= 0;
}

void upload_forget(const struct services *services, const struct store_attachments *attachments)
{
        for (size_t i = 0; i < attachments->count; i++)
                remove_folder(services, attachments->items[i].upload);
}

static bool is_of_use(struct store_db *db, const char *id)
{
        auto_error error = {0};
        bool is_used, is_sent_ahead;

        return !store_upload_is_used(db, id, &is_used, &error) || is_used ||
               !store_uploaded_is_there(db, id, &is_sent_ahead, &error) || is_sent_ahead;
}

void upload_sweep(const struct services *services, struct store_db *db)
{
        auto_free char *uploads = path_join(services->data_folder, "uploads");
        DIR *listing = opendir(uploads);
        struct dirent *entry;

        while (listing && (entry = readdir(listing)))
                if (entry->d_name[0] != '.' && !is_of_use(db, entry->d_name))
                        remove_folder(services, entry->d_name);
        if (listing)
                closedir(listing);
}
