#include "server/rest/streams.h"

#include <string.h>

#include "server/base/text.h"
#include "server/http/stream.h"
#include "server/rest/bearer.h"
#include "server/services/feed.h"

#define EVENT_STREAM "text/event-stream"
/* How long a client is to wait before it comes back. */
#define RETRY_LINE "retry: 2000\n\n"

/* One client: between its connection and its subscription, and freed by the latter. */
struct listener {
        struct http_stream *stream;
        struct feed_subscription *subscription;
};

static bool send_event(void *to, const char *id, const char *name, const char *data, size_t length)
{
        struct listener *listener = to;
        auto_text event = TEXT_WITH_MAXIMUM(SIZE_MAX / 2);

        if (id)
                text_printf(&event, "id: %s\n", id);
        text_printf(&event, "event: %s\ndata: ", name);
        text_append(&event, data, length);
        text_append_string(&event, "\n\n");
        return http_stream_offer(listener->stream, event.data, event.length);
}

static void end_events(void *to)
{
        struct listener *listener = to;

        http_stream_close(listener->stream);
}

static void release_listener(void *to)
{
        struct listener *listener = to;

        if (listener->stream)
                http_stream_release(listener->stream);
        free(listener);
}

static const struct feed_sink sink = {send_event, end_events, release_listener};

static void stream_drained(void *context)
{
        struct listener *listener = context;

        feed_drained(listener->subscription);
}

static void stream_closed(void *context)
{
        struct listener *listener = context;

        feed_unsubscribe(listener->subscription);
}

static const struct http_stream_calls calls = {stream_drained, stream_closed};

static const char *last_event_id(const struct http_request *request)
{
        const char *id = http_request_header(request, "Last-Event-ID");

        return id && *id ? id : http_request_query(request, "lastEventId");
}

static void respond(struct http_request *request, struct listener *listener, const struct error *error)
{
        if (!listener->subscription) {
                free(listener);
                rest_refuse(request, error);
                return;
        }
        listener->stream = http_respond_stream(request, 200, EVENT_STREAM, &calls, listener);
        if (!listener->stream) {
                feed_unsubscribe(listener->subscription);
                return;
        }
        http_stream_send(listener->stream, RETRY_LINE, strlen(RETRY_LINE));
        feed_begin(listener->subscription);
}

void rest_events(struct http_request *request, const struct services *services, struct store_db *reader)
{
        struct listener *listener = memory_new(sizeof *listener);
        auto_error error = {0};
        struct actor actor;

        if (rest_authenticate(request, reader, &actor, &error))
                listener->subscription =
                        feed_subscribe_changes(services->feed, &actor, last_event_id(request), &sink, listener, &error);
        respond(request, listener, &error);
}

void rest_task_stream(struct http_request *request, const struct services *services, struct store_db *reader)
{
        struct listener *listener = memory_new(sizeof *listener);
        auto_error error = {0};
        struct actor actor;

        if (rest_authenticate(request, reader, &actor, &error))
                listener->subscription =
                        feed_subscribe_task(services->feed, reader, &actor, http_request_param(request, "id"),
                                            last_event_id(request), &sink, listener, &error);
        respond(request, listener, &error);
}
