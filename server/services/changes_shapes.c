#include "server/services/changes_shapes.h"

#define STATUS_ROWS                                                                                                    \
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),                                          \
                OUT_STRING("status", .is_required = true, .help = "available, empty or unavailable."),                 \
                OUT_STRING("reason", .is_nullable = true, .help = "Why it is unavailable, a fixed word.")
#define PAGE_ROWS                                                                                                      \
        OUT_INTEGER("total", .help = "How many there are in all."),                                                    \
                OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null on the last."),  \
                OUT_BOOLEAN("pageBounded", .help = "Whether the page is shorter than asked for, to stay small.")
#define LINE_ROWS                                                                                                      \
        OUT_INTEGER("additions", .is_nullable = true, .help = "Lines added; null when that is not known."),            \
                OUT_INTEGER("deletions", .is_nullable = true, .help = "Lines removed; null when that is not known.")
#define REDACTED_ROW OUT_BOOLEAN("redacted", .help = "Whether something in it was replaced by [redacted].")

static const struct field file_rows[] = {
        OUT_STRING("repository", .help = "Repository that the file is in."),
        OUT_STRING("filePath", .is_required = true, .help = "Path in the repository."),
        OUT_STRING("oldPath", .help = "Path that it had before, where it was renamed."),
        OUT_STRING("status", .is_required = true, .help = "added, modified, deleted, renamed or type_changed."),
        LINE_ROWS,
        OUT_BOOLEAN("binary", .help = "Whether its content is no text."),
        OUT_STRING("omitted", .help = "too_large when its content is not compared; not_saved when it is not here."),
        REDACTED_ROW,
};
static const struct field_table file_shape = OUTPUT_TABLE("changed file", file_rows);

static const struct field repository_rows[] = {
        OUT_STRING("repository", .is_required = true, .help = "Name of the repository."),
        OUT_STRING("status", .is_required = true, .help = "available, empty when nothing changed, or unavailable."),
        OUT_STRING("reason", .is_nullable = true,
                   .help = "missing, broken, too_large, refused, beginning_unknown, disk_full, not_finished or "
                           "container_not_running."),
        OUT_INTEGER("files", .is_nullable = true, .help = "Changed files."),
        LINE_ROWS,
        OUT_BOOLEAN("incomplete", .help = "Whether there may be changes that are not listed."),
};
static const struct field_table repository_shape = OUTPUT_TABLE("changed repository", repository_rows);

static const struct field list_rows[] = {
        STATUS_ROWS,
        OUT_INTEGER("turn", .is_nullable = true, .help = "Turn at whose end the changes were saved."),
        OUT_BOOLEAN("incomplete", .help = "Whether there may be changes that are not listed."),
        OUT_OBJECTS("repositories", repository_shape, .help = "The repositories that were saved."),
        OUT_OBJECTS("files", file_shape, .is_required = true, .help = "By repository and path."),
        PAGE_ROWS,
};
const struct field_table changes_list_shape = OUTPUT_TABLE("changed files", list_rows);

static const struct field diff_rows[] = {
        STATUS_ROWS,
        OUT_STRING("repository", .help = "The repository."),
        OUT_STRING("filePath", .help = "The file."),
        OUT_STRING("oldPath", .help = "Path that it had before, where it was renamed."),
        OUT_STRING("fileStatus", .help = "added, modified, deleted, renamed or type_changed."),
        OUT_INTEGER("turn", .is_nullable = true, .help = "Turn at whose end it was saved."),
        LINE_ROWS,
        OUT_BOOLEAN("binary", .help = "Its content is no text and is left out."),
        OUT_BOOLEAN("omitted", .help = "Its diff is left out, as `reason` says."),
        OUT_STRING("diff", .is_nullable = true, .help = "The file's header and hunks, as git writes them."),
        OUT_BOOLEAN("truncated", .help = "Whether a hunk, or the header, was too large for the page and is cut."),
        OUT_INTEGER("hunks", .help = "Hunks of the whole diff."),
        OUT_INTEGER("hunkOffset", .help = "First hunk of this page, from 0."),
        OUT_INTEGER("nextHunkOffset", .is_nullable = true, .help = "First hunk of the next page, null at the end."),
        REDACTED_ROW,
};
const struct field_table changes_diff_shape = OUTPUT_TABLE("file diff", diff_rows);

static const struct field branches_rows[] = {
        OUT_STRING("current", .is_nullable = true, .help = "Branch that was checked out when the turn ended."),
        OUT_STRING("launch", .is_nullable = true, .help = "Branch that the task began with; null: the default one."),
        OUT_STRING("pushTarget", .is_nullable = true, .help = "Branch that an approval would push to."),
        OUT_STRING("protection", .help = "For who may approve: unknown, for it is looked up when something is pushed."),
        OUT_STRING("suggestedNewBranch", .help = "For who may approve: a branch of the task's own to push to."),
};
static const struct field_table branches_shape = OUTPUT_TABLE("branches", branches_rows);

static const struct field review_repository_rows[] = {
        OUT_STRING("repository", .is_required = true, .help = "Name of the repository."),
        OUT_STRING("status", .is_required = true, .help = "available or unavailable."),
        OUT_STRING("reason", .is_nullable = true, .help = "Why it is unavailable, a fixed word."),
        OUT_STRING("fingerprint", .is_required = true, .help = "The same as long as its saved changes are."),
        OUT_INTEGER("fileCount", .is_nullable = true, .help = "Changed files."),
        LINE_ROWS,
        OUT_BOOLEAN("incomplete", .help = "Whether there may be changes that are not listed."),
        OUT_OBJECTS("files", file_shape, .is_required = true, .help = "Of them, at most 50."),
        OUT_INTEGER("filesOmitted", .help = "How many more there are."),
        OUT_OBJECT("branches", branches_shape, .help = "The branches of an approval."),
};
static const struct field_table review_repository_shape = OUTPUT_TABLE("repository to review", review_repository_rows);

static const struct field approval_reason_rows[] = {
        OUT_STRING("code", .is_required = true, .help = "A fixed word."),
        OUT_STRING("explanation", .is_required = true, .help = "The same in a sentence."),
};
static const struct field_table approval_reason_shape = OUTPUT_TABLE("reason", approval_reason_rows);

static const struct field approval_rows[] = {
        OUT_BOOLEAN("canApproveNow", .is_required = true, .help = "Whether nothing is in the way."),
        OUT_BOOLEAN("mayApprove", .is_required = true, .help = "Whether you have the permission."),
        OUT_OBJECTS("reasons", approval_reason_shape, .is_required = true, .help = "What is in the way."),
};
static const struct field_table approval_shape = OUTPUT_TABLE("approval", approval_rows);

static const struct field revision_rows[] = {
        OUT_INTEGER("turn", .is_nullable = true, .help = "Turn at whose end the changes were saved."),
        OUT_MAP("fingerprints", .help = "One for each changed repository."),
};
static const struct field_table revision_shape = OUTPUT_TABLE("revision", revision_rows);

static const struct field review_rows[] = {
        STATUS_ROWS,
        OUT_STRING("taskStatus", .help = "What the task does now."),
        OUT_OBJECT("revision", revision_shape, .is_required = true, .help = "What the summary is of."),
        OUT_OBJECTS("repositories", review_repository_shape, .is_required = true,
                    .help = "Those that changed, at most 10."),
        OUT_INTEGER("repositoriesOmitted", .help = "How many more changed."),
        OUT_INTEGER("repositoriesUnnamed", .help = "How many changed whose names cannot be shown exactly."),
        OUT_INTEGER("filesOmitted", .help = "Files of the repositories here that are not listed."),
        OUT_OBJECT("approval", approval_shape, .is_required = true, .help = "Whether it can be approved now."),
};
const struct field_table review_shape = OUTPUT_TABLE("review summary", review_rows);

static const struct field author_rows[] = {
        OUT_STRING("id", .is_nullable = true, .help = "Stable id of the user."),
        OUT_STRING("name", .is_nullable = true, .help = "Name of the user."),
};
static const struct field_table author_shape = OUTPUT_TABLE("author", author_rows);

static const struct field comment_rows[] = {
        OUT_STRING("commentId", .is_required = true, .help = "Id of the comment."),
        OUT_OBJECT("author", author_shape, .is_nullable = true, .help = "Who wrote it; null when they are gone."),
        OUT_STRING("createdAt", .is_required = true, .format = "date-time", .help = "When it was written."),
        OUT_STRING("updatedAt", .is_nullable = true, .format = "date-time", .help = "When it was edited last."),
        OUT_STRING("body", .is_required = true, .help = "Its text."),
        OUT_BOOLEAN("truncated", .help = "Whether the text goes on."),
        OUT_STRINGS("mentions", .help = "Names with an @ in it, as they are written."),
        OUT_BOOLEAN("editable", .help = "Whether it is yours to edit and delete."),
        REDACTED_ROW,
};
const struct field_table comment_shape = OUTPUT_TABLE("comment", comment_rows);

static const struct field comment_list_rows[] = {
        STATUS_ROWS,
        OUT_OBJECTS("comments", comment_shape, .is_required = true, .help = "Oldest first."),
        PAGE_ROWS,
};
const struct field_table comment_list_shape = OUTPUT_TABLE("comments", comment_list_rows);
