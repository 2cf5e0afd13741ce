/* Answers that go on: event streams and the like.
 *
 * A stream is held twice, by its connection and by whoever opened it; the second of the two to let go frees it. Bytes
 * come from any thread and wait in a bounded buffer until the connection takes them, so that a client that reads slowly
 * never holds up whoever sends. A stream on which nothing is sent gets a comment (":") in every heartbeat, and one
 * whose client is gone, or takes nothing for two heartbeats, is closed. */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "server/http/request.h"

struct http_stream;

/* Constant, and outlives the server. Called on the worker's thread, without a lock; must not block. */
struct http_stream_calls {
        /* All that waited was taken, after http_stream_offer had refused something. May be NULL. */
        void (*drained)(void *context);
        /* The connection is over, whoever ended it. Called once; what is sent afterwards is dropped. */
        void (*closed)(void *context);
};

/* Answers with a stream, its headers being sent at once, with Cache-Control: no-cache and X-Accel-Buffering: no. NULL
 * when too many streams are open: the request has been answered with 429 then. On the worker's thread, before
 * http_suspend. The caller calls http_stream_release at last. */
struct http_stream *http_respond_stream(struct http_request *request, unsigned status, const char *content_type,
                                        const struct http_stream_calls *calls, void *context);

/* On any thread. */

/* Sends bytes, which are copied. A stream that has no room for them has not kept up: it is cut off. False when it is
 * over or being ended. */
bool http_stream_send(struct http_stream *stream, const void *bytes, size_t length);
/* The same for a sender that can wait: when there is no room nothing is sent, and `drained` is called once there is. An
 * empty stream has room for a message of any length. */
bool http_stream_offer(struct http_stream *stream, const void *bytes, size_t length);
/* Ends the stream after what waits has been taken. */
void http_stream_close(struct http_stream *stream);
void http_stream_release(struct http_stream *stream);

#endif
