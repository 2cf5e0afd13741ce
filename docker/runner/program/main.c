/* longshore-runner: the main process of a task's container. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "docker/runner/control.h"
#include "docker/runner/program/runner.h"
#include "server/base/clock.h"
#include "server/base/text.h"

/* How long the keepers of an earlier runner can take to end. */
#define LOCK_LIMIT_MS 10000
/* Descriptors below this one are for the runs' own use. */
#define FIRST_DESCRIPTOR 10

static bool read_arguments(int argc, char **argv, struct runner_folders *folders)
{
        static const struct option options[] = {{"control", required_argument, NULL, 'c'},
                                                {"records", required_argument, NULL, 'r'},
                                                {"cgroup", required_argument, NULL, 'g'},
                                                {0}};

        for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
                switch (option) {
                case 'c':
                        folders->control = optarg;
                        break;
                case 'r':
                        folders->records = optarg;
                        break;
                case 'g':
                        folders->cgroup = optarg;
                        break;
                default:
                        return false;
                }
        return folders->control && folders->records && optind == argc;
}

/* Closes what we were given by mistake, then takes up the descriptors that a leader's are put on, so that none of ours
 * is overwritten by them. */
static bool take_up_descriptors(void)
{
        int file;

        (void)close_range(STDERR_FILENO + 1, ~0U, 0);
        do
                file = open("/dev/null", O_RDWR | O_CLOEXEC);
        while (file >= 0 && file < FIRST_DESCRIPTOR - 1);
        return file >= 0;
}

/* One runner, with its keepers, for one control folder: they all hold the lock, which ends with the last of them. */
static bool lock(const char *control)
{
        const struct timespec moment = {.tv_nsec = 10000000};
        int64_t begin = clock_monotonic();
        auto_free char *path = text_format("%s/runner.lock", control);
        int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

        while (file >= 0 && flock(file, LOCK_EX | LOCK_NB)) {
                if (errno != EWOULDBLOCK || clock_monotonic() - begin > LOCK_LIMIT_MS)
                        return false;
                nanosleep(&moment, NULL);
        }
        return file >= 0;
}

/* SIGTERM and SIGINT are read from a descriptor, here and not by the keepers; a full file size limit or a pipe without
 * reader is an error to be handled. */
static void set_signals(void)
{
        sigset_t blocked;

        sigemptyset(&blocked);
        sigaddset(&blocked, SIGCHLD);
        sigaddset(&blocked, SIGTERM);
        sigaddset(&blocked, SIGINT);
        sigaddset(&blocked, SIGHUP);
        sigprocmask(SIG_SETMASK, &blocked, NULL);
        signal(SIGPIPE, SIG_IGN);
        signal(SIGXFSZ, SIG_IGN);
}

static int fail(const char *what, const char *path)
{
        fprintf(stderr, "longshore-runner: cannot %s %s: %s\n", what, path, strerror(errno));
        return 1;
}

int main(int argc, char **argv)
{
        struct runner_folders folders = {.cgroup = "/sys/fs/cgroup"};
        auto_error error = {0};

        if (!read_arguments(argc, argv, &folders)) {
                fprintf(stderr, "usage: longshore-runner --control FOLDER --records FOLDER [--cgroup FOLDER]\n");
                return 2;
        }
        umask(077);
        set_signals();
        if (!take_up_descriptors())
                return fail("open", "/dev/null");
        if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
                return fail("adopt the processes of", folders.control);
        if (!control_prepare(folders.control, &error)) {
                fprintf(stderr, "longshore-runner: %s\n", error.message);
                return 1;
        }
        if (!lock(folders.control))
                return fail("lock", folders.control);
        return runner_serve(&folders);
}
