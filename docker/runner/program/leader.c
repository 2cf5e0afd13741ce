#include "docker/runner/program/leader.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "server/base/text.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
/* How much likelier than the container's own processes a run is to be killed for memory. */
#define OOM_SCORE_MORE 200

/* What the child was doing when it failed. */
enum stage {
        STAGE_DESCRIPTORS,
        STAGE_PRIVILEGES,
        STAGE_USER,
        STAGE_LIMIT,
        STAGE_WORKDIR,
        STAGE_PROGRAM,
        STAGE_INTERPRETER
};

struct failure {
        enum stage stage;
        int number;
};

static bool set_descriptors(int input, int output, int errors, int prompt)
{
        return dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(errors, 2) == 2 &&
               (prompt < 0 || dup2(prompt, 3) == 3);
}

static void reset_signals(void)
{
        sigset_t none;

        for (int signal = 1; signal < NSIG; signal++)
                (void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The kernel is to kill the run rather than its keeper; whoever may not say so runs all the same. */
static void offer_to_oom_killer(void)
{
        char score[16] = "";
        auto_fd file = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);

        if (file < 0 || read(file, score, sizeof score - 1) <= 0)
                return;
        int more = atoi(score) + OOM_SCORE_MORE,
            length = snprintf(score, sizeof score, "%d", more > 1000 ? 1000 : more);
        if (pwrite(file, score, (size_t)length, 0) < 0)
                return;
}

/* Nothing that it executes can give it a capability back. */
static bool drop_privileges(void)
{
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
                return false;
        for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
                if (prctl(PR_CAPBSET_DROP, capability))
                        return false;
        return true;
}

static bool become_user(uid_t uid, gid_t gid)
{
        struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
        struct __user_cap_data_struct none[2] = {0};

        return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0 &&
               syscall(SYS_capset, &header, none) == 0;
}

static bool limit_file_size(int64_t bytes)
{
        struct rlimit limit;

        if (!bytes)
                return true;
        if (getrlimit(RLIMIT_FSIZE, &limit))
                return false;
        if (limit.rlim_max > (rlim_t)bytes)
                limit.rlim_max = (rlim_t)bytes;
        limit.rlim_cur = limit.rlim_max;
        return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

/* Executes the program at the path; returns only when that failed. */
static struct failure execute(const char *path, char *const *arguments)
{
        execv(path, arguments);
        int number = errno;
        /* The file is there: what is not is what its first line names. */
        if (number == ENOENT && access(path, F_OK) == 0)
                return (struct failure){STAGE_INTERPRETER, number};
        return (struct failure){STAGE_PROGRAM, number};
}

static struct failure find_and_execute(char *const *arguments)
{
        const char *folders = getenv("PATH");
        struct failure failure = {STAGE_PROGRAM, ENOENT};
        char path[4096];

        if (strchr(arguments[0], '/'))
                return execute(arguments[0], arguments);
        for (const char *at = folders ? folders : DEFAULT_PATH, *end; at; at = *end ? end + 1 : NULL) {
                end = strchrnul(at, ':');
                int length =
                        snprintf(path, sizeof path, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "", arguments[0]);
                struct stat info;
                if (length >= (int)sizeof path || stat(path, &info) || !S_ISREG(info.st_mode))
                        continue;
                failure = execute(path, arguments);
                if (failure.number != EACCES)
                        return failure;
        }
        return failure;
}

/* The container's own environment, but for HOME, which is root's, and the run's on top. */
static void set_environment(const struct runner_start *start)
{
        unsetenv("HOME");
        for (size_t i = 0; i < start->environment_count; i++)
                if (setenv(start->environment[i].name, start->environment[i].value, 1))
                        abort();
}

static struct failure become_leader(const struct runner_start *start)
{
        setsid();
        umask(022);
        offer_to_oom_killer();
        if (!drop_privileges())
                return (struct failure){STAGE_PRIVILEGES, errno};
        if (!become_user((uid_t)start->uid, (gid_t)start->gid))
                return (struct failure){STAGE_USER, errno};
        if (!limit_file_size(start->file_size_limit))
                return (struct failure){STAGE_LIMIT, errno};
        if (chdir(start->workdir))
                return (struct failure){STAGE_WORKDIR, errno};
        set_environment(start);
        reset_signals();
        return find_and_execute((char *const *)start->command);
}

static void describe(const struct runner_start *start, struct failure failure, struct error *error)
{
        const char *program = start->command[0], *why = strerror(failure.number);

        switch (failure.stage) {
        case STAGE_DESCRIPTORS:
                error_set(error, ERROR_INTERNAL, "The run's input and output could not be set up: %s.", why);
                return;
        case STAGE_PRIVILEGES:
                error_set(error, ERROR_INTERNAL,
                          "The run's privileges could not be dropped: %s. The container needs the capability SETPCAP.",
                          why);
                return;
        case STAGE_USER:
                error_set(error, ERROR_INTERNAL,
                          "The run could not become user %" PRId64 ", group %" PRId64
                          ": %s. The container needs the capabilities SETUID and SETGID.",
                          start->uid, start->gid, why);
                return;
        case STAGE_LIMIT:
                error_set(error, ERROR_INTERNAL, "The file size limit could not be set: %s.", why);
                return;
        case STAGE_WORKDIR:
                error_set(error, ERROR_INTERNAL, "The folder to work in, %.200s, could not be entered: %s.",
                          start->workdir, why);
                return;
        case STAGE_INTERPRETER:
                error_set(error, ERROR_INTERNAL,
                          "The program %.200s is there, but the interpreter or loader that it names is not.", program);
                return;
        case STAGE_PROGRAM:
                break;
        }
        if (failure.number == ENOENT && !strchr(program, '/'))
                error_set(error, ERROR_INTERNAL, "The program %.200s was not found in PATH.", program);
        else if (failure.number == ENOEXEC)
                error_set(error, ERROR_INTERNAL,
                          "The program %.200s is neither a program of this machine nor a script that names its "
                          "interpreter.",
                          program);
        else
                error_set(error, ERROR_INTERNAL, "The program %.200s could not be started: %s.", program, why);
}

pid_t leader_start(const struct runner_start *start, int input, int output, int errors, int prompt, struct error *error)
{
        int ends[2];
        struct failure failure;

        if (pipe2(ends, O_CLOEXEC)) {
                error_set(error, ERROR_INTERNAL, "No pipe could be made: %s.", strerror(errno));
                return -1;
        }
        auto_fd ours = ends[0], theirs = ends[1];
        pid_t child = fork();
        if (child < 0) {
                error_set(error, ERROR_INTERNAL, "No process could be made: %s.", strerror(errno));
                return -1;
        }
        if (child == 0) {
                failure = set_descriptors(input, output, errors, prompt) ? become_leader(start)
                                                                         : (struct failure){STAGE_DESCRIPTORS, errno};
                _exit(write(theirs, &failure, sizeof failure) == sizeof failure ? 126 : 127);
        }
        close(take_fd(&theirs));
        ssize_t got;
        while ((got = read(ours, &failure, sizeof failure)) < 0 && errno == EINTR)
                ;
        if (got == 0)
                return child;
        waitpid(child, NULL, 0);
        describe(start, failure, error);
        return -1;
}
