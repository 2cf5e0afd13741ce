#include "docker/runner/program/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#include "docker/runner/control.h"
#include "docker/runner/program/connector.h"
#include "docker/runner/program/keeper.h"
#include "docker/runner/program/record.h"
#include "docker/runner/program/runs.h"
#include "docker/runner/write.h"
#include "server/base/path.h"

/* Longest grace when the container is stopped: the engine will not wait for long. */
#define CONTAINER_GRACE_MS 3000
/* How often the folder is looked at without being told: events can be lost. */
#define LOOK_MS 2000
/* How soon again while something is left to do that nobody reports. */
#define RETRY_MS 10

struct runner {
        const struct runner_folders *folders;
        struct runs runs;
        int changes; /* inotify */
        int signals; /* signalfd */
        struct connector connector;
        bool is_ending;
};

static void complain(const char *what, const char *about)
{
        fprintf(stderr, "longshore-runner: %s %s: %s\n", what, about, strerror(errno));
}

/* Becomes the keeper in the process forked for it. */
static _Noreturn void become_keeper(struct runner *runner, const struct runner_start *start, int orders)
{
        const struct runner_folders *folders = runner->folders;
        struct keeper_task task = {start, folders->control, folders->records, folders->cgroup, orders};

        /* Another keeper must see the end of its pipe when the runner dies, not when we do. */
        runs_close(&runner->runs);
        connector_close(&runner->connector);
        close(runner->changes);
        close(runner->signals);
        _exit(keeper_run(&task));
}

static void start_keeper(struct runner *runner, struct run *run, const struct runner_start *start)
{
        int ends[2];

        if (pipe2(ends, O_CLOEXEC)) {
                runs_owe(run, RUNNER_LAUNCH_FAILURE, "The runner could not make a pipe.");
                return;
        }
        run->orders = ends[1];
        run->grace = start->grace;
        pid_t keeper = fork();
        if (keeper == 0)
                become_keeper(runner, start, ends[0]);
        close(ends[0]);
        if (keeper < 0)
                runs_owe(run, RUNNER_LAUNCH_FAILURE, "No process could be made: the container's limit is reached.");
        else
                run->keeper = keeper;
}

/* Starts a run that was claimed. */
static void launch(struct runner *runner, struct run *run, const char *claimed)
{
        const char *control = runner->folders->control;
        auto_text message = TEXT_WITH_MAXIMUM(RUNNER_START_MAXIMUM);
        auto_runner_start start = {0};
        auto_error error = {0};

        if (!record_reserve(control, run->exit.run)) {
                runs_owe(run, errno == ENOSPC || errno == EDQUOT ? RUNNER_DISK_FULL : RUNNER_LAUNCH_FAILURE,
                         "There is no room for the run's exit record, so it was not started.");
                return;
        }
        if (!path_read(claimed, RUNNER_START_MAXIMUM, &message, NULL, &error) ||
            !runner_start_parse(text_string(&message), message.length, &start, &error)) {
                error_prefix(&error, "The start message was refused");
                runs_owe(run, RUNNER_LAUNCH_FAILURE, error.message);
        } else if (strcmp(start.run, run->exit.run) != 0) {
                runs_owe(run, RUNNER_LAUNCH_FAILURE,
                         "The start message was refused: \"run\" differs from the name of its file");
        } else {
                start_keeper(runner, run, &start);
        }
}

/* Claims a requested run before anything else is done for it; nothing happens when it was withdrawn. Only we move files
 * into runs, so that looking and moving need not be one step. */
static void claim(struct runner *runner, const char *id)
{
        const char *control = runner->folders->control;
        auto_free char *requested = control_path_start(control, id), *claimed = control_path_claimed(control, id),
                       *runs = control_path_runs(control);

        if (access(claimed, F_OK) == 0 || record_exists(control, id)) {
                unlink(requested);
                return;
        }
        struct run *run = runs_add(&runner->runs, id);
        if (!run)
                return;
        if (rename(requested, claimed)) {
                if (errno != ENOENT)
                        complain("cannot claim", requested);
                run->is_used = false;
                return;
        }
        /* A crash must not bring back a request that was begun. */
        if (!write_sync_folder(runs))
                complain("cannot sync", runs);
        launch(runner, run, claimed);
}

static void take_stop(struct runner *runner, const char *id)
{
        auto_free char *path = control_path_stop(runner->folders->control, id);
        auto_text message = TEXT_WITH_MAXIMUM(RUNNER_STOP_MAXIMUM);
        auto_error error = {0};
        struct runner_stop stop;
        struct run *run = runs_find(&runner->runs, id);
        bool is_good = path_read(path, RUNNER_STOP_MAXIMUM, &message, NULL, &error) &&
                       runner_stop_parse(text_string(&message), message.length, &stop, &error);

        unlink(path);
        if (!is_good)
                fprintf(stderr, "longshore-runner: stop message for %s: %s\n", id, error.message);
        else if (run)
                runs_order(run, stop.reason == RUNNER_INTERRUPT ? RUNNER_INTERRUPTED : RUNNER_STOPPED, stop.grace);
}

/* The run's id between the prefix and the suffix of a name; false for other names. */
static bool split_name(const char *name, const char *prefix, const char *suffix, char id[RUNNER_RUN_SIZE])
{
        size_t length = strlen(name), before = strlen(prefix), after = strlen(suffix);

        if (length <= before + after || length - before - after >= RUNNER_RUN_SIZE ||
            strncmp(name, prefix, before) != 0 || strcmp(name + length - after, suffix) != 0)
                return false;
        memcpy(id, name + before, length - before - after);
        id[length - before - after] = '\0';
        return runner_run_is_valid(id);
}

static void for_each(struct runner *runner, const char *folder, const char *prefix, const char *suffix,
                     void (*take_one)(struct runner *runner, const char *id))
{
        DIR *listing = opendir(folder);
        struct dirent *entry;
        char id[RUNNER_RUN_SIZE];

        if (!listing) {
                complain("cannot read", folder);
                return;
        }
        while ((entry = readdir(listing)))
                if (split_name(entry->d_name, prefix, suffix, id))
                        take_one(runner, id);
        closedir(listing);
}

/* Starts come first, so that a stop finds the run it is for. */
static void look(struct runner *runner)
{
        auto_free char *requests = control_path_requests(runner->folders->control);

        if (!runner->is_ending)
                for_each(runner, requests, "start-", ".json", claim);
        for_each(runner, requests, "stop-", ".json", take_stop);
}

/* What an earlier runner claimed and did not bring to its end is lost; it is never run again. */
static void lose(struct runner *runner, const char *id)
{
        if (record_exists(runner->folders->control, id))
                return;
        struct run *run = runs_add(&runner->runs, id);
        if (!run)
                return;
        runs_owe(run, RUNNER_LOST, "The runner or its container ended before the run.");
        runs_settle(&runner->runs);
}

static void lose_earlier(struct runner *runner)
{
        auto_free char *runs = control_path_runs(runner->folders->control);

        for_each(runner, runs, "", ".request.json", lose);
}

static void end_all(struct runner *runner)
{
        if (runner->is_ending)
                return;
        runner->is_ending = true;
        for (int i = 0; i < RUNS_MAXIMUM; i++) {
                const struct run *run = &runner->runs.items[i];
                if (run->is_used)
                        runs_order(run, RUNNER_CONTAINER_STOPPED,
                                   run->grace < CONTAINER_GRACE_MS ? run->grace : CONTAINER_GRACE_MS);
        }
}

static void take_signals(struct runner *runner)
{
        struct signalfd_siginfo info;

        while (read(runner->signals, &info, sizeof info) == sizeof info)
                if (info.ssi_signo != SIGCHLD)
                        end_all(runner);
        runs_reap(&runner->runs);
}

static bool open_watches(struct runner *runner)
{
        auto_free char *requests = control_path_requests(runner->folders->control);
        sigset_t signals;

        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        runner->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
        runner->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (runner->signals >= 0 && runner->changes >= 0 &&
            inotify_add_watch(runner->changes, requests, IN_MOVED_TO) >= 0)
                return true;
        complain("cannot watch", requests);
        return false;
}

int runner_serve(const struct runner_folders *folders)
{
        static struct runner runner;
        char events[4096];

        runner.folders = runner.runs.folders = folders;
        if (!open_watches(&runner))
                return 1;
        /* Without it runs go on; what listens in the container cannot be reached then. */
        if (!connector_open(&runner.connector, folders->control))
                complain("cannot listen in", folders->control);
        record_fill_spares(folders->control);
        lose_earlier(&runner);
        look(&runner);
        while (!runner.is_ending || runs_are_any(&runner.runs)) {
                bool is_left = runs_settle(&runner.runs);
                if (runner.is_ending && !runs_are_any(&runner.runs))
                        break;
                struct pollfd polled[2 + CONNECTOR_POLLED] = {{runner.signals, POLLIN, 0}, {runner.changes, POLLIN, 0}};
                connector_poll(&runner.connector, polled + 2);
                poll(polled, COUNT_OF(polled), is_left ? RETRY_MS : LOOK_MS);
                connector_serve(&runner.connector, polled + 2);
                if (polled[0].revents)
                        take_signals(&runner);
                while (read(runner.changes, events, sizeof events) > 0)
                        ;
                look(&runner);
        }
        return 0;
}
