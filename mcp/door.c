#include "mcp/door.h"

#include <string.h>

#include "mcp/later.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/services/oauth_site.h"
#include "server/services/setting.h"

void door_refuse(struct http_request *request, const struct error *error)
{
        if (error->code == ERROR_UNAUTHENTICATED)
                http_request_add_header(request, "WWW-Authenticate", "Bearer");
        http_respond_error(request, error);
}

static void refuse_disabled(struct http_request *request)
{
        auto_error error = {0};

        error_set(&error, ERROR_NOT_FOUND, "The MCP server is switched off.");
        door_refuse(request, &error);
}

static struct caller new_caller(const struct mcp_door *door, struct http_request *request, struct store_db *reader)
{
        return (struct caller){
                .services = door->services,
                .db = reader,
                .token = caller_token(http_request_header(request, "Authorization")),
                .accepts_oauth = true,
                .request_id = http_request_id(request),
        };
}

/* A client that is told where the metadata is can sign its person in by itself. */
static void challenge(const struct caller *caller, struct http_request *request, const struct error *error)
{
        if (error->code != ERROR_UNAUTHENTICATED) {
                door_refuse(request, error);
                return;
        }
        auto_free char *value =
                oauth_site_challenge(caller->services, http_request_header(request, "Host"), *caller->token);
        http_request_add_header(request, "WWW-Authenticate", value);
        http_respond_error(request, error);
}

bool mcp_authenticate(const struct mcp_door *door, struct http_request *request, struct store_db *reader)
{
        struct caller caller = new_caller(door, request, reader);
        auto_error error = {0};

        if (!settings_current()->mcp_server_enabled) {
                refuse_disabled(request);
                return false;
        }
        if (caller_authenticate(&caller, &error))
                return true;
        challenge(&caller, request, &error);
        return false;
}

void mcp_other_method(struct http_request *request)
{
        auto_error error = {0};

        if (!settings_current()->mcp_server_enabled) {
                refuse_disabled(request);
                return;
        }
        if (!strcmp(http_request_method(request), "OPTIONS")) {
                http_request_add_header(request, "Allow", "POST, OPTIONS");
                http_respond(request, 204, NULL, NULL, 0);
                return;
        }
        http_request_add_header(request, "Allow", "POST");
        error_set(&error, ERROR_METHOD_NOT_ALLOWED, "/mcp answers only POST; it offers no event stream.");
        http_respond_error(request, &error);
}

static void log_exchange(const struct exchange *exchange)
{
        const struct message *message = &exchange->items[0].message;

        log_debug("An MCP request was read", "request", exchange->request_id, "method",
                  exchange->is_batch ? "batch" : message->method, "tool",
                  exchange->is_batch ? NULL : document_get_string(message->params, "name"), "revision",
                  exchange->revision ? exchange->revision->name : NULL);
}

void door_send(struct http_request *request, struct exchange *exchange)
{
        size_t length;
        char *body = exchange_print(exchange, &length);

        if (body)
                http_respond(request, exchange->status, HTTP_JSON, body, length);
        else
                http_respond(request, 202, NULL, NULL, 0);
}

static struct exchange_headers read_headers(const struct http_request *request)
{
        return (struct exchange_headers){
                .version = http_request_header(request, "MCP-Protocol-Version"),
                .method = http_request_header(request, "Mcp-Method"),
                .name = http_request_header(request, "Mcp-Name"),
                .toolsets = http_request_header(request, "X-MCP-Toolsets"),
                .toolset_query = http_request_query(request, "toolsets"),
                .accept = http_request_header(request, "Accept"),
        };
}

static void post_here(const struct mcp_door *door, struct http_request *request, struct caller *caller,
                      const struct exchange_headers *headers)
{
        struct exchange_request asked = {.headers = headers,
                                         .actor = &caller->actor,
                                         .body_maximum = (size_t)settings_current()->body_maximum_kilobytes * 1024,
                                         .request_id = caller->request_id};
        auto_error error = {0};
        auto_exchange exchange = {0};

        if (!caller_authenticate(caller, &error)) {
                door_refuse(request, &error);
                return;
        }
        asked.body = http_request_body(request, &asked.length);
        exchange_open(&exchange, &asked);
        log_exchange(&exchange);
        if (exchange_mode(&exchange) != TOOL_READS)
                door_postpone(door, request, caller, &exchange, headers);
        else if (exchange_run_reads(&exchange, caller, &error))
                door_send(request, &exchange);
        else
                door_refuse(request, &error);
}

void mcp_post(const struct mcp_door *door, struct http_request *request, struct store_db *reader)
{
        struct caller caller = new_caller(door, request, reader);
        struct exchange_headers headers = read_headers(request);
        struct door_body body = {0};

        http_request_body(request, &body.length);
        body.file = http_request_take_file(request, &body.file_length);
        if (body.file >= 0 || body.length > EXCHANGE_BODY_LARGE)
                door_postpone_whole(door, request, &caller, &headers, &body);
        else
                post_here(door, request, &caller, &headers);
}
