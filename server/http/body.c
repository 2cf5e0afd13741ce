#include <string.h>

#include "server/base/text.h"
#include "server/http/internal.h"

/* Counts what the body's buffer grows by; false, refused, when bodies have all the memory that there is for them. */
static bool count(struct http_request *request, size_t more)
{
        struct http_server *server = request->worker->server;
        auto_error error = {0};

        if (atomic_fetch_add(&server->body_memory, more) + more <= server->options.body_memory_total) {
                request->body_counted += more;
                return true;
        }
        atomic_fetch_sub(&server->body_memory, more);
        error_set(&error, ERROR_TOO_MANY, "Too much is being sent at the moment; retry later.");
        http_request_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "1");
        http_respond_error(request, &error);
        return false;
}

static bool append(struct http_request *request, const char *bytes, size_t length)
{
        size_t needed = request->body_length + length + 1,
               maximum = request->worker->server->options.body_memory_each + 1;

        if (needed > request->body_capacity) {
                size_t doubled = request->body_capacity * 2;
                size_t capacity = doubled > maximum ? maximum : doubled > needed ? doubled : needed;
                if (!count(request, capacity - request->body_capacity))
                        return false;
                request->body_capacity = capacity;
                request->body = memory_resize(request->body, capacity);
        }
        memcpy(request->body + request->body_length, bytes, length);
        request->body_length += length;
        request->body[request->body_length] = '\0';
        return true;
}

static void refuse_length(struct http_request *request)
{
        auto_error error = {0};

        error_set(&error, ERROR_TOO_LARGE, "The body is larger than the %zu bytes that this resource accepts.",
                  request->body_maximum);
        http_respond_error(request, &error);
}

/* What has arrived goes to a file, and all that follows. */
static bool move_to_file(struct http_request *request)
{
        auto_free char *body = take(request->body);
        size_t length = request->body_length;

        body_end(request);
        request->body_length = request->body_capacity = 0;
        return spool_begin(request) && spool_write(request, body, length);
}

bool body_take(struct http_request *request, const char *bytes, size_t length)
{
        if (!request->spool && length > request->body_maximum - request->body_length) {
                free(take(request->body));
                request->body_length = 0;
                refuse_length(request);
                return false;
        }
        bool is_large = request->body_length + length > request->worker->server->options.body_memory_each;
        if (!request->spool && is_large && !move_to_file(request))
                return false;
        return request->spool ? spool_write(request, bytes, length) : append(request, bytes, length);
}

void body_end(struct http_request *request)
{
        if (request->body_counted)
                atomic_fetch_sub(&request->worker->server->body_memory, request->body_counted);
        request->body_counted = 0;
}
