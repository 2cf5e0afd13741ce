#include "tests/mcp/fixture.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "mcp/door.h"
#include "server/http/server.h"
#include "server/services/origin.h"
#include "server/store/store.h"

#define REPLY_MAXIMUM (16 * 1024 * 1024)

static char folder[] = "/tmp/longshore-mcp-XXXXXX";
static struct services services;
static struct mcp_door door;
static struct http_server *server;

static void answer_post(struct http_request *request, void *context)
{
        mcp_post(context, request, http_request_thread(request));
}

static void answer_other(struct http_request *request, void *context)
{
        (void)context;
        mcp_other_method(request);
}

static const struct http_route routes[] = {
        {"POST", "/mcp", HTTP_ACCESS_OTHER, HTTP_BODY_JSON, MCP_BODY_MAXIMUM, answer_post},
        {"*", "/mcp", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_other},
};

static bool admit(struct http_request *request, void *context, struct error *error)
{
        (void)context;
        return origin_check(http_request_header(request, "Origin"), http_request_header(request, "Host"),
                            settings_current(), error);
}

static bool authenticate(struct http_request *request, enum http_access access, void *context)
{
        (void)access;
        return mcp_authenticate(context, request, http_request_thread(request));
}

static bool begin_thread(void *context, void **thread, struct error *error)
{
        (void)context;
        return (*thread = store_reader_open(services.store, error));
}

static void end_thread(void *context, void *thread)
{
        (void)context;
        store_reader_close(thread);
}

int fixture_open(void **state)
{
        auto_error error = {0};

        (void)state;
        stub_reset();
        sem_init(&stub.entered, 0, 0);
        sem_init(&stub.gate, 0, 0);
        sem_init(&stub.left, 0, 0);
        assert_non_null(mkdtemp(strcpy(folder, "/tmp/longshore-mcp-XXXXXX")));
        services.store = store_open(folder, &error);
        if (!services.store)
                fail_msg("%s", error.message);
        door = (struct mcp_door){.services = &services, .pool = pool_new(2, 8)};
        struct http_server_options options = {
                .threads = 1,
                .routes = routes,
                .route_count = COUNT_OF(routes),
                .context = &door,
                .admit = admit,
                .authenticate = authenticate,
                .thread_begin = begin_thread,
                .thread_end = end_thread,
        };
        server = http_server_start(&options, &error);
        if (!server)
                fail_msg("%s", error.message);
        return 0;
}

int fixture_close(void **state)
{
        (void)state;
        stub_reset();
        http_server_stop(server);
        pool_free(door.pool);
        store_close(services.store);
        auto_free char *command = text_format("rm -rf %s", folder);
        return system(command);
}

int fixture_reset(void **state)
{
        (void)state;
        stub_reset();
        return 0;
}

static int connect_server(void)
{
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(http_server_port(server)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        assert_true(fd >= 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        return fd;
}

/* Whether one of the header lines is the named field. */
static bool has_field(const char *lines, const char *name)
{
        size_t length = strlen(name);

        for (const char *end; (end = strstr(lines, "\r\n")); lines = end + 2)
                if (!strncasecmp(lines, name, length) && lines[length] == ':')
                        return true;
        return false;
}

/* Behind the path of the requests that follow. */
static const char *query = "";

static void send_request(int fd, const char *method, const char *header_lines, const char *body)
{
        const char *lines = header_lines ? header_lines : "";
        auto_text request = TEXT_WITH_MAXIMUM(REPLY_MAXIMUM);

        text_printf(&request, "%s /mcp%s HTTP/1.1\r\nConnection: close\r\n", method, query);
        text_append_string(&request, lines);
        if (!has_field(lines, "Host"))
                text_append_string(&request, "Host: 127.0.0.1\r\n");
        if (body && !has_field(lines, "Content-Type"))
                text_append_string(&request, "Content-Type: application/json\r\n");
        if (body)
                text_printf(&request, "Content-Length: %zu\r\n", strlen(body));
        text_append_string(&request, "\r\n");
        if (body)
                text_append_string(&request, body);
        for (size_t sent = 0; sent < request.length;) {
                ssize_t count = send(fd, request.data + sent, request.length - sent, MSG_NOSIGNAL);
                if (count <= 0)
                        break;
                sent += (size_t)count;
        }
}

struct reply ask(const char *method, const char *header_lines, const char *body)
{
        struct reply reply = {0};
        auto_text all = TEXT_WITH_MAXIMUM(REPLY_MAXIMUM);
        auto_error error = {0};
        char piece[65536];
        ssize_t count;
        auto_fd fd = connect_server();

        send_request(fd, method, header_lines, body);
        while ((count = recv(fd, piece, sizeof piece, 0)) > 0)
                text_append(&all, piece, (size_t)count);
        const char *end = strstr(text_string(&all), "\r\n\r\n");
        assert_non_null(end);
        assert_int_equal(sscanf(all.data, "HTTP/1.1 %d", &reply.status), 1);
        snprintf(reply.head, sizeof reply.head, "%.*s\r\n", (int)(end - all.data), all.data);
        reply.body = text_copy(end + 4);
        reply.json = document_parse(reply.body, strlen(reply.body), &error);
        return reply;
}

void reply_clear(struct reply *reply)
{
        free(reply->body);
        json_decref(reply->json);
}

struct reply post_with(const char *header_lines, const char *body)
{
        auto_free char *lines = text_format("Authorization: Bearer " STUB_TOKEN "\r\n%s", header_lines);

        return ask("POST", lines, body);
}

struct reply post(const char *body)
{
        return post_with("", body);
}

struct reply ask_at(const char *with_query, const char *header_lines, const char *body)
{
        query = with_query;
        struct reply reply = post_with(header_lines, body);
        query = "";
        return reply;
}

struct reply call_tool(const char *name, const char *arguments)
{
        auto_free char *body = text_format("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
                                           "\"name\":\"%s\",\"arguments\":%s}}",
                                           name, arguments);

        return post(body);
}

json_t *result_of(const struct reply *reply)
{
        return json_object_get(reply->json, "result");
}

const char *result_text(const struct reply *reply)
{
        json_t *content = json_array_get(json_object_get(result_of(reply), "content"), 0);
        const char *text = document_get_string(content, "text");

        assert_non_null(text);
        return text;
}

int error_code_of(const struct reply *reply)
{
        return (int)document_get_integer(json_object_get(reply->json, "error"), "code", 0);
}

const char *reply_header(const struct reply *reply, const char *name)
{
        static char value[256];
        auto_free char *start = text_format("\r\n%s: ", name);
        const char *line = strcasestr(reply->head, start);

        if (!line)
                return NULL;
        line += strlen(start);
        snprintf(value, sizeof value, "%.*s", (int)strcspn(line, "\r"), line);
        return value;
}

int begin_post(const char *header_lines, const char *body)
{
        auto_free char *lines = text_format("Authorization: Bearer " STUB_TOKEN "\r\n%s", header_lines);
        int fd = connect_server();

        send_request(fd, "POST", lines, body);
        return fd;
}

void hang_up_after(const char *body)
{
        int fd = begin_post("", body);

        sem_wait(&stub.entered);
        close(fd);
}

struct reply ask_stateless_with(const char *header_lines, const char *method, const char *params)
{
        auto_free char *body =
                text_format("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"%s\",\"params\":{%s%s\"_meta\":{"
                            "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                            "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
                            method, params, *params ? "," : "");

        return post_with(header_lines, body);
}

struct reply ask_stateless(const char *method, const char *name, const char *params)
{
        auto_free char *lines = text_format("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s%s%s", method,
                                            name ? "Mcp-Name: " : "", name ? name : "", name ? "\r\n" : "");

        return ask_stateless_with(lines, method, params);
}
