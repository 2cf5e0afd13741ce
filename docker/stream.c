#include "docker/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "docker/pool.h"
#include "docker/request.h"
#include "server/base/clock.h"

/* Most that is read for the headers of the answer and for the body of a refusal. */
#define HEAD_MAXIMUM 32768

/* libcurl makes the connection; its socket is used directly afterwards, which lets one thread read and another write.
 */
struct docker_stream {
        CURL *easy;
        int fd;            /* belongs to `easy` */
        struct text ahead; /* bytes of the stream that came with the headers */
        size_t ahead_used;
};

void docker_stream_close(struct docker_stream *stream)
{
        if (!stream)
                return;
        curl_easy_cleanup(stream->easy);
        text_clear(&stream->ahead);
        free(stream);
}

static void close_held(struct docker_stream **stream)
{
        docker_stream_close(*stream);
}

int docker_stream_fd(const struct docker_stream *stream)
{
        return stream->fd;
}

void docker_stream_end_input(struct docker_stream *stream)
{
        shutdown(stream->fd, SHUT_WR);
}

/* Waits for the socket; false when the time is over. */
static bool wait_for(const struct docker_stream *stream, short events, int64_t deadline)
{
        struct pollfd waited = {.fd = stream->fd, .events = events};

        while (true) {
                int64_t left = deadline < 0 ? -1 : deadline - clock_monotonic();
                if (deadline >= 0 && left < 0)
                        left = 0;
                int ready = poll(&waited, 1, (int)left);
                if (ready > 0)
                        return true;
                if (ready == 0)
                        return false;
                if (errno != EINTR)
                        return true;
        }
}

static int64_t deadline_of(int timeout_ms)
{
        return timeout_ms < 0 ? -1 : clock_monotonic() + timeout_ms;
}

bool docker_stream_read(struct docker_stream *stream, void *bytes, size_t size, int timeout_ms,
                        enum docker_read *outcome, size_t *length, struct error *error)
{
        size_t ahead = stream->ahead.length - stream->ahead_used;
        int64_t deadline = deadline_of(timeout_ms);

        *length = ahead < size ? ahead : size;
        *outcome = DOCKER_READ_BYTES;
        if (ahead > 0) {
                memcpy(bytes, stream->ahead.data + stream->ahead_used, *length);
                stream->ahead_used += *length;
                return true;
        }
        while (true) {
                ssize_t got = recv(stream->fd, bytes, size, MSG_DONTWAIT);
                if (got >= 0) {
                        *length = (size_t)got;
                        *outcome = got > 0 ? DOCKER_READ_BYTES : DOCKER_READ_END;
                        return true;
                }
                if (errno != EAGAIN && errno != EINTR)
                        return error_set(error, ERROR_ENGINE_STREAM_LOST, "the Docker engine broke off a stream: %s",
                                         strerror(errno));
                if (errno == EAGAIN && !wait_for(stream, POLLIN, deadline)) {
                        *outcome = DOCKER_READ_NONE_YET;
                        return true;
                }
        }
}

bool docker_stream_write(struct docker_stream *stream, const void *bytes, size_t length, int timeout_ms,
                         struct error *error)
{
        const char *at = bytes;
        int64_t deadline = deadline_of(timeout_ms);

        while (length > 0) {
                ssize_t put = send(stream->fd, at, length, MSG_DONTWAIT | MSG_NOSIGNAL);
                if (put >= 0) {
                        at += put;
                        length -= (size_t)put;
                } else if (errno == EAGAIN) {
                        if (!wait_for(stream, POLLOUT, deadline))
                                return error_set(error, ERROR_ENGINE_UNREACHABLE,
                                                 "the Docker engine took no more input for a stream in time");
                } else if (errno != EINTR) {
                        return error_set(error, ERROR_ENGINE_STREAM_LOST, "the Docker engine broke off a stream: %s",
                                         strerror(errno));
                }
        }
        return true;
}

static bool connect_to(struct docker *docker, struct docker_stream *stream, struct error *error)
{
        curl_socket_t fd = CURL_SOCKET_BAD;
        long reason = 0;

        docker_pool_prepare(docker, stream->easy);
        curl_easy_setopt(stream->easy, CURLOPT_URL, "http://docker/");
        curl_easy_setopt(stream->easy, CURLOPT_CONNECT_ONLY, 1L);
        if (curl_easy_perform(stream->easy) == CURLE_OK &&
            curl_easy_getinfo(stream->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK && fd != CURL_SOCKET_BAD) {
                stream->fd = fd;
                return true;
        }
        curl_easy_getinfo(stream->easy, CURLINFO_OS_ERRNO, &reason);
        return error_set(error, ERROR_ENGINE_UNREACHABLE, "no Docker engine listens on %s: %s", docker->socket,
                         reason ? strerror((int)reason) : "the connection failed");
}

/* Appends what comes next; false at the end of the stream, of the time or of the room. */
static bool read_more(struct docker_stream *stream, struct text *head, int64_t deadline, struct error *error)
{
        char piece[4096];
        enum docker_read outcome;
        size_t length;
        int64_t left = deadline - clock_monotonic();

        if (!docker_stream_read(stream, piece, sizeof piece, left > 0 ? (int)left : 0, &outcome, &length, error))
                return false;
        if (outcome == DOCKER_READ_NONE_YET)
                return error_set(error, ERROR_ENGINE_UNREACHABLE, "the Docker engine did not open a stream in time");
        if (outcome == DOCKER_READ_END)
                return error_set(error, ERROR_ENGINE_STREAM_LOST,
                                 "the Docker engine closed the connection instead of opening a stream");
        text_append(head, piece, length);
        return !head->is_cut ||
               error_set(error, ERROR_ENGINE_FAILED, "the Docker engine answered with more than %d bytes of headers",
                         HEAD_MAXIMUM);
}

/* The engine's refusal: the body follows the headers, as long as they say. */
static bool refuse(struct docker_stream *stream, struct text *head, size_t body, long status,
                   enum docker_operation operation, int64_t deadline, struct error *error)
{
        auto_error ended = {0};
        const char *length = strcasestr(head->data, "\r\nContent-Length:");
        size_t wanted = length && length < head->data + body ? strtoul(length + strlen("\r\nContent-Length:"), NULL, 10)
                                                             : HEAD_MAXIMUM;

        while (head->length - body < wanted && read_more(stream, head, deadline, &ended))
                ;
        return docker_failure(operation, status, head->data + body, head->length - body, error);
}

/* Reads the answer's headers; what comes after them is the stream already. */
static bool read_head(struct docker_stream *stream, enum docker_operation operation, int64_t deadline,
                      struct error *error)
{
        auto_text head = TEXT_WITH_MAXIMUM(HEAD_MAXIMUM);
        const char *end;

        while (!(end = strstr(text_string(&head), "\r\n\r\n")))
                if (!read_more(stream, &head, deadline, error))
                        return false;
        size_t body = (size_t)(end - head.data) + strlen("\r\n\r\n");
        if (strncmp(head.data, "HTTP/1.", strlen("HTTP/1.")) != 0)
                return error_set(error, ERROR_ENGINE_FAILED, "what listens on the Docker socket does not speak HTTP");
        long status = strtol(head.data + strlen("HTTP/1.1 "), NULL, 10);
        if (status != 101 && status != 200)
                return refuse(stream, &head, body, status, operation, deadline, error);
        stream->ahead = TEXT_WITH_MAXIMUM(HEAD_MAXIMUM);
        text_append(&stream->ahead, head.data + body, head.length - body);
        return true;
}

struct docker_stream *docker_stream_open(struct docker *docker, const char *path, const json_t *body,
                                         enum docker_operation operation, struct error *error)
{
        CLEANUP(close_held) struct docker_stream *stream = NULL;
        int timeout = (int)atomic_load(&docker->timeout);
        char prefix[24];

        if (!docker_prefix(docker, prefix, error))
                return NULL;
        stream = memory_new(sizeof *stream);
        stream->easy = curl_easy_init();
        if (!stream->easy)
                abort();
        auto_free char *printed = document_print(body);
        auto_free char *head = text_format("POST %s%s HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\n"
                                           "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: %zu\r\n\r\n%s",
                                           prefix, path, strlen(printed), printed);
        bool is_open = connect_to(docker, stream, error) &&
                       docker_stream_write(stream, head, strlen(head), timeout, error) &&
                       read_head(stream, operation, clock_monotonic() + timeout, error);
        if (is_open)
                return take(stream);
        if (error->code == ERROR_ENGINE_UNREACHABLE || error->code == ERROR_ENGINE_STREAM_LOST)
                docker_forget_version(docker);
        return NULL;
}
