/* Where a task's files lie in the data folder, and what the container sees of them. Heap strings. */
#ifndef SERVICES_TASK_PATHS_H
#define SERVICES_TASK_PATHS_H

#include <stdint.h>

#include "server/base/text.h"

/* In the container. */
#define CONTAINER_WORKSPACE "/workspace"
#define CONTAINER_OUTPUT "/task-output"
#define CONTAINER_CONTROL "/longshore/control"
#define CONTAINER_RECORDS "/longshore/records"
#define CONTAINER_RUNNER "/longshore/runner"

/* Names of our own records; readers lay them over the agent's files. */
#define RECORD_LOG "log.txt"
#define RECORD_EVENTS "debug-stream.jsonl"
#define RECORD_EVENTS_PLACE "debug-stream.place"
#define RECORD_INSTRUCTIONS "task-instructions.md"

/* TASK/workspace: one folder a repository; given to the agent's uid. */
char *task_path_workspace(const char *data_folder, const char *task_id);
/* TASK/output: /task-output, written by the agent. */
char *task_path_output(const char *data_folder, const char *task_id);
/* TASK/control: the runner's control folder, never the agent's. */
char *task_path_control(const char *data_folder, const char *task_id);
/* TASK/secrets: the file secrets of the turn that runs; the container sees them and cannot write. */
char *task_path_secrets(const char *data_folder, const char *task_id);
/* TASK/home: the agent's home, where it keeps its conversations. */
char *task_path_home(const char *data_folder, const char *task_id);
/* The task's own folder, which holds all of these. */
char *task_path_folder(const char *data_folder, const char *task_id);
/* The records: they outlive container and workspace. */
char *task_path_records(const char *data_folder, const char *task_id);
char *task_path_mirrors(const char *data_folder);

/* Relative to the records: the exact bytes of a turn's output and error streams. */
char *turn_path_output(int64_t ordinal);
char *turn_path_errors(int64_t ordinal);
/* The run id of a turn, "turn-3". */
#define TURN_RUN_PREFIX "turn-"
char *turn_run_id(int64_t ordinal);

#endif
