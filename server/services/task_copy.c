#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "server/base/cleanup.h"
#include "server/services/file_page.h"
#include "server/services/output_files.h"
#include "server/services/task.h"
#include "server/services/task_view.h"

/* Opens the file for the actor and says what of it must not be seen. */
static int open_for(struct call *call, const char *task_id, const char *path, struct store_task *task,
                    struct redactor *redactor, int64_t *size, struct error *error)
{
        if (!task_open(call, task_id, task, redactor, error) || !access_require_content(task, error))
                return -1;
        redactor_set_file(redactor, path);
        return output_file_open(call->services, task->id, path, size, NULL, error);
}

static bool write_all(int file, const char *bytes, size_t length, struct error *error)
{
        while (length) {
                ssize_t written = write(file, bytes, length);
                if (written < 0 && errno != EINTR)
                        return error_set(error, error_code_of_errno(errno, ERROR_UNAVAILABLE),
                                         "the file could not be copied: %s", strerror(errno));
                if (written > 0) {
                        bytes += written;
                        length -= (size_t)written;
                }
        }
        return true;
}

#define COPY_PIECE (256 * 1024)

/* A file that shrinks meanwhile gives a shorter copy. */
static bool copy_masked(const struct redactor *redactor, int from, int64_t size, int to, int64_t *copied,
                        struct error *error)
{
        for (*copied = 0; *copied < size;) {
                int64_t left = size - *copied;
                auto_text piece = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);
                if (!file_read_masked(redactor, from, *copied, (size_t)(left < COPY_PIECE ? left : COPY_PIECE), &piece,
                                      error) ||
                    !write_all(to, piece.data, piece.length, error))
                        return false;
                if (!piece.length)
                        break;
                *copied += (int64_t)piece.length;
        }
        return true;
}

int task_file_copy(struct call *call, const struct task_copy_input *input, int64_t *size, struct error *error)
{
        auto_store_task task = {0};
        auto_redactor redactor = {0};
        int64_t whole;

        auto_fd file = open_for(call, input->taskId, input->path, &task, &redactor, &whole, error);
        if (file < 0)
                return -1;
        if (whole > TASK_COPY_MAXIMUM) {
                error_set(error, ERROR_TOO_LARGE, "The file has more than 1 GiB; read it in pages.");
                return -1;
        }
        auto_fd copy = open(call->services->data_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (copy < 0) {
                error_set(error, ERROR_UNAVAILABLE, "the file could not be copied: %s", strerror(errno));
                return -1;
        }
        if (!copy_masked(&redactor, file, whole, copy, size, error) || lseek(copy, 0, SEEK_SET) < 0)
                return -1;
        int result = copy;
        copy = -1;
        return result;
}
