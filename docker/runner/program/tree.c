#include "docker/runner/program/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server/base/cleanup.h"
#include "server/base/clock.h"

#define TREE_MAXIMUM 8192
/* How long a tree may resist being killed before all of its user is halted. */
#define PATIENCE_MS 200

/* What one look at /proc found; what does not fit is found by the next look. */
struct tree {
        pid_t pids[TREE_MAXIMUM];
        int count;
};

static bool is_listed(pid_t pid, const pid_t *list, int count)
{
        for (int i = 0; i < count; i++)
                if (list[i] == pid)
                        return true;
        return false;
}

/* Adds the children that one thread made. */
static void add_children_of_thread(int tasks, const char *thread, const pid_t *spared, int spared_count,
                                   struct tree *tree)
{
        char path[300];

        snprintf(path, sizeof path, "%s/children", thread);
        int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
        FILE *list = file < 0 ? NULL : fdopen(file, "re");
        if (!list) {
                if (file >= 0)
                        close(file);
                return;
        }
        for (int pid; tree->count < TREE_MAXIMUM && fscanf(list, "%d", &pid) == 1;)
                if (!is_listed(pid, spared, spared_count))
                        tree->pids[tree->count++] = pid;
        fclose(list);
}

static void add_children(pid_t pid, const pid_t *spared, int spared_count, struct tree *tree)
{
        char path[64];
        struct dirent *entry;

        snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
        DIR *tasks = opendir(path);
        if (!tasks)
                return;
        while ((entry = readdir(tasks)))
                if (entry->d_name[0] != '.')
                        add_children_of_thread(dirfd(tasks), entry->d_name, spared, spared_count, tree);
        closedir(tasks);
}

int tree_signal(int signal, const pid_t *spared, int spared_count)
{
        static struct tree tree;

        tree.count = 0;
        add_children(getpid(), spared, spared_count, &tree);
        for (int i = 0; i < tree.count; i++)
                add_children(tree.pids[i], spared, spared_count, &tree);
        for (int i = 0; signal && i < tree.count; i++)
                kill(tree.pids[i], signal);
        return tree.count;
}

static void reap(pid_t leader, int *status, bool *is_reaped, bool *is_empty)
{
        int one;

        for (;;) {
                pid_t pid = waitpid(-1, &one, WNOHANG);
                if (pid <= 0) {
                        *is_empty = pid < 0 && errno == ECHILD;
                        return;
                }
                if (pid == leader) {
                        *status = one;
                        *is_reaped = true;
                }
        }
}

/* Sends a signal to every process of the user, in one step that no fork can escape. */
static void signal_user(uid_t uid, int signal)
{
        int status;
        pid_t child = fork();

        if (child == 0) {
                if (setresuid(uid, uid, uid) == 0)
                        kill(-1, signal);
                _exit(0);
        }
        if (child > 0)
                while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                        ;
}

bool tree_end(uid_t uid, pid_t leader, int *status, bool *is_reaped, int64_t limit)
{
        const struct timespec moment = {.tv_nsec = 2000000};
        int64_t begin = clock_monotonic();
        bool is_empty = false;
        sigset_t child;

        sigemptyset(&child);
        sigaddset(&child, SIGCHLD);
        for (;;) {
                bool is_resisting = clock_monotonic() - begin > PATIENCE_MS;
                if (is_resisting)
                        signal_user(uid, SIGSTOP);
                for (int round = 0; round < (is_resisting ? 3 : 1); round++)
                        tree_signal(SIGKILL, NULL, 0);
                if (is_resisting)
                        signal_user(uid, SIGCONT);
                reap(leader, status, is_reaped, &is_empty);
                if (is_empty || clock_monotonic() - begin > limit)
                        return is_empty;
                sigtimedwait(&child, NULL, &moment);
        }
}
