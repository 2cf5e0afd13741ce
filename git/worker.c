#include "git/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "git/request.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/secret.h"
#include "server/base/text.h"

#define ANSWER_MAXIMUM (1024 * 1024)

/* What of the server's environment says how the network is reached; nothing else is passed on. */
static const char *const passed_on[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                        "ALL_PROXY",  "no_proxy",    "NO_PROXY",    "GIT_SSL_CAINFO"};

static struct {
        const char *program;
        const char *git;
} settings = {"/proc/self/exe", "git"};

void repository_worker_configure(const char *program, const char *git)
{
        settings.program = program ? program : "/proc/self/exe";
        settings.git = git ? git : "git";
}

static bool fail(struct error *error, const char *what, int number)
{
        return error_set(error, ERROR_GIT_FAILED, "Cannot %s a git worker: %s", what, strerror(number));
}

/* The request as a file in memory: it needs no writer beside the reader, and it never touches a disk. */
static int request_open(const json_t *request, struct error *error)
{
        auto_free char *printed = document_print(request);
        size_t length = strlen(printed);
        auto_fd file = memfd_create("request", MFD_CLOEXEC);
        bool is_written = file >= 0 && write(file, printed, length) == (ssize_t)length && !lseek(file, 0, SEEK_SET);

        int number = errno;
        secret_wipe(printed, length);
        if (is_written)
                return take_fd(&file);
        fail(error, "ask", number);
        return -1;
}

/* Fills in the environment, whose strings are the caller's. */
static void environment_make(char *storage[COUNT_OF(passed_on) + 2])
{
        size_t count = 0;

        storage[count++] = text_copy("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        for (size_t i = 0; i < COUNT_OF(passed_on); i++) {
                const char *value = getenv(passed_on[i]);
                if (value)
                        storage[count++] = text_format("%s=%s", passed_on[i], value);
        }
        storage[count] = NULL;
}

/* posix_spawn(3) runs nothing of ours between fork and exec, which is what a process with threads needs. */
static int spawn(int input, int output, pid_t *pid)
{
        char *environment[COUNT_OF(passed_on) + 2];
        char name[] = "longshored", argument[] = REPOSITORY_WORKER_ARGUMENT;
        char *arguments[] = {name, argument, NULL};
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        sigset_t all, none;

        sigfillset(&all);
        sigemptyset(&none);
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
        environment_make(environment);
        int number = posix_spawn(pid, settings.program, &actions, &attributes, arguments, environment);
        for (size_t i = 0; environment[i]; i++)
                free(environment[i]);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        return number;
}

/* Waits until the descriptor can be read; false at the deadline. */
static bool wait_readable(int fd, int64_t deadline)
{
        struct pollfd watched = {.fd = fd, .events = POLLIN};

        for (;;) {
                int64_t left = deadline - clock_monotonic();
                if (left <= 0)
                        return false;
                int ready = poll(&watched, 1, left > 60000 ? 60000 : (int)left);
                if (ready > 0)
                        return true;
                if (ready < 0 && errno != EINTR)
                        return false;
        }
}

/* Reads until the end of the answer; false at the deadline. */
static bool answer_read(int fd, int64_t deadline, struct text *answer)
{
        char buffer[4096];

        while (wait_readable(fd, deadline)) {
                ssize_t got = read(fd, buffer, sizeof buffer);
                if (got == 0 || answer->is_cut)
                        return true;
                if (got > 0)
                        text_append(answer, buffer, (size_t)got);
                else if (errno != EINTR)
                        return true;
        }
        return false;
}

/* Ends the worker and whatever it started. Its id is ours until it is waited for, so the group cannot be another's. */
static int finish(pid_t pid)
{
        int status = 0;

        kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                continue;
        return status;
}

static json_t *answer_take(const struct text *answer, int status, struct error *error)
{
        auto_error unreadable = {0};
        auto_json *document = document_parse(text_string(answer), answer->length, &unreadable);
        json_t *result = json_object_get(document, "result");
        const json_t *failure = json_object_get(document, "error");

        if (json_is_object(failure))
                request_failure_read(failure, error);
        else if (json_is_object(result) && WIFEXITED(status) && WEXITSTATUS(status) == 0)
                return json_incref(result);
        else if (WIFSIGNALED(status))
                error_set(error, ERROR_GIT_FAILED, "The git worker was ended by signal %d (%s)", WTERMSIG(status),
                          strsignal(WTERMSIG(status)));
        else
                error_set(error, ERROR_GIT_FAILED, "The git worker ended with status %d and without an answer",
                          WEXITSTATUS(status));
        return NULL;
}

json_t *repository_worker_run(const char *operation, json_t *request, const struct repository_limits *limits,
                              struct error *error)
{
        int64_t deadline = clock_monotonic() + limits->deadline_ms;
        int ends[2];
        pid_t pid;

        json_object_set_new(request, "operation", document_string(operation));
        json_object_set_new(request, "git", document_string(settings.git));
        json_object_set_new(request, "parent", json_integer(getpid()));
        json_object_set_new(request, "deadline_ms", json_integer(limits->deadline_ms));
        json_object_set_new(request, "memory_bytes", json_integer(limits->memory_bytes));
        auto_fd input = request_open(request, error);
        if (input < 0)
                return NULL;
        if (pipe2(ends, O_CLOEXEC)) {
                fail(error, "hear", errno);
                return NULL;
        }
        auto_fd output = ends[0];
        int number = spawn(input, ends[1], &pid);
        close(ends[1]);
        if (number) {
                fail(error, "start", number);
                return NULL;
        }
        auto_text answer = TEXT_WITH_MAXIMUM(ANSWER_MAXIMUM);
        auto_fd handle = (int)syscall(SYS_pidfd_open, pid, 0);
        number = handle < 0 ? errno : 0;
        bool is_done = !number && answer_read(output, deadline, &answer) && wait_readable(handle, deadline);
        int status = finish(pid);
        if (number) {
                fail(error, "watch", number);
                return NULL;
        }
        if (is_done)
                return answer_take(&answer, status, error);
        error_set(error, ERROR_GIT_TIMEOUT, "not finished within %.1f seconds", (double)limits->deadline_ms / 1000);
        return NULL;
}
