/* Backup and restore: one tar file that holds the store, the setup folder, the records and config.json.
 *
 * The store's copy is of one instant. The other files are read after it, so that the records of every turn that the
 * copied store knows as ended are whole; those of a turn that runs meanwhile may hold more than the store knows, and a
 * restored server ends such turns when it first starts.
 *
 * What is restored is a store of its own: the original may still run, on the same engine. It has another id, so that
 * the original's containers are not its own; whatever derives from other things than the id (keys, sealed values,
 * grants, receipts, cursors) is as it was. */
#ifndef SERVICES_BACKUP_H
#define SERVICES_BACKUP_H

#include "server/base/field.h"
#include "server/services/services.h"

struct backup_input {
        const char *file;
        bool withKey;
};
extern const struct field_table backup_table;
/* {file, bytes, contents}. The file (mode 0600) is there whole or not at all; one that exists is never replaced. Blocks
 * while it copies. For a server administrator only. */
MUST_CHECK bool backup_run(struct call *call, const struct backup_input *input, json_t **result, struct error *error);

/* Removes what a backup left in the data folder whose process was killed: a copy of the store. Only under the folder's
 * lock, where no backup runs. */
void backup_clean(const char *data_folder);

struct restore_input {
        const char *file;
};
extern const struct field_table restore_table;
/* Makes the data folder from a backup: all or nothing, and only when it does not exist or is empty. ERROR_CONFLICT when
 * it is not. *old_id is the id of the original, which its containers carry, NULL when it had made none; the caller
 * frees it. */
MUST_CHECK bool backup_restore(const char *data_folder, const char *file, char **old_id, struct error *error);

#endif
