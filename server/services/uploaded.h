/* Files that people send ahead of the submission that will take them, so that large ones need not be in its body.
 *
 * Each lies in DATA/uploads/ID/0. It belongs to the person who sent it, is taken by one submission of theirs, and goes
 * when nobody took it for UPLOAD_HOURS. */
#ifndef SERVICES_UPLOADED_H
#define SERVICES_UPLOADED_H

#include "server/base/field.h"
#include "server/services/services.h"
#include "server/store/uploaded.h"

/* How many unused ones a person may have. */
#define UPLOADED_COUNT_MAXIMUM 100

/* The file is a name of the caller's, not a path. */
bool uploaded_is_file_name(const char *name);

struct uploaded_receive_input {
        const char *filename;
};
extern const struct field_table uploaded_receive_table;
/* Keeps the file, which is nameless and lies below the data folder; it stays the caller's to close. Blocks, with
 * `call->db` a reader. The result is {uploadId, filename, size, createdAt, expiresAt}. ERROR_PERMISSION_DENIED for who
 * may create tasks nowhere, ERROR_TOO_MANY, ERROR_STORE_FULL. */
MUST_CHECK bool uploaded_receive(struct call *call, const struct uploaded_receive_input *input, int file, int64_t size,
                                 json_t **result, struct error *error);

/* {uploads: [...]}: the caller's own that were not taken. Reads. */
MUST_CHECK bool uploaded_list(struct call *call, json_t **result, struct error *error);

struct uploaded_remove_input {
        const char *uploadId;
};
extern const struct field_table uploaded_remove_table;
/* {uploadId, removed}. Blocks. ERROR_UPLOAD_NOT_FOUND for one that is gone and for that of another alike. */
MUST_CHECK bool uploaded_remove(struct call *call, const struct uploaded_remove_input *input, json_t **result,
                                struct error *error);

/* One of the caller's. Reads. ERROR_UPLOAD_NOT_FOUND. */
MUST_CHECK bool uploaded_require(struct call *call, const char *id, struct store_uploaded *uploaded,
                                 struct error *error);
/* Gives the file a second name, below the folder of the submission that will take it. ERROR_UPLOAD_NOT_FOUND. */
MUST_CHECK bool uploaded_link(const struct services *services, const char *id, const char *path, struct error *error);
/* Removes the row in the piece of work of the submission, so that no other one takes it. ERROR_UPLOAD_NOT_FOUND when
 * one did. */
MUST_CHECK bool uploaded_take(struct call *call, const char *id, struct error *error);
/* Removes the folder of one whose row is gone. */
void uploaded_forget(const struct services *services, const char *id);
/* Removes what has expired. Blocks. */
void uploaded_expire(const struct services *services, struct store_db *db, int64_t now);

#endif
