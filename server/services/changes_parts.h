/* Internal to the readers of saved changes. */
#ifndef SERVICES_CHANGES_PARTS_H
#define SERVICES_CHANGES_PARTS_H

#include "git/repository.h"
#include "server/base/text.h"
#include "server/services/setting.h"
#include "server/store/saved_change.h"

#define CHANGES_FINGERPRINT_SIZE 33

/* DATA/changes/TASK, and the task's own repository in it; heap strings. */
char *changes_path(const char *data_folder, const char *task_id);
char *changes_path_repository(const char *data_folder, const char *task_id, const char *repository);

/* What workers that read or take up changes may use. */
struct repository_limits changes_limits(void);
/* Whether something is changed, or is not known not to be. */
bool changes_is_any(const struct store_saved_change *change);
/* Appends what of a repository's changes is told apart, and makes the fingerprint of such texts. */
void changes_append_state(const struct store_saved_change *change, struct text *text);
void changes_hash(const struct text *text, char fingerprint[CHANGES_FINGERPRINT_SIZE]);

#endif
