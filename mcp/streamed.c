#include "mcp/streamed.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/later.h"
#include "server/base/document.h"
#include "server/http/stream.h"
#include "server/services/progress.h"
#include "server/services/reader.h"

#define EVENT_STREAM "text/event-stream"
#define EVENT_START "event: message\ndata: "
#define EVENT_END "\n\n"

/* Held by its connection and by the work; the second of the two to let go frees it. */
struct streamed {
        struct progress progress; /* first: what a report gets is this */
        struct http_stream *stream;
        struct caller caller;
        struct exchange exchange;
        char *token, *request_id; /* copies: the request is gone */
        char *progress_token;     /* as JSON */
        int64_t reported;         /* the most that was reported */
        pthread_mutex_t lock;     /* of `answer` */
        struct text answer;       /* that waits for room */
        atomic_int holders;
};

static void streamed_release(struct streamed *streamed)
{
        if (atomic_fetch_sub(&streamed->holders, 1) > 1)
                return;
        if (streamed->stream)
                http_stream_release(streamed->stream);
        exchange_close(&streamed->exchange);
        pthread_mutex_destroy(&streamed->lock);
        text_clear(&streamed->answer);
        free(streamed->token);
        free(streamed->request_id);
        free(streamed->progress_token);
        free(streamed);
}

/* A report for which there is no room is left out: the next one says more. */
static void report(struct progress *progress, int64_t done, int64_t total, const char *message)
{
        struct streamed *streamed = (struct streamed *)progress;
        auto_text event = TEXT_WITH_MAXIMUM(8192);

        if (done <= streamed->reported)
                return;
        streamed->reported = done;
        text_printf(&event,
                    EVENT_START "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                                "\"progressToken\":%s,\"progress\":%" PRId64,
                    streamed->progress_token, done);
        if (total)
                text_printf(&event, ",\"total\":%" PRId64, total);
        if (message) {
                text_append_string(&event, ",\"message\":");
                document_append_quoted(&event, message, strlen(message));
        }
        text_append_string(&event, "}}" EVENT_END);
        if (!event.is_cut)
                http_stream_offer(streamed->stream, event.data, event.length);
}

/* Sends the answer when there is room for it, and ends the stream. */
static void send_answer(struct streamed *streamed)
{
        pthread_mutex_lock(&streamed->lock);
        if (streamed->answer.length &&
            http_stream_offer(streamed->stream, streamed->answer.data, streamed->answer.length)) {
                text_clear(&streamed->answer);
                http_stream_close(streamed->stream);
        }
        pthread_mutex_unlock(&streamed->lock);
}

static void stream_drained(void *context)
{
        send_answer(context);
}

static void stream_closed(void *context)
{
        struct streamed *streamed = context;

        atomic_store(&streamed->progress.is_cancelled, true);
        streamed_release(streamed);
}

static const struct http_stream_calls calls = {stream_drained, stream_closed};

/* The status has gone out already: an error that concerns the request as a whole is told in the protocol's way. */
static void write_answer(struct streamed *streamed, const struct error *error)
{
        struct text *out = &streamed->answer;

        text_append_string(out, EVENT_START);
        if (error) {
                envelope_error(out, streamed->exchange.items[0].message.id, ENVELOPE_INTERNAL, error->message, NULL);
        } else {
                const struct text *answer = &streamed->exchange.items[0].answer;
                text_append(out, answer->data, answer->length);
        }
        text_append_string(out, EVENT_END);
}

static void finish(struct streamed *streamed, const struct error *error)
{
        pthread_mutex_lock(&streamed->lock);
        write_answer(streamed, error);
        pthread_mutex_unlock(&streamed->lock);
        send_answer(streamed);
        streamed_release(streamed);
}

static void work(void *context)
{
        struct streamed *streamed = context;
        struct caller *caller = &streamed->caller;
        auto_error error = {0};

        caller->db = services_reader(caller->services, &error);
        bool is_done = caller->db && exchange_run(&streamed->exchange, caller, &error);
        finish(streamed, is_done ? NULL : &error);
}

bool streamed_is_wanted(struct exchange *exchange, const struct exchange_headers *headers)
{
        const json_t *token;

        return headers->accept && strcasestr(headers->accept, EVENT_STREAM) && exchange_reporting(exchange, &token);
}

static struct streamed *streamed_new(const struct caller *caller, struct exchange *exchange)
{
        struct streamed *streamed = memory_new(sizeof *streamed);
        const json_t *token;

        exchange_move(&streamed->exchange, exchange);
        exchange_reporting(&streamed->exchange, &token);
        streamed->progress.report = report;
        streamed->progress_token = json_dumps(token, JSON_ENCODE_ANY | JSON_COMPACT);
        streamed->reported = -1;
        streamed->caller = *caller;
        streamed->caller.token = streamed->token = text_copy(caller->token);
        streamed->caller.request_id = streamed->request_id = text_copy(caller->request_id);
        streamed->exchange.request_id = streamed->request_id;
        streamed->caller.progress = &streamed->progress;
        streamed->answer = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
        pthread_mutex_init(&streamed->lock, NULL);
        atomic_init(&streamed->holders, 2);
        return streamed;
}

void streamed_begin(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                    struct exchange *exchange)
{
        struct streamed *streamed = streamed_new(caller, exchange);
        auto_error error = {0};

        streamed->stream = http_respond_stream(request, 200, EVENT_STREAM, &calls, streamed);
        if (!streamed->stream) {
                /* Answered with 429: there is no connection to hold it, and no work. */
                atomic_store(&streamed->holders, 1);
                streamed_release(streamed);
        } else if (!pool_submit(door->pool, work, streamed)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                finish(streamed, &error);
        }
}
