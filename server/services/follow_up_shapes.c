#include "server/services/follow_up_shapes.h"

static const struct field sender_rows[] = {
        OUT_STRING("id", .is_nullable = true, .help = "Stable id of the user."),
        OUT_STRING("name", .is_nullable = true, .help = "Name of the user."),
};
static const struct field_table sender_shape = OUTPUT_TABLE("sender", sender_rows);

static const struct field entry_rows[] = {
        OUT_STRING("entryId", .is_required = true, .help = "Id of the entry."),
        OUT_STRING("state", .is_required = true, .help = "queued or scheduled."),
        OUT_INTEGER("position", .is_nullable = true, .help = "Place in the list, from 1."),
        OUT_INTEGER("version", .is_required = true, .help = "Grows with every change of the entry."),
        OUT_INTEGER("turn", .is_nullable = true,
                    .help = "Turn of the conversation that it will be part of; null for a scheduled one."),
        OUT_STRING("kind", .help = "follow_up, scheduled or auto."),
        OUT_OBJECT("sender", sender_shape, .is_nullable = true, .help = "Who sent it."),
        OUT_STRING("fromTaskId", .help = "Task whose agent sent it."),
        OUT_BOOLEAN("paused", .help = "Whether it is held back."),
        OUT_BOOLEAN("editable", .help = "Whether you may edit it."),
        OUT_BOOLEAN("removable", .help = "Whether you may remove it."),
        OUT_STRING("preview", .help = "Beginning of its text."),
        OUT_BOOLEAN("redacted", .help = "Whether something in that was replaced by [redacted]."),
        OUT_INTEGER("attachments", .help = "Files that come with it."),
        OUT_BOOLEAN("pullLatest", .help = "Whether upstream changes are pulled before it is delivered."),
        OUT_STRING("submittedAt", .is_nullable = true, .format = "date-time", .help = "When it was sent."),
        OUT_STRING("deliverAt", .format = "date-time", .help = "When it is or was due, if it was scheduled."),
};
const struct field_table queue_entry_shape = OUTPUT_TABLE("queue entry", entry_rows);

static const struct field queue_rows[] = {
        OUT_STRING("taskId", .is_required = true, .help = "Id of the task."),
        OUT_STRING("status", .is_required = true, .help = "available, empty when nothing waits, or unavailable."),
        OUT_STRING("reason", .help = "Why it is unavailable."),
        OUT_STRING("taskStatus", .help = "What the task does now."),
        OUT_BOOLEAN("paused", .is_required = true, .help = "Whether queued follow-ups are held back."),
        OUT_STRING("pauseReason", .help = "stopped, interrupted, turn_failed, turn_interrupted, sender_denied, "
                                          "pull_conflict, pull_failed or restored."),
        OUT_STRING("pauseMessage", .is_nullable = true, .help = "The same in words."),
        OUT_STRING("pausedBy", .is_nullable = true, .help = "Who ended the turn, when somebody did."),
        OUT_STRING("pausedAt", .is_nullable = true, .format = "date-time", .help = "Since when."),
        OUT_ANY("pauseDetails", .help = "More about the reason: the results of a pull."),
        OUT_OBJECTS("entries", queue_entry_shape, .is_required = true, .help = "Queued ones first."),
        OUT_INTEGER("total", .help = "How many wait in all."),
        OUT_INTEGER("nextOffset", .is_nullable = true, .help = "Offset of the next page, null on the last."),
};
const struct field_table queue_shape = OUTPUT_TABLE("follow-up queue", queue_rows);
