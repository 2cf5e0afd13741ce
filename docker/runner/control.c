#include "docker/runner/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/runner/write.h"
#include "server/base/path.h"

/* How a file is put into its place. */
enum manner {
        REPLACE = 0, /* over an older one, not durable */
        DURABLE = 1,
        NO_REPLACE = 2, /* an older one stays */
};

static bool fail(struct error *error, const char *what, const char *path)
{
        int number = errno;
        enum error_code code = error_code_of_errno(number, ERROR_INTERNAL);

        return error_set(error, code, "cannot %s %s: %s", what, path, strerror(number));
}

static bool sync_folder_of(const char *path, struct error *error)
{
        auto_free char *folder = text_copy(path);

        *strrchr(folder, '/') = '\0';
        return write_sync_folder(folder) || fail(error, "sync", folder);
}

/* Writes the file beside its place, then moves it there. *was_there tells that an older one stayed. */
static bool publish(const char *path, const void *bytes, size_t length, mode_t mode, unsigned manner, bool *was_there,
                    struct error *error)
{
        static atomic_uint serial;
        auto_free char *temporary = text_format("%s.%d-%u.tmp", path, (int)getpid(), atomic_fetch_add(&serial, 1));
        auto_fd file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

        if (file < 0)
                return fail(error, "create", temporary);
        bool is_written =
                write_whole(file, bytes, length) && fchmod(file, mode) == 0 &&
                (!(manner & DURABLE) || fsync(file) == 0) &&
                renameat2(AT_FDCWD, temporary, AT_FDCWD, path, manner & NO_REPLACE ? RENAME_NOREPLACE : 0) == 0;
        if (!is_written) {
                bool exists = errno == EEXIST && (manner & NO_REPLACE);
                if (!exists)
                        fail(error, "write", path);
                unlink(temporary);
                if (exists && was_there)
                        *was_there = true;
                return exists;
        }
        return !(manner & DURABLE) || sync_folder_of(path, error);
}

static bool exists(const char *path)
{
        struct stat info;

        return lstat(path, &info) == 0;
}

bool control_prepare(const char *folder, struct error *error)
{
        static const char *const names[] = {"requests", "runs", "prompts"};

        if (!path_make_folder(folder, 0700, error))
                return false;
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_free char *path = path_join(folder, names[i]);
                if (!path_make_folder(path, 0700, error))
                        return false;
        }
        return write_sync_folder(folder) || fail(error, "sync", folder);
}

/* Whether the run was requested before: where it was is looked at before where it goes. */
static bool find(const char *folder, const char *run, enum control_state *state)
{
        auto_free char *start = control_path_start(folder, run), *claimed = control_path_claimed(folder, run),
                       *exit = control_path_exit(folder, run);
        bool is_requested = exists(start);

        *state = exists(exit)      ? CONTROL_ENDED
                 : exists(claimed) ? CONTROL_CLAIMED
                 : is_requested    ? CONTROL_REQUESTED
                                   : CONTROL_ABSENT;
        return *state != CONTROL_ABSENT;
}

/* The message as the runner will read it, on the heap; NULL when the runner would refuse it. */
static char *print_checked(const struct runner_start *start, struct error *error)
{
        auto_free char *printed = runner_start_print(start);
        auto_runner_start parsed = {0};

        if (!runner_start_parse(printed, strlen(printed), &parsed, error))
                return NULL;
        if (parsed.environment_count != start->environment_count) {
                error_set(error, ERROR_INVALID_INPUT,
                          "\"environment\" must have names that are UTF-8 and all different");
                return NULL;
        }
        return take(printed);
}

/* Open to all within a closed folder: the run may open /dev/fd/3 anew. */
static bool publish_prompt(const char *folder, const char *name, const void *prompt, size_t length, struct error *error)
{
        auto_free char *path = control_path_prompt(folder, name);

        return publish(path, prompt, length, 0644, DURABLE, NULL, error);
}

static bool publish_start(const char *folder, const char *run, const char *message, bool *was_there,
                          struct error *error)
{
        auto_free char *path = control_path_start(folder, run);

        return publish(path, message, strlen(message), 0600, DURABLE | NO_REPLACE, was_there, error);
}

bool control_compose(const char *folder, const struct runner_start *start, const void *prompt, size_t length,
                     char **message, struct error *error)
{
        struct runner_start named = *start;

        if (!named.prompt)
                named.prompt = named.run;
        auto_free char *printed = print_checked(&named, error);
        if (!printed || !publish_prompt(folder, named.prompt, prompt, length, error))
                return false;
        *message = take(printed);
        return true;
}

bool control_send(const char *folder, const char *run, const char *message, bool *was_there, struct error *error)
{
        enum control_state state;

        *was_there = find(folder, run, &state);
        return *was_there || publish_start(folder, run, message, was_there, error);
}

bool control_start(const char *folder, const struct runner_start *start, const void *prompt, size_t length,
                   bool *was_there, struct error *error)
{
        struct runner_start named = *start;
        enum control_state state;

        if (prompt && !named.prompt)
                named.prompt = named.run;
        auto_free char *message = print_checked(&named, error);
        if (!message)
                return false;
        *was_there = find(folder, named.run, &state);
        if (*was_there)
                return true;
        return (!prompt || publish_prompt(folder, named.prompt, prompt, length, error)) &&
               publish_start(folder, named.run, message, was_there, error);
}

bool control_withdraw(const char *folder, const char *run, bool *is_withdrawn, struct error *error)
{
        enum control_state state;

        if (!runner_run_is_valid(run))
                return error_set(error, ERROR_INVALID_INPUT, "\"%.64s\" is not the id of a run", run);
        auto_free char *path = control_path_start(folder, run);
        bool was_removed = unlink(path) == 0;
        if (!was_removed && errno != ENOENT)
                return fail(error, "remove", path);
        /* What was removed may have been a second request for a run that is claimed already. */
        *is_withdrawn = !find(folder, run, &state);
        return !was_removed || sync_folder_of(path, error);
}

bool control_stop(const char *folder, const struct runner_stop *stop, struct error *error)
{
        auto_free char *message = runner_stop_print(stop);
        struct runner_stop parsed;

        if (!runner_stop_parse(message, strlen(message), &parsed, error))
                return false;
        auto_free char *path = control_path_stop(folder, stop->run);
        return publish(path, message, strlen(message), 0600, REPLACE, NULL, error);
}

bool control_forget_request(const char *folder, const char *run, struct error *error)
{
        auto_free char *path = control_path_claimed(folder, run);

        return unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR || fail(error, "remove", path);
}

bool control_state(const char *folder, const char *run, enum control_state *state, struct runner_exit *exit,
                   struct error *error)
{
        auto_text record = TEXT_WITH_MAXIMUM(RUNNER_EXIT_MAXIMUM);

        if (!runner_run_is_valid(run))
                return error_set(error, ERROR_INVALID_INPUT, "\"%.64s\" is not the id of a run", run);
        if (!find(folder, run, state) || *state != CONTROL_ENDED)
                return true;
        auto_free char *path = control_path_exit(folder, run);
        if (!path_read(path, RUNNER_EXIT_MAXIMUM, &record, NULL, error))
                return false;
        if (!runner_exit_parse(text_string(&record), record.length, exit, error))
                return error_prefix(error, "the exit record %s", path);
        return !strcmp(exit->run, run) ||
               error_set(error, ERROR_INVALID_INPUT, "the exit record %s is that of another run, %s", path, exit->run);
}
