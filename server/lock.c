#include "server/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "server/base/path.h"

static void say_who_holds(int file, const char *folder, struct error *error)
{
        char holder[32] = "";
        ssize_t length = pread(file, holder, sizeof holder - 1, 0);

        holder[length > 0 ? strcspn(holder, "\n") : 0] = '\0';
        error_set(error, ERROR_CONFLICT, "the data folder %s is in use by the process %s", folder,
                  *holder ? holder : "that has just taken it");
}

int data_lock_take(const char *folder, struct error *error)
{
        auto_free char *path = path_join(folder, "lock");

        if (!path_make_folder(folder, 0700, error))
                return -1;
        auto_fd file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) {
                error_set(error, ERROR_INTERNAL, "%s cannot be opened: %s", path, strerror(errno));
                return -1;
        }
        if (flock(file, LOCK_EX | LOCK_NB)) {
                say_who_holds(file, folder, error);
                return -1;
        }
        if (ftruncate(file, 0) || dprintf(file, "%d\n", (int)getpid()) < 0) {
                error_set(error, error_code_of_errno(errno, ERROR_INTERNAL), "%s cannot be written: %s", path,
                          strerror(errno));
                return -1;
        }
        return take_fd(&file);
}
