#include "docker/runner/program/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "docker/runner/control.h"
#include "docker/runner/program/leader.h"
#include "docker/runner/program/memory.h"
#include "docker/runner/program/output.h"
#include "docker/runner/program/record.h"
#include "docker/runner/program/tree.h"
#include "server/base/clock.h"

/* Longest that the processes of a run can put off its end once they are killed. */
#define END_LIMIT_MS 5000
#define NEVER INT64_MAX

struct keeper {
        const struct keeper_task *task;
        struct output output;
        int children; /* signalfd for SIGCHLD */
        pid_t leader;
        int status; /* the leader's, once is_ended */
        bool is_ended, is_ending, is_killed;
        int64_t time_limit_at, kill_at; /* monotonic ms */
        struct runner_exit exit;
};

/* Begins the end of the run: the first reason stays, the grace can only become shorter. */
static void begin_end(struct keeper *keeper, enum runner_reason reason, int64_t grace)
{
        int64_t kill_at = clock_monotonic() + grace;

        if (keeper->is_ended)
                return;
        if (!keeper->is_ending) {
                keeper->is_ending = true;
                keeper->exit.reason = reason;
                if (grace > 0) {
                        tree_signal(SIGTERM, NULL, 0);
                        /* A halted process acts on TERM when it goes on. */
                        tree_signal(SIGCONT, NULL, 0);
                }
        }
        if (kill_at < keeper->kill_at)
                keeper->kill_at = kill_at;
}

static void take_order(struct keeper *keeper)
{
        struct keeper_order order;
        ssize_t got = read(keeper->task->orders, &order, sizeof order);

        if (got == sizeof order) {
                begin_end(keeper, order.reason, order.grace);
        } else if (got == 0) {
                if (!keeper->is_ending)
                        snprintf(keeper->exit.message, sizeof keeper->exit.message, "The runner ended before the run.");
                begin_end(keeper, RUNNER_LOST, 0);
        }
}

static void look_at_clock(struct keeper *keeper)
{
        int64_t now = clock_monotonic();

        if (now >= keeper->time_limit_at) {
                keeper->time_limit_at = NEVER;
                begin_end(keeper, RUNNER_TIME_LIMIT, keeper->task->start->grace);
        }
        if (keeper->output.failure && !keeper->is_ending) {
                snprintf(keeper->exit.message, sizeof keeper->exit.message, "The output could not be recorded: %s.",
                         strerror(keeper->output.failure));
                begin_end(keeper, RUNNER_DISK_FULL, 0);
        }
        if (now >= keeper->kill_at)
                keeper->is_killed = true;
}

static int wait_ms(const struct keeper *keeper)
{
        int64_t next = keeper->time_limit_at < keeper->kill_at ? keeper->time_limit_at : keeper->kill_at;
        int64_t rest = next - clock_monotonic();

        if (next == NEVER)
                return -1;
        return rest < 0 ? 0 : rest > 60000 ? 60000 : (int)rest;
}

static void reap(struct keeper *keeper)
{
        struct signalfd_siginfo info;
        int status;

        while (read(keeper->children, &info, sizeof info) > 0)
                ;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
                if (pid == keeper->leader) {
                        keeper->status = status;
                        keeper->is_ended = true;
                }
}

/* Records and waits until the leader has ended or everything is to be killed. */
static void watch(struct keeper *keeper)
{
        struct output_stream *streams = keeper->output.streams;

        while (!keeper->is_ended && !keeper->is_killed) {
                /* poll leaves out descriptors that are negative. */
                struct pollfd polled[] = {
                        {keeper->children, POLLIN, 0},
                        {keeper->task->orders, POLLIN, 0},
                        {streams[OUTPUT_STDOUT].pipe, POLLIN, 0},
                        {streams[OUTPUT_STDERR].pipe, POLLIN, 0},
                };
                if (poll(polled, COUNT_OF(polled), wait_ms(keeper)) < 0 && errno != EINTR)
                        break;
                for (int i = 0; i < OUTPUT_COUNT; i++)
                        if (polled[2 + i].revents)
                                output_pump(&keeper->output, i);
                if (polled[1].revents)
                        take_order(keeper);
                if (polled[0].revents)
                        reap(keeper);
                look_at_clock(keeper);
        }
}

/* Tells how the run ended, unless that was decided by whoever ended it. */
static void judge(struct keeper *keeper)
{
        struct runner_exit *exit = &keeper->exit;
        bool has_exited = keeper->is_ended && WIFEXITED(keeper->status);

        exit->code = has_exited ? WEXITSTATUS(keeper->status) : -1;
        exit->signal = keeper->is_ended && WIFSIGNALED(keeper->status) ? WTERMSIG(keeper->status) : 0;
        if (keeper->is_ending)
                return;
        if (keeper->output.failure) {
                exit->reason = RUNNER_DISK_FULL;
                snprintf(exit->message, sizeof exit->message, "The end of the output could not be recorded: %s.",
                         strerror(keeper->output.failure));
        } else if (exit->oom_kills > 0 && exit->code != 0) {
                exit->reason = RUNNER_OUT_OF_MEMORY;
                snprintf(exit->message, sizeof exit->message,
                         "The container ran out of memory; the kernel killed %lld of its processes.",
                         (long long)exit->oom_kills);
        } else {
                exit->reason = has_exited ? RUNNER_EXITED : RUNNER_SIGNALED;
        }
}

static void finish(struct keeper *keeper, int64_t oom_before)
{
        struct runner_exit *exit = &keeper->exit;

        if (!tree_end((uid_t)keeper->task->start->uid, keeper->leader, &keeper->status, &keeper->is_ended,
                      END_LIMIT_MS))
                snprintf(exit->message, sizeof exit->message, "Some processes of the run could not be ended.");
        output_drain(&keeper->output);
        output_sync(&keeper->output);
        exit->oom_kills = memory_oom_kills_since(keeper->task->cgroup, oom_before);
        judge(keeper);
        exit->output_bytes = keeper->output.streams[OUTPUT_STDOUT].bytes;
        exit->error_bytes = keeper->output.streams[OUTPUT_STDERR].bytes;
}

static int fail_launch(struct keeper *keeper, const struct error *error)
{
        keeper->exit.reason = error->code == ERROR_STORE_FULL ? RUNNER_DISK_FULL : RUNNER_LAUNCH_FAILURE;
        snprintf(keeper->exit.message, sizeof keeper->exit.message, "%.500s", error->message);
        keeper->exit.finished_at = clock_now();
        return record_write(keeper->task->control, &keeper->exit) ? 0 : 1;
}

static bool open_prompt(const struct keeper_task *task, int *prompt, struct error *error)
{
        if (!task->start->prompt)
                return true;
        auto_free char *path = control_path_prompt(task->control, task->start->prompt);
        *prompt = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        return *prompt >= 0 || error_set(error, ERROR_INTERNAL, "The prompt %.200s could not be opened: %s.",
                                         task->start->prompt, strerror(errno));
}

static bool launch(struct keeper *keeper, struct error *error)
{
        const struct runner_start *start = keeper->task->start;
        bool is_on_stdin = start->prompt && start->prompt_on == RUNNER_PROMPT_ON_STDIN;
        int ends[OUTPUT_COUNT] = {-1, -1}, prompt = -1;

        if (!output_open(&keeper->output, keeper->task->records, start, ends, error) ||
            !open_prompt(keeper->task, &prompt, error))
                return false;
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        keeper->leader = leader_start(start, is_on_stdin ? prompt : nothing, ends[OUTPUT_STDOUT], ends[OUTPUT_STDERR],
                                      is_on_stdin ? -1 : prompt, error);
        const int used[] = {ends[OUTPUT_STDOUT], ends[OUTPUT_STDERR], prompt, nothing};
        for (size_t i = 0; i < COUNT_OF(used); i++)
                if (used[i] >= 0)
                        close(used[i]);
        return keeper->leader > 0;
}

int keeper_run(const struct keeper_task *task)
{
        struct keeper keeper = {.task = task, .time_limit_at = NEVER, .kill_at = NEVER};
        int64_t oom_before = memory_oom_kills(task->cgroup);
        auto_error error = {0};
        sigset_t child;

        memcpy(keeper.exit.run, task->start->run, sizeof keeper.exit.run);
        keeper.exit.code = -1;
        keeper.exit.started_at = clock_now();
        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        keeper.children = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
        if (keeper.children < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) {
                error_set(&error, ERROR_INTERNAL, "The run's keeper could not be set up: %s.", strerror(errno));
                return fail_launch(&keeper, &error);
        }
        if (!launch(&keeper, &error))
                return fail_launch(&keeper, &error);
        keeper.exit.started_at = clock_now();
        if (task->start->time_limit)
                keeper.time_limit_at = clock_monotonic() + task->start->time_limit;
        watch(&keeper);
        finish(&keeper, oom_before);
        keeper.exit.finished_at = clock_now();
        return record_write(task->control, &keeper.exit) ? 0 : 1;
}
