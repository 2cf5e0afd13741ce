#include "server/routes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/tools/tools.h"
#include "server/cors.h"
#include "server/openapi.h"
#include "server/reference.h"
#include "server/rest/bearer.h"
#include "server/rest/health.h"
#include "server/rest/device_page.h"
#include "server/rest/html.h"
#include "server/rest/oidc.h"
#include "server/rest/operations.h"
#include "server/rest/streams.h"
#include "server/services/metrics.h"
#include "server/services/oauth_client.h"
#include "server/services/origin.h"
#include "server/services/rate_limit.h"
#include "server/services/upload.h"
#include "server/web/page.h"

/* Bytes of the body of an operation that is no tool. */
#define OPERATION_BODY_MAXIMUM 262144

static void health(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_health(request, server->services);
}

static void metrics(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_metrics(request, server->services, http_request_thread(request));
}

static void reference(struct http_request *request, void *context)
{
        auto_text out = TEXT_WITH_MAXIMUM(REFERENCE_MAXIMUM);
        auto_error error = {0};

        (void)context;
        if (!reference_print(http_request_param(request, "section"), &out, &error)) {
                rest_refuse(request, &error);
                return;
        }
        size_t length = out.length;
        http_respond(request, 200, "text/markdown; charset=utf-8", text_take(&out), length);
}

static void mcp(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        mcp_post(&server->mcp, request, http_request_thread(request));
}

static void mcp_other(struct http_request *request, void *context)
{
        (void)context;
        mcp_other_method(request);
}

static void events(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_events(request, server->services, http_request_thread(request));
}

static void task_stream(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_task_stream(request, server->services, http_request_thread(request));
}

static void login(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_login_answer(&server->rest, request);
}

static void upload(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_upload_answer(&server->rest, request);
}

static void oidc_start(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_oidc_begin(&server->rest, request);
}

static void oidc_callback(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_oidc_callback(&server->rest, request);
}

static void device_page(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_device_page(&server->rest, request);
}

static void device_sign_in(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_device_sign_in(&server->rest, request);
}

static void device_decision(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_device_decide_form(&server->rest, request);
}

static void login_style(struct http_request *request, void *context)
{
        (void)context;
        html_style(request);
}

static void file(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_file_answer(&server->rest, request);
}

/* The rows of the OAuth door. */
#define OAUTH_HANDLER(name)                                                                                            \
        static void answer_##name(struct http_request *request, void *context)                                         \
        {                                                                                                              \
                const struct routes_context *server = context;                                                         \
                                                                                                                       \
                name(&server->oauth, request);                                                                         \
        }
OAUTH_HANDLER(oauth_server_metadata)
OAUTH_HANDLER(oauth_resource_metadata)
OAUTH_HANDLER(oauth_register)
OAUTH_HANDLER(oauth_token)
OAUTH_HANDLER(oauth_revoke)
OAUTH_HANDLER(oauth_authorize)
OAUTH_HANDLER(oauth_sign_in)
OAUTH_HANDLER(oauth_consent)

static void answer_oauth_style(struct http_request *request, void *context)
{
        (void)context;
        oauth_style(request);
}

static void openapi(struct http_request *request, void *context)
{
        size_t length;
        const char *bytes = openapi_bytes(&length);

        (void)context;
        http_respond_static(request, 200, HTTP_JSON, bytes, length);
}

static void document(struct http_request *request, void *context)
{
        (void)context;
        page_document(request);
}

static void asset(struct http_request *request, void *context)
{
        (void)context;
        page_asset(request);
}

static void operate(struct http_request *request, void *context)
{
        const struct routes_context *server = context;

        rest_run(&server->rest, request, route_operation(route_row(http_request_route(request))));
}

const struct http_route routes[] = {
#define ROUTE(method, path, access, body, maximum, handler, sentence)                                                  \
        {method, path, (enum http_access)(access), body, maximum, handler},
#define HANDLED(method, path, access, body, handler, operation, sentence)                                              \
        {method,                                                                                                       \
         path,                                                                                                         \
         access,                                                                                                       \
         body,                                                                                                         \
         body == HTTP_BODY_NONE ? 0 : body == HTTP_BODY_FILE ? SIZE_MAX : OPERATION_BODY_MAXIMUM,                      \
         handler},
#define OPERATION(method, path, body, permission, operation, sentence)                                                 \
        {method, path, HTTP_ACCESS_SESSION, body, body == HTTP_BODY_NONE ? 0 : OPERATION_BODY_MAXIMUM, operate},
#define PUBLIC(method, path, body, operation, sentence)                                                                \
        {method, path, HTTP_ACCESS_PUBLIC, body, body == HTTP_BODY_NONE ? 0 : OPERATION_BODY_MAXIMUM, operate},
#define TOOL(method, path, body, permission, tool, sentence)                                                           \
        {method, path, HTTP_ACCESS_SESSION, body, body == HTTP_BODY_NONE ? 0 : MCP_BODY_MAXIMUM, operate},
#include "server/route.def"
#undef ROUTE
#undef HANDLED
#undef OPERATION
#undef PUBLIC
#undef TOOL
};
const size_t route_count = COUNT_OF(routes);

size_t route_row(const struct http_route *route)
{
        uintptr_t offset = (uintptr_t)route - (uintptr_t)routes;

        if (offset < sizeof routes)
                return offset / sizeof *routes;
        for (size_t row = 0; row < COUNT_OF(routes); row++)
                if (!strcmp(routes[row].path, route->path) && !strcmp(routes[row].method, route->method))
                        return row;
        abort();
}

/* What the HTTP server need not know of a row. */
static const struct route_words {
        const char *sentence, *permission;
        const struct rest_operation *operation;
        const struct tool *tool;
} words[] = {
#define ROUTE(method, path, access, body, maximum, handler, sentence) {sentence, NULL, NULL, NULL},
#define HANDLED(method, path, access, body, handler, operation, sentence) {sentence, NULL, &operation, NULL},
#define OPERATION(method, path, body, permission, operation, sentence) {sentence, permission, &operation, NULL},
#define PUBLIC(method, path, body, operation, sentence) {sentence, NULL, &operation, NULL},
#define TOOL(method, path, body, permission, tool, sentence) {sentence, permission, NULL, &tool},
#include "server/route.def"
#undef ROUTE
#undef HANDLED
#undef OPERATION
#undef PUBLIC
#undef TOOL
};

const char *route_sentence(size_t row)
{
        return words[row].sentence;
}

const char *route_permission(size_t row)
{
        return words[row].permission;
}

static struct rest_operation of_tools[COUNT_OF(routes)];
static pthread_once_t tools_once = PTHREAD_ONCE_INIT;

/* The same input where attachments may be uploads as well: these are sent to a route, which tools do not know. */
static const struct field_table *with_uploads(const struct field_table *input)
{
        struct field_table *table = memory_new(sizeof *table);
        struct field *rows = memory_new(input->count * sizeof *rows);

        memcpy(rows, input->rows, input->count * sizeof *rows);
        for (size_t i = 0; i < input->count; i++)
                if (rows[i].nested == &attachment_table)
                        rows[i].nested = &attachment_or_upload_table;
        *table = *input;
        table->rows = rows;
        return table;
}

static struct bound_rules bounds_of(const struct tool *tool)
{
        struct bound_rules bounds = tool->bounds;

        if (!bounds.ceiling)
                bounds.ceiling = BOUND_CEILING;
        return bounds;
}

/* A tool is an operation of the same service, with the same tables. */
static void make_operations(void)
{
        static const enum rest_mode modes[] = {
                [TOOL_READS] = REST_READS, [TOOL_WRITES] = REST_WRITES, [TOOL_BLOCKS] = REST_BLOCKS};

        for (size_t i = 0; i < COUNT_OF(routes); i++) {
                const struct tool *tool = words[i].tool;
                if (tool)
                        of_tools[i] = (struct rest_operation){.input = tool->takes_files ? with_uploads(tool->input)
                                                                                         : tool->input,
                                                              .output = tool->output,
                                                              .mode = tool->is_slow ? REST_BLOCKS : modes[tool->mode],
                                                              .run = tool->run,
                                                              .is_prepared_first = tool->is_prepared_first,
                                                              .prepare = tool->prepare,
                                                              .release = tool->release,
                                                              .bounds = bounds_of(tool)};
        }
}

const struct rest_operation *route_operation(size_t row)
{
        if (!words[row].tool)
                return words[row].operation;
        pthread_once(&tools_once, make_operations);
        return &of_tools[row];
}

const char *route_access_words(size_t row)
{
        switch ((int)routes[row].access) {
        case HTTP_ACCESS_PUBLIC:
                return "everybody";
        case ROUTE_ACCESS_MCP:
                return "an API key, or an access token of the OAuth server";
        case ROUTE_ACCESS_METRICS:
                return "this machine, or an API key with `settings:view`";
        default:
                return "an API key or a session";
        }
}

static bool begin_thread(void *context, void **thread, struct error *error)
{
        const struct routes_context *server = context;

        *thread = store_reader_open(server->services->store, error);
        return *thread != NULL;
}

static void end_thread(void *context, void *thread)
{
        (void)context;
        store_reader_close(thread);
}

static bool admit(struct http_request *request, void *context, struct error *error)
{
        (void)context;
        if (!origin_check(http_request_header(request, "Origin"), http_request_header(request, "Host"),
                          settings_current(), error))
                return false;
        cors_decorate(request);
        return true;
}

/* Whoever needs no credential is limited by the address. */
static bool admit_public(struct http_request *request, void *context)
{
        char peer[HTTP_PEER_SIZE];
        auto_error error = {0};

        (void)context;
        http_request_peer(request, peer);
        if (rate_limit_address(peer, &error))
                return true;
        http_respond_error(request, &error);
        return false;
}

static bool authenticate(struct http_request *request, enum http_access access, void *context)
{
        const struct routes_context *server = context;
        struct store_db *reader = http_request_thread(request);

        switch ((int)access) {
        case ROUTE_ACCESS_MCP:
                return mcp_authenticate(&server->mcp, request, reader);
        case HTTP_ACCESS_SESSION:
                return rest_let_in(request, reader);
        case ROUTE_ACCESS_METRICS:
                return rest_metrics_authenticate(request, reader);
        default:
                return false;
        }
}

/* The settings of the moment. What is larger than any tool takes is known from the headers. */
static size_t body_maximum(struct http_request *request, void *context)
{
        const struct settings *settings = settings_current();
        const struct http_route *route = http_request_route(request);
        const struct tool *tool = words[route_row(route)].tool;
        size_t files = (size_t)settings->attachment_body_megabytes * 1024 * 1024,
               others = (size_t)settings->body_maximum_kilobytes * 1024;

        (void)context;
        if (route->body == HTTP_BODY_FILE)
                return (size_t)settings->upload_megabytes * 1024 * 1024;
        if ((int)route->access == ROUTE_ACCESS_MCP)
                return files > others ? files : others;
        return !tool ? SIZE_MAX : tool->takes_files ? files : others;
}

static void missing(struct http_request *request, void *context)
{
        (void)context;
        page_missing(request);
}

static void observe(void *context, const char *method, const char *path, unsigned status, int64_t microseconds)
{
        (void)context;
        (void)method;
        (void)microseconds;
        metrics_http(path, status);
}

static void observe_refusal(void *context)
{
        (void)context;
        metrics_count(METRIC_CONNECTIONS_REFUSED, 1);
}

/* A proxy that decides by them must have seen what the server sees. */
static const char *const headers_once[] = {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "X-MCP-Toolsets", NULL};

void routes_apply(struct routes_context *context, struct http_server_options *options)
{
        options->routes = routes;
        options->route_count = route_count;
        options->context = context;
        options->headers_once = headers_once;
        options->thread_begin = begin_thread;
        options->thread_end = end_thread;
        options->admit = admit;
        options->admit_public = admit_public;
        options->authenticate = authenticate;
        options->body_maximum = body_maximum;
        options->missing = missing;
        options->observe = observe;
        options->observe_refusal = observe_refusal;
}
