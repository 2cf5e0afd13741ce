#include "mcp/tool.h"

#include <string.h>

#include "mcp/more.h"
#include "mcp/tools/tools.h"

const struct tool *const mcp_tools[] = {
        &tool_list_environments,
        &tool_list_templates,
        &tool_create_task,
        &tool_get_task,
        &tool_get_task_output,
        &tool_read_task_file,
        &tool_list_tasks,
        &tool_follow_up_task,
        &tool_fork_task,
        &tool_pull_task_changes,
        &tool_list_task_follow_up_queue,
        &tool_list_task_rewind_points,
        &tool_list_task_comments,
        &tool_list_task_changed_files,
        &tool_read_task_diff,
        &tool_get_task_review_summary,
        &tool_resume_task_follow_up_queue,
        &tool_list_task_tests,
        &tool_run_task_test,
        &tool_get_task_test_run,
        &tool_get_task_app_server_status,
        &tool_get_task_app_server_logs,
        &tool_start_task_app_server,
        &tool_stop_task_app_server,
        &tool_restart_task_app_server,
        &tool_rename_task,
        &tool_list_task_groups,
        &tool_get_task_group,
        &tool_create_judge_task,
        &tool_list_pending_judge_requests,
        &tool_cancel_pending_judge_request,
        &tool_rename_group,
        &tool_set_task_pinned,
        &tool_set_group_pinned,
        &tool_set_task_snooze,
        &tool_set_group_snooze,
        &tool_set_task_winner,
        &tool_set_task_loser,
        &tool_stop_task,
        &tool_interrupt_task,
};
const size_t mcp_tool_count = COUNT_OF(mcp_tools);

size_t tool_count(void)
{
        return mcp_tool_count + mcp_more.tool_count;
}

const struct tool *tool_at(size_t index)
{
        return index < mcp_tool_count ? mcp_tools[index] : mcp_more.tools[index - mcp_tool_count];
}

const struct tool *tool_find(const char *name)
{
        for (size_t i = 0; i < tool_count(); i++)
                if (!strcmp(tool_at(i)->name, name))
                        return tool_at(i);
        return NULL;
}
