#include "docker/runner/program/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "docker/runner/write.h"
#include "server/base/text.h"

#define SPARES 4

static char *reservation_path(const char *control, const char *run)
{
        return text_format("%s/runs/%s.exit.tmp", control, run);
}

static char *spare_path(const char *control, int number)
{
        return text_format("%s/runs/.spare-%d.tmp", control, number);
}

/* Makes a file of blanks. Reserving alone is not enough where the file system only emulates it. */
static bool reserve(const char *path)
{
        char blanks[RUNNER_EXIT_MAXIMUM];
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

        if (file < 0)
                return errno == EEXIST;
        memset(blanks, ' ', sizeof blanks);
        int failure = posix_fallocate(file, 0, sizeof blanks);
        if (failure == 0 && write_whole(file, blanks, sizeof blanks))
                return true;
        failure = failure ? failure : errno;
        unlink(path);
        errno = failure;
        return false;
}

bool record_reserve(const char *control, const char *run)
{
        auto_free char *path = reservation_path(control, run);

        return reserve(path);
}

void record_fill_spares(const char *control)
{
        for (int i = 0; i < SPARES; i++) {
                auto_free char *path = spare_path(control, i);
                if (!reserve(path))
                        return;
        }
}

bool record_exists(const char *control, const char *run)
{
        auto_free char *path = control_path_exit(control, run);

        return access(path, F_OK) == 0;
}

/* Writes the record into the file at `from` and moves it to its place. */
static bool fill(const char *from, int flags, const char *record, const char *to)
{
        auto_fd file = open(from, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0600);

        return file >= 0 && write_whole(file, record, RUNNER_EXIT_MAXIMUM) && fsync(file) == 0 && rename(from, to) == 0;
}

bool record_write(const char *control, const struct runner_exit *exit)
{
        char record[RUNNER_EXIT_MAXIMUM];
        auto_free char *printed = runner_exit_print(exit), *own = reservation_path(control, exit->run),
                       *to = control_path_exit(control, exit->run), *runs = control_path_runs(control);
        bool is_written = false;

        memset(record, ' ', sizeof record);
        memcpy(record, printed, strlen(printed));
        is_written = fill(own, 0, record, to);
        for (int i = 0; !is_written && i < SPARES; i++) {
                auto_free char *spare = spare_path(control, i);
                is_written = fill(spare, 0, record, to);
        }
        return (is_written || fill(own, O_CREAT, record, to)) && write_sync_folder(runs);
}
