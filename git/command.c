#include "git/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git/command_environment.h"
#include "git/failure.h"

#define ARGUMENTS_MAXIMUM 30
#define WORDS_MAXIMUM (64 * 1024)

/* A stream of the program's; `text` may be NULL. */
struct stream {
        int fd;
        struct text *text;
};

static _Noreturn void give_up(const char *what)
{
        dprintf(STDERR_FILENO, "fatal: cannot %s: %s\n", what, strerror(errno));
        _exit(127);
}

/* The folder's parents need not be open to the user who works in it: a mount of our own leads there. Where mounting is
 * not allowed, its path has to do. */
static bool enter_mounted(const char *folder)
{
        return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
               !mount(folder, "/tmp", NULL, MS_BIND, NULL) && !chdir("/tmp");
}

static void become_owner(const struct command *command)
{
        bool is_mounted = enter_mounted(command->folder);

        if (!is_mounted && chdir(command->folder))
                give_up("enter the folder");
        if (setgroups(0, NULL) || setgid(command->gid) || setuid(command->uid))
                give_up("become the owner of the folder");
        if (!is_mounted && access(command->folder, X_OK))
                give_up("reach the folder as its owner; allow private mounts, or open its parents to that user");
}

static _Noreturn void become_git(const struct command *command, const char *const arguments[])
{
        const char *all[ARGUMENTS_MAXIMUM + 2] = {command->git};
        struct rlimit memory = {(rlim_t)command->memory_bytes, (rlim_t)command->memory_bytes};
        char **environment = command_environment_new(command->protocols, command->header, command->alternates);

        for (size_t i = 0; arguments[i]; i++) {
                if (i == ARGUMENTS_MAXIMUM)
                        _exit(127);
                all[i + 1] = arguments[i];
        }
        if (command->is_as_owner && geteuid() == 0)
                become_owner(command);
        else if (command->folder && chdir(command->folder))
                give_up("enter the folder");
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setrlimit(RLIMIT_DATA, &memory);
        execvpe(command->git, (char *const *)all, environment);
        give_up("run the git program");
}

static pid_t start(const struct command *command, const char *const arguments[], int output, int words)
{
        pid_t pid = fork();

        if (pid)
                return pid;
        int input = command->input ? *command->input : open("/dev/null", O_RDWR);
        if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
            dup2(words, STDERR_FILENO) < 0)
                _exit(127);
        become_git(command, arguments);
}

static void stream_read(struct stream *stream)
{
        char buffer[16384];
        ssize_t got = read(stream->fd, buffer, sizeof buffer);

        if (got > 0 && stream->text)
                text_append(stream->text, buffer, (size_t)got);
        if (got == 0 || (got < 0 && errno != EINTR)) {
                close(stream->fd);
                stream->fd = -1;
        }
}

static void streams_drain(struct stream *one, struct stream *two)
{
        while (one->fd >= 0 || two->fd >= 0) {
                struct pollfd watched[] = {{.fd = one->fd, .events = POLLIN}, {.fd = two->fd, .events = POLLIN}};
                if (poll(watched, 2, -1) < 0)
                        continue;
                if (watched[0].revents)
                        stream_read(one);
                if (watched[1].revents)
                        stream_read(two);
        }
}

bool command_run(const struct command *command, const char *const arguments[], struct text *out, struct error *error)
{
        auto_text words = TEXT_WITH_MAXIMUM(WORDS_MAXIMUM);
        int output[2], diagnostics[2], status = 0;

        if (pipe2(output, O_CLOEXEC) || pipe2(diagnostics, O_CLOEXEC))
                return error_set(error, ERROR_GIT_FAILED, "Cannot listen to git: %s", strerror(errno));
        pid_t pid = start(command, arguments, output[1], diagnostics[1]);
        close(output[1]);
        close(diagnostics[1]);
        struct stream streams[] = {{output[0], out}, {diagnostics[0], &words}};
        streams_drain(&streams[0], &streams[1]);
        if (pid < 0)
                return error_set(error, ERROR_GIT_FAILED, "Cannot start git: %s", strerror(errno));
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                continue;
        if (status)
                return failure_explain(text_string(&words), status, error);
        if (out && out->is_cut)
                return error_set(error, ERROR_GIT_FAILED, "The output of git %s is larger than %zu bytes", arguments[0],
                                 out->maximum);
        return true;
}
