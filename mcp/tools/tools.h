/* The tools, one file each. */
#ifndef MCP_TOOLS_TOOLS_H
#define MCP_TOOLS_TOOLS_H

#include "mcp/tool.h"

extern const struct tool tool_list_environments;
extern const struct tool tool_list_templates;
extern const struct tool tool_create_task;
extern const struct tool tool_get_task;
extern const struct tool tool_get_task_output;
extern const struct tool tool_read_task_file;
extern const struct tool tool_list_tasks;
extern const struct tool tool_follow_up_task;
extern const struct tool tool_fork_task;
extern const struct tool tool_pull_task_changes;
extern const struct tool tool_list_task_follow_up_queue;
extern const struct tool tool_list_task_rewind_points;
extern const struct tool tool_list_task_comments;
extern const struct tool tool_list_task_changed_files;
extern const struct tool tool_read_task_diff;
extern const struct tool tool_get_task_review_summary;
extern const struct tool tool_resume_task_follow_up_queue;
extern const struct tool tool_list_task_tests;
extern const struct tool tool_run_task_test;
extern const struct tool tool_get_task_test_run;
extern const struct tool tool_get_task_app_server_status;
extern const struct tool tool_get_task_app_server_logs;
extern const struct tool tool_start_task_app_server;
extern const struct tool tool_stop_task_app_server;
extern const struct tool tool_restart_task_app_server;
extern const struct tool tool_rename_task;
extern const struct tool tool_list_task_groups;
extern const struct tool tool_get_task_group;
extern const struct tool tool_create_judge_task;
extern const struct tool tool_list_pending_judge_requests;
extern const struct tool tool_cancel_pending_judge_request;
extern const struct tool tool_rename_group;
extern const struct tool tool_set_task_pinned;
extern const struct tool tool_set_group_pinned;
extern const struct tool tool_set_task_snooze;
extern const struct tool tool_set_group_snooze;
extern const struct tool tool_set_task_winner;
extern const struct tool tool_set_task_loser;
extern const struct tool tool_stop_task;
extern const struct tool tool_interrupt_task;

#endif
