#include "server/services/environment.h"

#include <string.h>

#include "server/services/environment_file.h"
#include "server/services/model.h"
#include "server/services/secret_value.h"
#include "server/services/task.h"

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static bool is_repository_name(const char *name)
{
        return *name && !name[strspn(name, NAME_LETTERS "._-")] && strcmp(name, ".") && strcmp(name, "..") &&
               strcmp(name, ".git");
}

/* POSIX.1-2017, XBD 8.1, in either case. */
static bool is_variable_name(const char *name)
{
        return *name && !strchr("0123456789", *name) && !name[strspn(name, NAME_LETTERS "_")];
}

static bool is_image(const char *image)
{
        for (const char *at = image; *at; at++)
                if (*at <= ' ' || *at > '~')
                        return false;
        return *image != '-';
}

static const char *const statuses[] = {"active", "disabled", NULL};
static const char *const networks[] = {"bridge", "none", "host", NULL};

static const struct field repository_rows[] = {
        STRING_FIELD(struct environment_repository, name, .minimum = 1, .maximum = 100, .is_valid = is_repository_name,
                     .shape = "a plain folder name of letters, digits, dots, hyphens and underscores",
                     .help = "Folder below /workspace; by default the last part of the URL without .git."),
        STRING_FIELD(struct environment_repository, url, .is_required = true, .minimum = 1, .maximum = 2048,
                     .help = "Address of the git remote, without credentials."),
        STRING_FIELD(struct environment_repository, branch, .minimum = 1, .maximum = 255,
                     .help = "Branch to start from; by default the remote's own default branch."),
        BOOLEAN_FIELD(struct environment_repository, readOnly,
                      .help = "Whether the agent may only read it: its changes are never taken."),
        BOOLEAN_FIELD(struct environment_repository, locked, .help = "Whether a task may not choose another branch."),
};
static const struct field_table repository_table = FIELD_TABLE(struct environment_repository, repository_rows);

static const struct field limits_rows[] = {
        INTEGER_FIELD(struct environment_limits, memoryMb, .minimum = 64, .maximum = 1048576, .preset = 4096,
                      .help = "Memory of a task's container in MiB, without swap."),
        INTEGER_FIELD(struct environment_limits, cpusPercent, .minimum = 10, .maximum = 6400, .preset = 200,
                      .help = "Processor time in percent; 100 is one processor."),
        INTEGER_FIELD(struct environment_limits, pids, .minimum = 16, .maximum = 65536, .preset = 512,
                      .help = "Processes and threads at once."),
        INTEGER_FIELD(struct environment_limits, fileSizeMb, .maximum = 1048576,
                      .help = "Largest file that an agent may write, in MiB; 0 for no limit."),
        INTEGER_FIELD(struct environment_limits, turnMinutes, .minimum = 1, .maximum = 10080, .preset = 120,
                      .help = "Longest duration of a turn in minutes."),
};
static const struct field_table limits_table = FIELD_TABLE(struct environment_limits, limits_rows);

static const struct field secret_rows[] = {
        STRING_FIELD(struct environment_secret, name, .is_required = true, .minimum = 1, .maximum = SECRET_NAME_MAXIMUM,
                     .is_valid = secret_name_is_valid, .shape = SECRET_NAME_SHAPE,
                     .help = "Name of a secret of this environment, or of the task's owner."),
        STRING_FIELD(
                struct environment_secret, as, .choices = secret_ways,
                .help = "Whether a task gets it as an environment variable or as a file; by default as it was set."),
        STRING_FIELD(struct environment_secret, path, .minimum = 1, .maximum = 200, .is_valid = secret_path_is_valid,
                     .shape = SECRET_PATH_SHAPE, .help = "Where a file stands below /longshore/secrets."),
};
static const struct field_table secret_table = FIELD_TABLE(struct environment_secret, secret_rows);

static const struct field rows[] = {
        STRING_FIELD(struct environment_file, description, .maximum = 2000, .help = "What the environment is for."),
        STRING_FIELD(struct environment_file, status, .choices = statuses, .text_preset = "active",
                     .help = "A disabled environment starts no tasks."),
        STRING_FIELD(struct environment_file, image, .minimum = 1, .maximum = 255, .is_valid = is_image,
                     .shape = "the name of an image", .text_preset = "longshore/task:1",
                     .help = "Docker image of a task's container."),
        STRING_FIELD(struct environment_file, defaultAgent, .choices = task_agents, .text_preset = "shell",
                     .help = "Agent of a task that names none."),
        OBJECTS_FIELD(struct environment_file, repositories, repository_table, .maximum = 100,
                      .help = "Git repositories that a task's workspace holds."),
        OBJECT_FIELD(struct environment_file, limits, struct environment_limits, limits_table,
                     .help = "What a task's container may use."),
        STRING_FIELD(struct environment_file, network, .choices = networks, .text_preset = "bridge",
                     .help = "Network of a task's container."),
        MAP_FIELD(struct environment_file, environment, .maximum = 1000, .is_valid = is_variable_name,
                  .shape = "letters, digits and underscores, and not begin with a digit",
                  .help = "Environment variables of the agent's process."),
        OBJECTS_FIELD(struct environment_file, secrets, secret_table, .maximum = 200,
                      .help = "Secrets that a task gets when a value is set for them; values never stand here."),
        STRING_FIELD(struct environment_file, codexSpeed, .choices = model_speeds, .text_preset = "ultrafast",
                     .help = "The fastest speed that a Codex task may choose here, within the server's CODEX_SPEED."),
        BOOLEAN_FIELD(struct environment_file, shareTasks, .preset = true,
                      .help = "Whether new tasks are shared with everybody who may view tasks here."),
};
const struct field_table environment_table = FIELD_TABLE(struct environment_file, rows);

bool environment_name_is_allowed(const char *name)
{
        return *name && strchr(NAME_LETTERS, *name) && strlen(name) <= ENVIRONMENT_NAME_MAXIMUM &&
               !name[strspn(name, NAME_LETTERS "._-")];
}
