/* Pins and snoozes: what each person keeps on a list of one's own. A task's own pin is its creator's. Changes reach
 * only the caller's list; every answer tells what was before, and the version of each pin that was written. */
#ifndef SERVICES_PIN_H
#define SERVICES_PIN_H

#include "server/services/services.h"
#include "server/base/field.h"

#define PIN_GROUPS_MAXIMUM 100

struct task_pin_input {
        const char *taskId;
        bool pinned;
};
/* Pins or unpins a task; with a grouped one its group's reviews are unpinned. Writes. {taskId, pinned, affectedTaskIds,
 * previousPinStates, previousPinSnoozedUntil, pinSnoozeVersionByTaskId, orphanedObjectives, task}. */
MUST_CHECK bool task_set_pinned(struct call *call, const struct task_pin_input *input, json_t **result,
                                struct error *error);

struct group_pin_input {
        struct field_strings groupIds;
        bool pinned;
};
/* The same for all tasks of groups; one group that is not there or not to be changed refuses all. Writes. {pinned,
 * groups: [{groupId, taskIds, previousPinStates, previousPinSnoozedUntil, pinSnoozeVersionByTaskId}],
 * orphanedObjectives}. */
MUST_CHECK bool group_set_pinned(struct call *call, const struct group_pin_input *input, json_t **result,
                                 struct error *error);

struct snooze_input {
        const char *taskId, *groupId;
        const char *until;        /* a time; NULL when absent or null, which what was sent tells apart */
        int64_t snoozeForMinutes; /* 0 when absent */
};
/* Puts pinned tasks aside until a time, or wakes them: a task with all of its group that is pinned. Write.
 * ERROR_NOT_PINNED, ERROR_PERMISSION_DENIED unless every task of the group may be changed. {taskId or groupId,
 * isSnoozed, pinSnoozedUntil, snoozedForMe, pinSnoozedUntilForMe, affectedTaskIds, previousPinSnoozedUntil,
 * pinSnoozeVersionByTaskId}. */
MUST_CHECK bool task_set_snooze(struct call *call, const struct snooze_input *input, json_t **result,
                                struct error *error);
MUST_CHECK bool group_set_snooze(struct call *call, const struct snooze_input *input, json_t **result,
                                 struct error *error);

#endif
