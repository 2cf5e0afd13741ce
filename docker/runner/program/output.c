#include "docker/runner/program/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "docker/runner/write.h"
#include "server/base/text.h"

#define CHUNK 65536

static bool fail(struct error *error, const char *what, const char *path)
{
        int number = errno;
        enum error_code code = error_code_of_errno(number, ERROR_INTERNAL);

        return error_set(error, code, "cannot %s %s: %s", what, path, strerror(number));
}

/* Opens a file for appending, folder by folder and never through a link; -1 with errno. */
static int open_record(const char *records, const char *relative)
{
        auto_free char *path = text_copy(relative);
        auto_fd folder = open(records, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        char *name = path;

        for (char *slash; folder >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
                *slash = '\0';
                if (mkdirat(folder, name, 0700) && errno != EEXIST)
                        return -1;
                int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                close(folder);
                folder = next;
        }
        if (folder < 0)
                return -1;
        return openat(folder, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                      0600);
}

static bool open_file(const char *records, const char *relative, int *file, struct error *error)
{
        struct stat info;

        *file = -1;
        if (!relative)
                return true;
        if ((*file = open_record(records, relative)) < 0)
                return fail(error, "open the record", relative);
        if (fstat(*file, &info) || !S_ISREG(info.st_mode))
                return error_set(error, ERROR_INTERNAL, "the record %s is not a regular file", relative);
        return true;
}

/* A pipe belongs to whoever the file system takes its maker for. */
static bool make_pipe(const struct runner_start *start, int ends[2])
{
        setfsgid((gid_t)start->gid);
        setfsuid((uid_t)start->uid);
        bool is_made = pipe2(ends, O_CLOEXEC) == 0;
        int number = errno;
        setfsuid(0);
        setfsgid(0);
        errno = number;
        return is_made && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

bool output_open(struct output *output, const char *records, const struct runner_start *start, int ends[OUTPUT_COUNT],
                 struct error *error)
{
        struct output_stream *streams = output->streams;

        output->failure = 0;
        for (int i = 0; i < OUTPUT_COUNT; i++) {
                int pair[2];
                if (!make_pipe(start, pair))
                        return fail(error, "make", "a pipe");
                streams[i] = (struct output_stream){.pipe = pair[0], .file = -1};
                ends[i] = pair[1];
        }
        return open_file(records, start->output, &streams[OUTPUT_STDOUT].file, error) &&
               open_file(records, start->errors, &streams[OUTPUT_STDERR].file, error) &&
               open_file(records, start->log, &output->log, error);
}

static void record(struct output *output, struct output_stream *stream, const char *bytes, size_t length)
{
        if (output->failure)
                return;
        if (!write_whole(stream->file, bytes, length)) {
                output->failure = errno;
                return;
        }
        stream->bytes += (int64_t)length;
        if (output->log >= 0 && !write_whole(output->log, bytes, length))
                output->failure = errno;
}

/* Reads once, at most `maximum` bytes; false when there is nothing now. */
static bool pump(struct output *output, struct output_stream *stream, size_t maximum, size_t *got)
{
        static char bytes[CHUNK];
        ssize_t length = read(stream->pipe, bytes, maximum < CHUNK ? maximum : CHUNK);

        if (length > 0) {
                *got = (size_t)length;
                record(output, stream, bytes, *got);
                return true;
        }
        if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
                close(stream->pipe);
                stream->pipe = -1;
        }
        return false;
}

void output_pump(struct output *output, int stream)
{
        size_t got;

        pump(output, &output->streams[stream], CHUNK, &got);
}

void output_drain(struct output *output)
{
        for (int i = 0; i < OUTPUT_COUNT; i++) {
                struct output_stream *stream = &output->streams[i];
                int held = 0;
                size_t got;

                if (stream->pipe >= 0 && ioctl(stream->pipe, FIONREAD, &held))
                        held = 0;
                for (; stream->pipe >= 0 && held > 0; held -= (int)got)
                        if (!pump(output, stream, (size_t)held, &got))
                                break;
        }
}

void output_sync(struct output *output)
{
        const int files[] = {output->streams[OUTPUT_STDOUT].file, output->streams[OUTPUT_STDERR].file, output->log};

        for (size_t i = 0; i < COUNT_OF(files); i++)
                if (files[i] >= 0 && fdatasync(files[i]) && !output->failure)
                        output->failure = errno;
}
