#include "tests/runner/box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "server/base/clock.h"
#include "server/base/path.h"

#define PATIENCE_MS 30000

/* Leaves the program what a container leaves it. */
static void drop_capabilities(void)
{
        for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
                if (capability != CAP_SETUID && capability != CAP_SETGID && capability != CAP_KILL &&
                    capability != CAP_SETPCAP)
                        prctl(PR_CAPBSET_DROP, capability);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

void box_start_runner(struct box *box)
{
        box->runner = fork();
        if (box->runner == 0) {
                drop_capabilities();
                execl(LONGSHORE_RUNNER, "longshore-runner", "--control", box->control, "--records", box->records,
                      "--cgroup", box->cgroup, NULL);
                _exit(127);
        }
        assert_true(box->runner > 0);
}

int box_end_runner(struct box *box, int signal)
{
        int status;

        kill(box->runner, signal);
        assert_int_equal(waitpid(box->runner, &status, 0), box->runner);
        box->runner = 0;
        return status;
}

static void make(char *path, size_t size, const char *base, const char *name, mode_t mode)
{
        snprintf(path, size, "%s/%s", base, name);
        assert_int_equal(mkdir(path, mode), 0);
}

int box_setup(void **state)
{
        struct box *box = calloc(1, sizeof *box);
        auto_error error = {0};

        snprintf(box->base, sizeof box->base, "/tmp/longshore-runner-XXXXXX");
        assert_non_null(mkdtemp(box->base));
        assert_int_equal(chmod(box->base, 0755), 0);
        make(box->control, sizeof box->control, box->base, "control", 0700);
        make(box->records, sizeof box->records, box->base, "records", 0700);
        make(box->workspace, sizeof box->workspace, box->base, "workspace", 0755);
        make(box->cgroup, sizeof box->cgroup, box->base, "cgroup", 0755);
        assert_int_equal(chown(box->workspace, BOX_UID, BOX_UID), 0);
        assert_true(control_prepare(box->control, &error));
        box_start_runner(box);
        *state = box;
        return 0;
}

int box_teardown(void **state)
{
        struct box *box = *state;
        auto_error error = {0};

        if (box->runner)
                box_end_runner(box, SIGTERM);
        if (box->has_mount[0])
                umount2(box->records, MNT_DETACH);
        if (box->has_mount[1])
                umount2(box->control, MNT_DETACH);
        bool is_removed = path_remove_tree(box->base, &error);
        free(box);
        return is_removed ? 0 : -1;
}

void box_mount(struct box *box, const char *folder, int kilobytes)
{
        char options[64];

        snprintf(options, sizeof options, "size=%dk,mode=0700", kilobytes);
        if (mount("tmpfs", folder, "tmpfs", 0, options))
                skip();
        box->has_mount[folder == box->control] = true;
}

struct runner_start box_message(const struct box *box, const char *run, const char *script, const char **command)
{
        struct runner_start start = {
                .kind = "test",
                .command = command,
                .workdir = box->workspace,
                .uid = BOX_UID,
                .gid = BOX_UID,
                .output = "out",
                .errors = "err",
                .grace = 300,
        };

        snprintf(start.run, sizeof start.run, "%s", run);
        command[0] = "sh";
        command[1] = "-c";
        command[2] = script;
        command[3] = NULL;
        return start;
}

void box_run(const struct box *box, const char *run, const char *script)
{
        const char *command[4];
        struct runner_start start = box_message(box, run, script, command);
        auto_error error = {0};
        bool was_there = true;

        if (!control_start(box->control, &start, NULL, 0, &was_there, &error))
                fail_msg("%s", error.message);
        assert_false(was_there);
}

void box_stop(const struct box *box, const char *run, enum runner_stop_reason reason, int64_t grace)
{
        struct runner_stop stop = {.reason = reason, .grace = grace};
        auto_error error = {0};

        snprintf(stop.run, sizeof stop.run, "%s", run);
        if (!control_stop(box->control, &stop, &error))
                fail_msg("%s", error.message);
}

/* Waits until the file is in the folder. */
static void wait_for(const char *folder, const char *name)
{
        char events[4096];
        int64_t end = clock_monotonic() + PATIENCE_MS;
        auto_free char *path = path_join(folder, name);
        auto_fd changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

        assert_true(inotify_add_watch(changes, folder, IN_MOVED_TO | IN_CREATE) >= 0);
        while (access(path, F_OK)) {
                struct pollfd polled = {changes, POLLIN, 0};
                int64_t rest = end - clock_monotonic();
                if (rest <= 0 || poll(&polled, 1, (int)rest) == 0)
                        fail_msg("%s did not appear", path);
                while (read(changes, events, sizeof events) > 0)
                        ;
        }
}

struct runner_exit box_wait(const struct box *box, const char *run)
{
        struct runner_exit exit;
        enum control_state state;
        auto_error error = {0};
        auto_free char *runs = control_path_runs(box->control), *name = text_format("%s.exit.json", run);

        wait_for(runs, name);
        if (!control_state(box->control, run, &state, &exit, &error))
                fail_msg("%s", error.message);
        assert_int_equal(state, CONTROL_ENDED);
        return exit;
}

void box_wait_for_file(const struct box *box, const char *name)
{
        wait_for(box->workspace, name);
}

void box_make_file(const struct box *box, const char *name)
{
        auto_free char *path = path_join(box->workspace, name);
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

        assert_true(file >= 0);
}

char *box_read(const char *folder, const char *name, size_t *length)
{
        struct text content = TEXT_WITH_MAXIMUM(64 << 20);
        auto_free char *path = path_join(folder, name);
        auto_error error = {0};

        if (!path_read(path, content.maximum, &content, NULL, &error))
                fail_msg("%s", error.message);
        if (length)
                *length = content.length;
        return text_take(&content);
}

/* Whether it is the user's and no zombie, which whoever adopted it may leave for a while. */
static bool is_alive(int processes, const char *pid)
{
        char status[512] = "", path[300];
        struct stat info;

        snprintf(path, sizeof path, "%s/stat", pid);
        auto_fd file = openat(processes, path, O_RDONLY | O_CLOEXEC);
        if (file < 0 || fstat(file, &info) || info.st_uid != BOX_UID || read(file, status, sizeof status - 1) <= 0)
                return false;
        const char *end = strrchr(status, ')');
        return end && end[1] == ' ' && end[2] != 'Z' && end[2] != 'X';
}

/* Sends the signal to every living process of the user; returns how many there are. */
static int signal_processes(int signal)
{
        DIR *processes = opendir("/proc");
        struct dirent *entry;
        int count = 0;

        while ((entry = readdir(processes))) {
                if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !is_alive(dirfd(processes), entry->d_name))
                        continue;
                count++;
                kill(atoi(entry->d_name), signal);
        }
        closedir(processes);
        return count;
}

int box_count_processes(void)
{
        return signal_processes(0);
}

void box_kill_processes(void)
{
        signal_processes(SIGKILL);
}

pid_t box_child_of(pid_t parent)
{
        char path[64];
        int pid = 0;

        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
        FILE *list = fopen(path, "re");
        if (list && fscanf(list, "%d", &pid) != 1)
                pid = 0;
        if (list)
                fclose(list);
        return pid;
}
