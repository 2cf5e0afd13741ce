#include <errno.h>
#include <string.h>

#include "server/base/text.h"
#include "server/http/internal.h"

static void refuse(struct http_request *request, enum error_code code, const char *sentence)
{
        auto_error error = {0};

        error_set(&error, code, sentence ? "%s" : NULL, sentence);
        http_respond_error(request, &error);
}

static bool is_admitted(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;
        auto_error error = {0};

        if (once_check(request, &error) && (!options->admit || options->admit(request, options->context, &error)))
                return true;
        http_respond_error(request, &error);
        return false;
}

/* The path is known, the method is not listed for it. */
static void refuse_method(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;
        auto_text allow = TEXT_WITH_MAXIMUM(256), sentence = TEXT_WITH_MAXIMUM(512);

        router_allow(options->routes, options->route_count, request->match.pattern, &allow);
        http_request_add_header(request, MHD_HTTP_HEADER_ALLOW, text_string(&allow));
        if (strcmp(request->method, MHD_HTTP_METHOD_OPTIONS)) {
                text_printf(&sentence, "This resource answers only %s.", text_string(&allow));
                refuse(request, ERROR_METHOD_NOT_ALLOWED, text_string(&sentence));
                return;
        }
        if (options->preflight)
                options->preflight(request, text_string(&allow), options->context);
        if (!request->response)
                http_respond(request, MHD_HTTP_NO_CONTENT, NULL, NULL, 0);
}

static void refuse_path(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;

        if (options->missing)
                options->missing(request, options->context);
        if (!request->response)
                refuse(request, ERROR_NOT_FOUND, "There is no such resource.");
}

static bool find_route(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;

        router_find(options->routes, options->route_count, request->method, request->path, &request->match);
        request->route = request->match.route;
        if (!request->match.pattern)
                refuse_path(request);
        else if (!request->route)
                refuse_method(request);
        return request->route;
}

static bool is_authenticated(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;

        if (request->route->access == HTTP_ACCESS_PUBLIC)
                return !options->admit_public || options->admit_public(request, options->context);
        if (options->authenticate && options->authenticate(request, request->route->access, options->context) &&
            !request->response)
                return true;
        if (!request->response)
                refuse(request, ERROR_UNAUTHENTICATED, NULL);
        return false;
}

/* application/json, or a type with the suffix +json (RFC 6839, section 3.1), parameters aside. */
static bool is_json(const char *type)
{
        size_t length = strcspn(type, "; \t");

        return (length == 16 && !strncasecmp(type, "application/json", 16)) ||
               (length > 5 && !strncasecmp(type + length - 5, "+json", 5));
}

static bool is_body_acceptable(struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;
        const struct http_route *route = request->route;

        if (route->body == HTTP_BODY_NONE)
                return true;
        request->body_maximum = options->body_maximum ? options->body_maximum(request, options->context) : SIZE_MAX;
        if (request->body_maximum > route->body_maximum)
                request->body_maximum = route->body_maximum;
        const char *type = http_request_header(request, MHD_HTTP_HEADER_CONTENT_TYPE);
        if (route->body == HTTP_BODY_JSON && type && !is_json(type)) {
                refuse(request, ERROR_UNSUPPORTED_MEDIA_TYPE, NULL);
                return false;
        }
        const char *length = http_request_header(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
        uint64_t announced = !length ? 0 : strlen(length) > 18 ? UINT64_MAX : strtoull(length, NULL, 10);
        if (announced > request->body_maximum) {
                refuse(request, ERROR_TOO_LARGE, NULL);
                return false;
        }
        bool is_file = route->body == HTTP_BODY_FILE || announced > options->body_memory_each;
        return !is_file || spool_begin(request);
}

void admission_decide(struct http_request *request)
{
        (void)(is_admitted(request) && find_route(request) && is_authenticated(request) && is_body_acceptable(request));
}
