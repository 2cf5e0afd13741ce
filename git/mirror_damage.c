#include "git/mirror_damage.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "git/mirror_place.h"
#include "server/base/path.h"

static char *note_path(const char *mirror)
{
        return path_join(mirror, "condemned");
}

void mirror_condemn(const char *mirror)
{
        auto_free char *path = note_path(mirror);
        auto_fd note = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

bool mirror_is_condemned(const char *mirror)
{
        auto_free char *path = note_path(mirror);

        return access(path, F_OK) == 0;
}

/* git, on the mirror alone, with the limits of the command but nobody's credentials. A failure for want of memory or
 * disk says nothing of the mirror. */
static bool finds_fault(const char *mirror, const struct command *command, const char *const arguments[])
{
        struct command check = {
                .git = command->git, .folder = mirror, .protocols = "file", .memory_bytes = command->memory_bytes};
        auto_text listing = TEXT_WITH_MAXIMUM(4096);
        auto_error error = {0};

        return !command_run(&check, arguments, &listing, &error) && error.code == ERROR_GIT_FAILED &&
               !strstr(error.message, "memory");
}

bool mirror_is_unreadable(const char *mirror, const struct command *command)
{
        static const char *const arguments[] = {"--git-dir=.", "for-each-ref", "--count=1", NULL};

        return finds_fault(mirror, command, arguments);
}

bool mirror_is_damaged(const char *mirror, const struct command *command)
{
        static const char *const arguments[] = {"--git-dir=.",   "fsck",          "--full",
                                                "--no-dangling", "--no-progress", NULL};

        mirror_condemn(mirror);
        if (finds_fault(mirror, command, arguments))
                return true;
        auto_free char *note = note_path(mirror);
        unlink(note);
        return false;
}

void mirror_blame(const char *mirror, const char *lock, const struct command *command, struct error *error)
{
        auto_error ignored = {0};

        if (error->code != ERROR_GIT_FAILED)
                return;
        auto_fd held = mirror_lock(lock, true, &ignored);
        if (held < 0 || access(mirror, F_OK) || !mirror_is_damaged(mirror, command))
                return;
        auto_free char *reason = text_copy(error->message);
        error_set(error, ERROR_GIT_MIRROR_DAMAGED, "the server's own copy of it is damaged: %s", reason);
}
