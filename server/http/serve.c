#include <string.h>

#include "server/base/log.h"
#include "server/http/internal.h"

/* So much of a body that nobody will read is taken in to keep the connection usable, and the answer readable. */
#define DROP_MAXIMUM (64 * 1024)

static enum MHD_Result send_response(struct http_request *request)
{
        return MHD_queue_response(request->connection, request->status, request->response);
}

/* Whether the rest of a refused request is too much to read, or ends nobody knows where, or its client waits to be told
 * to send it. */
static bool is_rest_unwanted(const struct http_request *request)
{
        const char *length = http_request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);

        if (request->is_ambiguous || http_request_header(request, MHD_HTTP_HEADER_EXPECT))
                return true;
        return length && (strlen(length) > 18 || strtoull(length, NULL, 10) > DROP_MAXIMUM);
}

/* The first call, with only the headers. A response that is queued here closes the connection, so a refusal waits for
 * the end of the body unless that is too far away. */
static enum MHD_Result begin(struct http_request *request)
{
        struct worker *worker = request->worker;

        client_set_deadline(worker, request->client, worker->now + worker->server->options.request_timeout_ms);
        admission_decide(request);
        if (!request->response || !is_rest_unwanted(request))
                return MHD_YES;
        return send_response(request);
}

/* The rest of a file that was refused half way, with a length that was accepted, is read so that its client learns why.
 */
static size_t drop_maximum(const struct http_request *request)
{
        bool is_announced = request->spool && http_request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);

        return is_announced ? request->body_maximum : DROP_MAXIMUM;
}

/* A piece of the body; counted, because a chunked body does not announce its length. */
static enum MHD_Result take_piece(struct http_request *request, const char *bytes, size_t length)
{
        bool is_read = !request->response && request->route->body != HTTP_BODY_NONE;

        if (is_read && body_take(request, bytes, length))
                return MHD_YES;
        request->dropped += length;
        return request->dropped <= drop_maximum(request) ? MHD_YES : MHD_NO;
}

static void run_handler(struct http_request *request)
{
        struct worker *worker = request->worker;

        request->is_handled = true;
        client_set_deadline(worker, request->client, INT64_MAX);
        if (request->response)
                return;
        request->route->handler(request, worker->server->options.context);
        if (request->is_suspended || request->response)
                return;
        auto_error error = {0};
        error_set(&error, ERROR_INTERNAL, "The handler of %s did not answer.", request->route->path);
        http_respond_error(request, &error);
}

enum MHD_Result serve_request(void *worker, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context)
{
        struct http_request *request = *context;

        (void)version;
        if (!request) {
                *context = request = request_new(worker, connection, method, url);
                return begin(request);
        }
        if (*upload_size) {
                size_t length = *upload_size;
                *upload_size = 0;
                client_note_bytes(worker, request->client, length);
                return take_piece(request, upload, length);
        }
        if (!request->is_handled)
                run_handler(request);
        if (request->is_suspended && !request->is_abandoned)
                return MHD_YES;
        return send_response(request);
}

void serve_completed(void *argument, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code)
{
        struct http_request *request = take(*context);
        struct worker *worker = argument;
        const struct http_server_options *options = &worker->server->options;

        (void)connection, (void)code;
        if (!request)
                return;
        if (request->stream)
                stream_over(request->stream);
        body_end(request);
        spool_end(request);
        client_set_deadline(worker, request->client,
                            worker->now + options->idle_timeout_seconds * INT64_C(1000) + options->request_timeout_ms);
        request_release(request);
}
