#include "docker/runner/program/runs.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "docker/runner/program/keeper.h"
#include "docker/runner/program/memory.h"
#include "docker/runner/program/record.h"
#include "docker/runner/program/tree.h"
#include "server/base/clock.h"

/* How long orphans of a lost keeper can put off its record. */
#define ORPHAN_LIMIT_MS 5000

struct run *runs_find(struct runs *runs, const char *id)
{
        for (int i = 0; i < RUNS_MAXIMUM; i++)
                if (runs->items[i].is_used && !strcmp(runs->items[i].exit.run, id))
                        return &runs->items[i];
        return NULL;
}

struct run *runs_add(struct runs *runs, const char *id)
{
        for (int i = 0; i < RUNS_MAXIMUM; i++) {
                struct run *run = &runs->items[i];
                if (run->is_used)
                        continue;
                *run = (struct run){.is_used = true, .orders = -1};
                snprintf(run->exit.run, sizeof run->exit.run, "%s", id);
                run->exit.code = -1;
                run->exit.started_at = clock_now();
                run->oom_before = memory_oom_kills(runs->folders->cgroup);
                return run;
        }
        return NULL;
}

bool runs_are_any(const struct runs *runs)
{
        for (int i = 0; i < RUNS_MAXIMUM; i++)
                if (runs->items[i].is_used)
                        return true;
        return false;
}

void runs_owe(struct run *run, enum runner_reason reason, const char *message)
{
        run->keeper = 0;
        run->exit.reason = reason;
        snprintf(run->exit.message, sizeof run->exit.message, "%.*s", RUNNER_MESSAGE_SIZE - 1, message);
        run->owed_since = clock_monotonic();
        if (run->orders >= 0)
                close(take_fd(&run->orders));
}

/* Kills what lost its keeper and came to us: every child that is not a keeper. Returns how many are left. */
static int kill_orphans(const struct runs *runs)
{
        pid_t keepers[RUNS_MAXIMUM];
        int count = 0;

        for (int i = 0; i < RUNS_MAXIMUM; i++)
                if (runs->items[i].is_used && runs->items[i].keeper > 0)
                        keepers[count++] = runs->items[i].keeper;
        return tree_signal(SIGKILL, keepers, count);
}

static bool settle_one(const struct runner_folders *folders, struct run *run)
{
        run->exit.finished_at = clock_now();
        run->exit.oom_kills = memory_oom_kills_since(folders->cgroup, run->oom_before);
        if (!record_exists(folders->control, run->exit.run) && !record_write(folders->control, &run->exit))
                return false;
        run->is_used = false;
        return true;
}

bool runs_settle(struct runs *runs)
{
        int orphans = -1;
        bool is_left = false;

        for (int i = 0; i < RUNS_MAXIMUM; i++) {
                struct run *run = &runs->items[i];
                if (!run->is_used || run->keeper > 0)
                        continue;
                if (orphans < 0)
                        orphans = kill_orphans(runs);
                bool is_waiting = orphans > 0 && clock_monotonic() - run->owed_since < ORPHAN_LIMIT_MS;
                if (is_waiting || !settle_one(runs->folders, run))
                        is_left = true;
        }
        if (orphans >= 0)
                record_fill_spares(runs->folders->control);
        return is_left;
}

void runs_reap(struct runs *runs)
{
        int status;

        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
                for (int i = 0; i < RUNS_MAXIMUM; i++)
                        if (runs->items[i].is_used && runs->items[i].keeper == pid)
                                runs_owe(&runs->items[i], RUNNER_LOST, "The keeper of the run ended before it.");
}

void runs_order(const struct run *run, enum runner_reason reason, int64_t grace)
{
        struct keeper_order order = {reason, grace};

        if (run->keeper > 0 && write(run->orders, &order, sizeof order) < 0 && errno != EPIPE)
                fprintf(stderr, "longshore-runner: cannot reach the keeper of %s: %s\n", run->exit.run,
                        strerror(errno));
}

void runs_close(struct runs *runs)
{
        for (int i = 0; i < RUNS_MAXIMUM; i++)
                if (runs->items[i].is_used && runs->items[i].orders >= 0)
                        close(take_fd(&runs->items[i].orders));
}
