/* Services of groups and pins that nothing here calls into: they tell what they were given. */
#include "server/services/group.h"
#include "server/services/pin.h"
#include "tests/mcp/stub.h"

#define ECHO(name, type, member)                                                                                       \
        bool name(struct call *call, const struct type *input, json_t **result, struct error *error)                   \
        {                                                                                                              \
                (void)call, (void)error;                                                                               \
                *result = json_pack("{s:s*}", #member, input->member);                                                 \
                return true;                                                                                           \
        }

ECHO(group_list, group_list_input, status)
ECHO(group_get, group_get_input, groupId)
ECHO(group_rename, group_rename_input, groupId)
ECHO(task_set_winner, task_mark_input, taskId)
ECHO(task_set_loser, task_mark_input, taskId)
ECHO(task_set_pinned, task_pin_input, taskId)
ECHO(group_set_pinned, group_pin_input, groupIds.items[0])
ECHO(task_set_snooze, snooze_input, until)
ECHO(group_set_snooze, snooze_input, until)
