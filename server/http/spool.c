#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "server/base/path.h"
#include "server/base/text.h"
#include "server/http/internal.h"

/* A body may not take the last of the disk, which others need to record what they do. Looked at once in so many bytes.
 */
#define RESERVE_BYTES (32 * 1024 * 1024)
#define LOOK_EVERY_BYTES (1024 * 1024)
/* The least speed, in bytes a millisecond, at which a body must arrive. */
#define SPEED_MINIMUM 16

struct spool {
        int file; /* -1 once it has been given up or taken */
        uint64_t length;
        uint64_t look_at; /* length at which the disk is looked at again */
};

/* A file without a name: whatever happens to this process, nothing of it stays. */
static int open_file(const char *folder)
{
        auto_free char *path = NULL;
        int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

        if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
                return file;
        path = text_format("%s/spool.XXXXXX", folder);
        file = mkostemp(path, O_CLOEXEC);
        if (file >= 0)
                unlink(path);
        return file;
}

static void refuse(struct http_request *request, enum error_code code, const char *sentence)
{
        auto_error error = {0};

        error_set(&error, code, "%s", sentence);
        http_respond_error(request, &error);
}

static bool refuse_full(struct http_request *request)
{
        refuse(request, ERROR_STORE_FULL, "The disk is full: the body cannot be kept.");
        return false;
}

bool spool_begin(struct http_request *request)
{
        struct http_server *server = request->worker->server;

        if (atomic_fetch_add(&server->spools, 1) >= server->options.spool_maximum) {
                atomic_fetch_sub(&server->spools, 1);
                http_request_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "5");
                refuse(request, ERROR_TOO_MANY, "Too many files are being sent at the moment; retry later.");
                return false;
        }
        request->spool = memory_new(sizeof *request->spool);
        request->spool->file = open_file(server->options.spool_folder);
        if (request->spool->file >= 0)
                return true;
        if (errno == ENOSPC || errno == EDQUOT)
                return refuse_full(request);
        auto_error error = {0};
        error_set(&error, ERROR_INTERNAL, "A file cannot be made in %s: %s", server->options.spool_folder,
                  strerror(errno));
        http_respond_error(request, &error);
        return false;
}

static void give_up(struct spool *spool)
{
        if (spool->file >= 0)
                close(take_fd(&spool->file));
}

static bool write_all(int file, const char *bytes, size_t length)
{
        while (length) {
                ssize_t written = write(file, bytes, length);
                if (written < 0 && errno == EINTR)
                        continue;
                if (written < 0)
                        return false;
                bytes += written;
                length -= (size_t)written;
        }
        return true;
}

static bool has_space(struct spool *spool, const char *folder, size_t length)
{
        if (spool->length + length < spool->look_at)
                return true;
        spool->look_at = spool->length + length + LOOK_EVERY_BYTES;
        int64_t available = path_free_space(folder);
        return available < 0 || available > RESERVE_BYTES + (int64_t)length;
}

bool spool_write(struct http_request *request, const char *bytes, size_t length)
{
        struct spool *spool = request->spool;
        struct worker *worker = request->worker;
        const struct http_server_options *options = &worker->server->options;

        if (length > request->body_maximum - spool->length) {
                give_up(spool);
                refuse(request, ERROR_TOO_LARGE, "The body is larger than this resource accepts.");
                return false;
        }
        if (!has_space(spool, options->spool_folder, length) || !write_all(spool->file, bytes, length)) {
                give_up(spool);
                return refuse_full(request);
        }
        spool->length += length;
        client_set_deadline(worker, request->client,
                            request->began / 1000 + options->request_timeout_ms +
                                    (int64_t)(spool->length / SPEED_MINIMUM));
        return true;
}

void spool_end(struct http_request *request)
{
        if (request->spool)
                atomic_fetch_sub(&request->worker->server->spools, 1);
}

void spool_free(struct spool *spool)
{
        if (spool)
                give_up(spool);
        free(spool);
}

int http_request_take_file(struct http_request *request, uint64_t *size)
{
        struct spool *spool = request->spool;

        if (!spool)
                return -1;
        *size = spool->length;
        if (spool->file >= 0 && lseek(spool->file, 0, SEEK_SET))
                return -1;
        return take_fd(&spool->file);
}
