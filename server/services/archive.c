#include "server/services/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "server/base/text.h"

#define WORDS_MAXIMUM 300

extern char **environ;

static bool spawn(char *const *arguments, int errors, pid_t *child, struct error *error)
{
        posix_spawn_file_actions_t actions;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, errors, 2);
        int number = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        return !number || error_set(error, ERROR_UNAVAILABLE, "the program tar cannot be run: %s", strerror(number));
}

/* Keeps the beginning of what tar says and drains the rest. */
static void read_words(int pipe, struct text *words)
{
        char buffer[4096];
        ssize_t got;

        while ((got = read(pipe, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
                if (got > 0)
                        utf8_append_clean(words, buffer, (size_t)got);
}

bool archive_run(char *const *arguments, bool is_change_allowed, struct error *error)
{
        auto_text words = TEXT_WITH_MAXIMUM(WORDS_MAXIMUM);
        int ends[2], status = 0;
        pid_t child;

        if (pipe2(ends, O_CLOEXEC))
                return error_set(error, ERROR_INTERNAL, "no pipe: %s", strerror(errno));
        bool is_running = spawn(arguments, ends[1], &child, error);
        close(ends[1]);
        if (is_running) {
                read_words(ends[0], &words);
                while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                        ;
        }
        close(ends[0]);
        if (!is_running)
                return false;
        if (WIFEXITED(status) && WEXITSTATUS(status) <= (is_change_allowed ? 1 : 0))
                return true;
        return error_set(error, ERROR_INTERNAL, "tar failed: %s",
                         words.length ? text_string(&words) : "no reason given");
}
