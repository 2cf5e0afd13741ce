#include <inttypes.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/text.h"
#include "server/http/internal.h"

void http_request_add_header(struct http_request *request, const char *name, const char *value)
{
        if (request->header_count == REQUEST_HEADER_MAXIMUM) {
                log_error("An answer has too many headers; one is left out", "header", name, "request", request->id);
                return;
        }
        request->has_own_sniffing =
                request->has_own_sniffing || !strcasecmp(name, MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS);
        request->has_own_caching = request->has_own_caching || !strcasecmp(name, MHD_HTTP_HEADER_CACHE_CONTROL);
        request->headers[request->header_count++] = (struct http_header){name, text_copy(value)};
}

static void add_headers(const struct http_request *request, const char *content_type, struct MHD_Response *response)
{
        MHD_add_response_header(response, "X-Request-Id", request->id);
        if (content_type)
                MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
        if (!request->has_own_sniffing)
                MHD_add_response_header(response, MHD_HTTP_HEADER_X_CONTENT_TYPE_OPTIONS, "nosniff");
        if (!request->has_own_caching)
                MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
        for (unsigned i = 0; i < request->header_count; i++)
                MHD_add_response_header(response, request->headers[i].name, request->headers[i].value);
        if (atomic_load_explicit(&request->worker->is_stopping, memory_order_relaxed))
                MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

/* An answer to a request that is not suspended waits here until libmicrohttpd may have it. */
static void keep(struct http_request *request, unsigned status, struct MHD_Response *response)
{
        if (request->response) {
                log_error("A request was answered twice; the second answer is dropped", "request", request->id);
                MHD_destroy_response(response);
                return;
        }
        request->response = response;
        request->status = status;
}

void respond_with(struct http_request *request, unsigned status, const char *content_type,
                  struct MHD_Response *response)
{
        add_headers(request, content_type, response);
        if (request->is_suspended)
                suspend_answer(request, status, response);
        else
                keep(request, status, response);
}

static void respond(struct http_request *request, unsigned status, const char *content_type, void *body, size_t length,
                    enum MHD_ResponseMemoryMode mode)
{
        struct MHD_Response *response = MHD_create_response_from_buffer(length, body, mode);

        if (!response)
                abort();
        respond_with(request, status, content_type, response);
}

void http_respond(struct http_request *request, unsigned status, const char *content_type, char *body, size_t length)
{
        if (body)
                respond(request, status, content_type, body, length, MHD_RESPMEM_MUST_FREE);
        else
                http_respond_static(request, status, content_type, "", 0);
}

void http_respond_static(struct http_request *request, unsigned status, const char *content_type, const void *body,
                         size_t length)
{
        respond(request, status, content_type, (void *)body, length, MHD_RESPMEM_PERSISTENT);
}

static void add_retry_after(struct http_request *request, const struct error *error)
{
        int64_t seconds = document_get_integer(error->details, "retryAfterSeconds", 0);
        auto_free char *value = seconds > 0 ? text_format("%" PRId64, seconds) : NULL;

        if (value)
                http_request_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, value);
}

void http_respond_error(struct http_request *request, const struct error *error)
{
        const struct error_kind *kind = error_kind(error->code);
        auto_json *document = json_pack("{s:s, s:s, s:o}", "error", kind->code, "code", kind->code, "message",
                                        document_text(error->message, strlen(error->message)));

        add_retry_after(request, error);
        if (error->details)
                json_object_set(document, "details", error->details);
        if (kind->status >= 500)
                log_error("A request failed", "request", request->id, "path", request->path, "code", kind->code,
                          "reason", error->message);
        char *body = document_print(document);
        http_respond(request, (unsigned)kind->status, HTTP_JSON, body, strlen(body));
}
