/* Uploads: files that come with a submission, durable before the submission is accepted.
 *
 * They are written to DATA/uploads/ID first, the turn's row names them, and the turn's launch puts them into
 * /task-output/attachments. One that no turn refers to is removed at the next start. Files that were sent ahead are
 * uploaded.h's until then. */
#ifndef SERVICES_UPLOAD_H
#define SERVICES_UPLOAD_H

#include "server/base/field.h"
#include "server/services/services.h"
#include "server/store/attachment.h"

#define UPLOAD_FILES_MAXIMUM 25
#define UPLOAD_FILE_BYTES (50LL * 1024 * 1024)
#define ATTACHMENTS_FOLDER "attachments"
#define HANDOFF_FILE "handoff.md"

/* An attachment as it is given. */
struct attachment_input {
        const char *filename, *content, *encoding;
        const char *uploadId; /* instead of content: a file that was sent ahead */
};
extern const struct field_table attachment_table;
/* The same where uploads may be named too. */
extern const struct field_table attachment_or_upload_table;

/* The session that a task takes over from. */
struct handoff_input {
        const char *source, *summary, *transcript;
};
extern const struct field_table handoff_table;

struct upload_file {
        char *filename;
        int64_t size;
};
/* Owns everything but the folder on disk, which upload_discard removes. */
struct upload {
        char id[ID_SIZE];
        struct upload_file files[UPLOAD_FILES_MAXIMUM + 1];
        size_t count;
        char taken[UPLOAD_FILES_MAXIMUM][ID_SIZE]; /* files sent ahead that are among them */
        size_t taken_count;
};

/* Writes the attachments and the handoff (may be NULL) to disk. Blocks. NULL with ERROR_ATTACHMENT_INVALID naming the
 * entry, ERROR_UPLOAD_NOT_FOUND, ERROR_TOO_LARGE, ERROR_STORE_FULL; nothing is left on disk then. */
struct upload *upload_write(struct call *call, const struct field_objects *attachments,
                            const struct handoff_input *handoff, struct error *error);
/* Takes the files that were sent ahead, in the piece of work of the submission, so that no other one does.
 * ERROR_UPLOAD_NOT_FOUND when one did. NULL is nothing. */
MUST_CHECK bool upload_take(struct call *call, const struct upload *upload, struct error *error);
/* Records the files as the turn's, in its piece of work. */
MUST_CHECK bool upload_attach(struct store_db *db, const struct upload *upload, int64_t turn, struct error *error);
/* Frees the upload; `is_kept` says that a turn refers to it now, otherwise its folder is removed. NULL is nothing. */
void upload_free(const struct services *services, struct upload *upload, bool is_kept);
/* Puts the turn's files into the task's output folder as the agent's, replacing what the agent may have put there.
 * Files that an earlier attempt moved already are left. */
MUST_CHECK bool upload_deliver(const struct services *services, const char *task_id,
                               const struct store_attachments *attachments, struct error *error);
/* Removes the folders of files that were delivered. */
void upload_forget(const struct services *services, const struct store_attachments *attachments);
/* Removes uploads that no turn refers to and that nobody sent ahead. At start. */
void upload_sweep(const struct services *services, struct store_db *db);

#endif
