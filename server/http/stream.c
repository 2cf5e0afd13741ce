#include "server/http/stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "server/base/text.h"
#include "server/http/internal.h"

/* libmicrohttpd's buffer of a response; what it sends in chunks does not go through it. */
#define BLOCK_BYTES 512
/* So many streams are taken up in one turn of the loop: calls of other clients are served in between. */
#define TURN_MAXIMUM 128
/* So many heartbeats without room for a byte, and the client counts as gone. */
#define STUCK_MAXIMUM 2

static const char heartbeat[] = ":\n\n";

/* Under the stream's lock: has the worker look at it. */
static void queue(struct http_stream *stream)
{
        struct worker *worker = stream->worker;

        if (!worker || stream->is_queued)
                return;
        stream->is_queued = true;
        pthread_mutex_lock(&worker->lock);
        bool was_empty = TAILQ_EMPTY(&worker->ready);
        TAILQ_INSERT_TAIL(&worker->ready, stream, ready);
        if (was_empty)
                eventfd_write(worker->wake, 1);
        pthread_mutex_unlock(&worker->lock);
}

static void append(struct http_stream *stream, const void *bytes, size_t length)
{
        if (stream->taken) {
                memmove(stream->bytes, stream->bytes + stream->taken, stream->length - stream->taken);
                stream->length -= stream->taken;
                stream->taken = 0;
        }
        if (stream->length + length > stream->capacity) {
                size_t doubled = stream->capacity * 2, needed = stream->length + length;
                stream->capacity = doubled > needed ? doubled : needed;
                stream->bytes = memory_resize(stream->bytes, stream->capacity);
        }
        memcpy(stream->bytes + stream->length, bytes, length);
        stream->length += length;
}

/* An idle stream holds no buffer. */
static void forget_bytes(struct http_stream *stream)
{
        free(take(stream->bytes));
        stream->length = stream->taken = stream->capacity = 0;
}

static void cut(struct http_stream *stream)
{
        stream->is_cut = stream->is_closing = true;
        forget_bytes(stream);
        queue(stream);
}

static bool is_open(const struct http_stream *stream)
{
        return stream->worker && !stream->is_closing;
}

bool http_stream_send(struct http_stream *stream, const void *bytes, size_t length)
{
        pthread_mutex_lock(&stream->lock);
        bool is_good = is_open(stream), has_room = length <= stream->maximum - (stream->length - stream->taken);
        if (is_good && has_room) {
                append(stream, bytes, length);
                if (stream->is_suspended)
                        queue(stream);
        } else if (is_good) {
                cut(stream);
        }
        pthread_mutex_unlock(&stream->lock);
        return is_good && has_room;
}

bool http_stream_offer(struct http_stream *stream, const void *bytes, size_t length)
{
        pthread_mutex_lock(&stream->lock);
        size_t waiting = stream->length - stream->taken;
        bool is_good = is_open(stream), has_room = !waiting || waiting + length <= stream->maximum;
        if (is_good && has_room) {
                append(stream, bytes, length);
                if (stream->is_suspended)
                        queue(stream);
        } else if (is_good) {
                stream->wants_drained = true;
        }
        pthread_mutex_unlock(&stream->lock);
        return is_good && has_room;
}

void http_stream_close(struct http_stream *stream)
{
        pthread_mutex_lock(&stream->lock);
        stream->is_closing = true;
        if (stream->is_suspended)
                queue(stream);
        pthread_mutex_unlock(&stream->lock);
}

void http_stream_release(struct http_stream *stream)
{
        if (atomic_fetch_sub(&stream->holders, 1) > 1)
                return;
        pthread_mutex_destroy(&stream->lock);
        free(stream->bytes);
        free(stream);
}

static void schedule_heartbeat(struct http_stream *stream, struct worker *worker)
{
        TAILQ_REMOVE(&worker->streams, stream, beats);
        stream->beat_at = worker->now + worker->server->options.heartbeat_ms;
        TAILQ_INSERT_TAIL(&worker->streams, stream, beats);
}

/* Hands out what waits; 0 when nothing does and the connection is to be suspended. Under the stream's lock. */
static ssize_t take_bytes(struct http_stream *stream, char *buffer, size_t maximum)
{
        size_t length = stream->length - stream->taken;

        if (stream->is_cut)
                return MHD_CONTENT_READER_END_WITH_ERROR;
        if (!length)
                return stream->is_closing ? MHD_CONTENT_READER_END_OF_STREAM : 0;
        length = length < maximum ? length : maximum;
        memcpy(buffer, stream->bytes + stream->taken, length);
        stream->taken += length;
        if (stream->taken == stream->length)
                forget_bytes(stream);
        return (ssize_t)length;
}

/* libmicrohttpd has room for more. */
static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t maximum)
{
        struct http_stream *stream = context;

        (void)position;
        pthread_mutex_lock(&stream->lock);
        ssize_t taken = take_bytes(stream, buffer, maximum);
        if (!taken && stream->wants_drained) {
                stream->wants_drained = false;
                pthread_mutex_unlock(&stream->lock);
                stream->calls->drained(stream->context);
                pthread_mutex_lock(&stream->lock);
                taken = take_bytes(stream, buffer, maximum);
        }
        stream->stuck = 0;
        if (taken > 0)
                schedule_heartbeat(stream, stream->worker);
        if (!taken) {
                stream->is_suspended = true;
                MHD_suspend_connection(stream->connection);
        }
        pthread_mutex_unlock(&stream->lock);
        return taken;
}

static void release_reader(void *context)
{
        http_stream_release(context);
}

/* Tells the kernel to give up on a client that does not answer, and us when one hangs up. */
static void watch_peer(struct http_stream *stream, struct worker *worker)
{
        unsigned limit = worker->server->options.heartbeat_ms;
        struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = stream};

        setsockopt(stream->socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof limit);
        epoll_ctl(worker->peers, EPOLL_CTL_ADD, stream->socket, &event);
}

static struct http_stream *stream_new(struct http_request *request, const struct http_stream_calls *calls,
                                      void *context)
{
        struct worker *worker = request->worker;
        struct http_stream *stream = memory_new(sizeof *stream);

        pthread_mutex_init(&stream->lock, NULL);
        stream->connection = request->connection;
        stream->worker = worker;
        stream->socket = request->client->socket;
        stream->calls = calls;
        stream->context = context;
        stream->maximum = worker->server->options.stream_buffer;
        stream->is_closing = atomic_load(&worker->is_stopping);
        atomic_init(&stream->holders, 3); /* the caller, the request, libmicrohttpd's response */
        stream->beat_at = worker->now + worker->server->options.heartbeat_ms;
        TAILQ_INSERT_TAIL(&worker->streams, stream, beats);
        watch_peer(stream, worker);
        return stream;
}

struct http_stream *http_respond_stream(struct http_request *request, unsigned status, const char *content_type,
                                        const struct http_stream_calls *calls, void *context)
{
        struct http_server *server = request->worker->server;
        auto_error error = {0};

        if (atomic_fetch_add(&server->streams, 1) >= server->options.stream_maximum) {
                atomic_fetch_sub(&server->streams, 1);
                error_set(&error, ERROR_TOO_MANY, "Too many streams are open at the moment; retry later.");
                http_request_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "10");
                http_respond_error(request, &error);
                return NULL;
        }
        struct http_stream *stream = request->stream = stream_new(request, calls, context);
        struct MHD_Response *response =
                MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream, stream, release_reader);
        if (!response)
                abort();
        http_request_add_header(request, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
        http_request_add_header(request, "X-Accel-Buffering", "no");
        http_request_add_header(request, MHD_HTTP_HEADER_CONNECTION, "close");
        respond_with(request, status, content_type, response);
        return stream;
}

/* Lets the connection of a suspended stream go on, and cuts one off that is to be. */
static void go_on(struct http_stream *stream)
{
        if (stream->is_suspended) {
                stream->is_suspended = false;
                MHD_resume_connection(stream->connection);
        } else if (stream->is_cut) {
                shutdown(stream->socket, SHUT_RDWR);
        }
}

static struct http_stream *next_ready(struct worker *worker)
{
        pthread_mutex_lock(&worker->lock);
        struct http_stream *stream = TAILQ_FIRST(&worker->ready);
        if (stream)
                TAILQ_REMOVE(&worker->ready, stream, ready);
        pthread_mutex_unlock(&worker->lock);
        return stream;
}

static bool serve_ready(struct worker *worker)
{
        struct http_stream *stream = NULL;

        for (int i = 0; i < TURN_MAXIMUM && (stream = next_ready(worker)); i++) {
                pthread_mutex_lock(&stream->lock);
                stream->is_queued = false;
                go_on(stream);
                pthread_mutex_unlock(&stream->lock);
        }
        return stream;
}

/* A suspended stream gets its comment; one that still has something to send makes no progress. */
static void beat(struct http_stream *stream)
{
        pthread_mutex_lock(&stream->lock);
        if (stream->is_suspended) {
                append(stream, heartbeat, sizeof heartbeat - 1);
                go_on(stream);
        } else if (++stream->stuck >= STUCK_MAXIMUM) {
                cut(stream);
        }
        pthread_mutex_unlock(&stream->lock);
}

static bool serve_heartbeats(struct worker *worker)
{
        for (int i = 0; i < TURN_MAXIMUM; i++) {
                struct http_stream *stream = TAILQ_FIRST(&worker->streams);
                if (!stream || stream->beat_at > worker->now)
                        return false;
                schedule_heartbeat(stream, worker);
                beat(stream);
        }
        return true;
}

static void serve_hangups(struct worker *worker)
{
        struct epoll_event events[TURN_MAXIMUM];
        int count = epoll_wait(worker->peers, events, TURN_MAXIMUM, 0);

        for (int i = 0; i < count; i++) {
                struct http_stream *stream = events[i].data.ptr;
                pthread_mutex_lock(&stream->lock);
                cut(stream);
                pthread_mutex_unlock(&stream->lock);
        }
}

void stream_serve(struct worker *worker, bool has_hangups)
{
        if (has_hangups)
                serve_hangups(worker);
        bool has_beats = serve_heartbeats(worker), has_ready = serve_ready(worker);
        worker->has_more = has_beats || has_ready;
}

void stream_over(struct http_stream *stream)
{
        struct worker *worker = stream->worker;

        pthread_mutex_lock(&stream->lock);
        stream->worker = NULL;
        if (stream->is_queued) {
                pthread_mutex_lock(&worker->lock);
                TAILQ_REMOVE(&worker->ready, stream, ready);
                pthread_mutex_unlock(&worker->lock);
        }
        forget_bytes(stream);
        pthread_mutex_unlock(&stream->lock);
        TAILQ_REMOVE(&worker->streams, stream, beats);
        epoll_ctl(worker->peers, EPOLL_CTL_DEL, stream->socket, NULL);
        atomic_fetch_sub(&worker->server->streams, 1);
        stream->calls->closed(stream->context);
        http_stream_release(stream);
}

void stream_end_all(struct worker *worker, bool is_cut)
{
        struct http_stream *stream;

        TAILQ_FOREACH(stream, &worker->streams, beats)
        {
                pthread_mutex_lock(&stream->lock);
                stream->is_closing = true;
                if (is_cut)
                        cut(stream);
                go_on(stream);
                pthread_mutex_unlock(&stream->lock);
        }
        worker->has_more = true;
}
