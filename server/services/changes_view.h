/* Reading saved changes: lists, one file's diff, and the summary for a review. Every text is redacted before it is cut.
 * Nothing of the workspace is read. */
#ifndef SERVICES_CHANGES_VIEW_H
#define SERVICES_CHANGES_VIEW_H

#include "server/services/services.h"

/* Characters of one page of a list; what would be more comes on the next. */
#define PANEL_PAGE_CHARACTERS 60000

struct changes_list_input {
        const char *taskId, *repository;
        int64_t offset, limit;
};
/* {taskId, status: available|empty|unavailable, reason, turn, incomplete, repositories, files, total, nextOffset,
 * pageBounded}. ERROR_TASK_NOT_FOUND, ERROR_CONTENT_WITHHELD; ERROR_NOT_FOUND for a repository that nothing was saved
 * of. Reads files. */
MUST_CHECK bool changes_list(struct call *call, const struct changes_list_input *input, json_t **result,
                             struct error *error);

struct changes_read_input {
        const char *taskId, *repository, *filePath;
        int64_t maxChars, hunkOffset;
};
/* One file's diff, hunk by hunk, each page with the file's header. ERROR_NOT_FOUND when the file is not among the
 * changed ones. Runs a worker. */
MUST_CHECK bool changes_read(struct call *call, const struct changes_read_input *input, json_t **result,
                             struct error *error);

struct review_summary_input {
        const char *taskId;
};
/* What a person who is to decide on a task needs to know of it: the revision, what changed, the branches, and what is
 * in the way of an approval. Reads files. */
MUST_CHECK bool review_summary(struct call *call, const struct review_summary_input *input, json_t **result,
                               struct error *error);

/* Whether the error says that the values to be redacted cannot be told: the read has the status unavailable then. */
bool panel_is_unreadable(const struct error *error);

#endif
