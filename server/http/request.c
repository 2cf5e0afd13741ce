#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>

#include "server/base/text.h"
#include "server/http/internal.h"

/* Enough for the requests of one turn of the loop that are still arriving; suspended ones are fewer. */
#define SPARE_MAXIMUM 64
#define FORWARDED_FOR "X-Forwarded-For"

static void write_id(struct http_request *request)
{
        static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
        struct worker *worker = request->worker;
        uint64_t number = worker->request_count++ * worker->server->worker_count + worker->number;
        char reversed[16], *at = stpcpy(request->id, worker->server->id_prefix);
        size_t length = 0;

        do {
                reversed[length++] = digits[number % 36];
                number /= 36;
        } while (number);
        while (length)
                *at++ = reversed[--length];
        *at = '\0';
}

/* Copies what fits; what does not fit matches no row. */
static void copy(char *to, size_t size, const char *from)
{
        size_t length = strlen(from);

        if (length >= size)
                length = 0;
        memcpy(to, from, length);
        to[length] = '\0';
}

static int64_t microseconds(void)
{
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC, &now);
        return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

struct http_request *request_new(struct worker *worker, struct MHD_Connection *connection, const char *method,
                                 const char *path)
{
        struct http_request *request = SLIST_FIRST(&worker->spare);

        if (request) {
                SLIST_REMOVE_HEAD(&worker->spare, next);
                worker->spare_count--;
        } else {
                request = memory_new(sizeof *request);
        }
        /* The texts at the end are written before they are read. */
        memset(request, 0, offsetof(struct http_request, id));
        request->worker = worker;
        request->connection = connection;
        request->client = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
        request->began = microseconds();
        copy(request->method, sizeof request->method, method);
        copy(request->path, sizeof request->path, path);
        request->match.pattern = NULL;
        request->match.param_count = 0;
        write_id(request);
        worker->in_flight++;
        return request;
}

void request_clear(struct http_request *request)
{
        if (request->user_release)
                request->user_release(request->user);
        for (unsigned i = 0; i < request->header_count; i++)
                free(request->headers[i].value);
        free(request->body);
        spool_free(request->spool);
        free(request->range);
        free(request->if_range);
        if (request->response)
                MHD_destroy_response(request->response);
}

static void observe(const struct http_request *request)
{
        const struct http_server_options *options = &request->worker->server->options;

        if (options->observe)
                options->observe(options->context, request->method, request->match.pattern, request->status,
                                 microseconds() - request->began);
}

void request_release(struct http_request *request)
{
        struct worker *worker = request->worker;

        observe(request);
        worker->in_flight--;
        if (request->is_abandoned) {
                suspend_let_go(request);
                return;
        }
        request_clear(request);
        if (worker->spare_count == SPARE_MAXIMUM) {
                free(request);
                return;
        }
        SLIST_INSERT_HEAD(&worker->spare, request, next);
        worker->spare_count++;
}

const char *http_request_method(const struct http_request *request)
{
        return request->method;
}

const char *http_request_path(const struct http_request *request)
{
        return request->path;
}

const char *http_request_param(const struct http_request *request, const char *name)
{
        size_t length = strlen(name);

        for (size_t i = 0; i < request->match.param_count; i++) {
                const struct router_param *param = &request->match.params[i];
                if (param->name_length == length && !memcmp(param->name, name, length))
                        return param->value;
        }
        return NULL;
}

const char *http_request_body(const struct http_request *request, size_t *length)
{
        *length = request->body_length;
        return request->body ? request->body : "";
}

char *http_request_take_body(struct http_request *request, size_t *length)
{
        *length = request->body_length;
        request->body_length = 0;
        return take(request->body);
}

const char *http_request_id(const struct http_request *request)
{
        return request->id;
}

const struct http_route *http_request_route(const struct http_request *request)
{
        return request->route;
}

void http_request_set_user(struct http_request *request, void *user, void (*release)(void *user))
{
        if (request->user_release)
                request->user_release(request->user);
        request->user = user;
        request->user_release = release;
}

void *http_request_user(const struct http_request *request)
{
        return request->user;
}

const char *http_request_header(const struct http_request *request, const char *name)
{
        return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *http_request_query(const struct http_request *request, const char *name)
{
        const char *value = NULL;

        if (!MHD_lookup_connection_value_n(request->connection, MHD_GET_ARGUMENT_KIND, name, strlen(name), &value,
                                           NULL))
                return NULL;
        return value ? value : "";
}

struct each_query {
        void (*each)(const char *name, const char *value, void *context);
        void *context;
};

static enum MHD_Result pass_query(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
        const struct each_query *pass = context;

        (void)kind;
        pass->each(name, value ? value : "", pass->context);
        return MHD_YES;
}

void http_request_each_query(const struct http_request *request,
                             void (*each)(const char *name, const char *value, void *context), void *context)
{
        MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, pass_query,
                                  &(struct each_query){each, context});
}

static enum MHD_Result append_value(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
        (void)kind;
        if (!strcasecmp(name, FORWARDED_FOR) && value)
                text_printf(context, ",%s", value);
        return MHD_YES;
}

/* Each proxy appends to the header, or adds another one behind it. What does not fit was made up by the client. */
static void look_behind_proxies(const struct http_request *request, struct address *address)
{
        auto_text told = TEXT_WITH_MAXIMUM(4096);

        MHD_get_connection_values(request->connection, MHD_HEADER_KIND, append_value, &told);
        if (!told.is_cut)
                address_forwarded(request->worker->server->proxies, text_string(&told), address);
}

static bool is_behind_proxy(const struct http_request *request, struct address *address)
{
        const union MHD_ConnectionInfo *info =
                MHD_get_connection_info(request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);

        if (!info || !address_of(info->client_addr, address))
                memset(address, 0, sizeof *address);
        return address_list_has(request->worker->server->proxies, address);
}

void http_request_peer(const struct http_request *request, char peer[HTTP_PEER_SIZE])
{
        struct address address;

        if (is_behind_proxy(request, &address))
                look_behind_proxies(request, &address);
        address_print(&address, peer);
}

bool http_request_is_secure(const struct http_request *request)
{
        struct address address;

        if (request->is_suspended)
                return request->is_secure;
        if (request->worker->server->options.tls)
                return true;
        const char *scheme = http_request_header(request, "X-Forwarded-Proto");
        return scheme && is_behind_proxy(request, &address) && !strcasecmp(scheme, "https");
}

void *http_request_thread(const struct http_request *request)
{
        return request->worker->context;
}
