#include "server/http/gateway.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/text.h"
#include "server/http/gateway_parts.h"

#define STACK_SIZE (512 * 1024)
#define ANSWER_MS 5000

char *gateway_cookie(const struct gateway_request *request, const char *name)
{
        return head_cookie(request->head, name);
}

/* Waits for events of the client; false when the time is over or the gateway stops. */
static bool wait_for(const struct gateway_connection *connection, short events, int64_t until)
{
        struct pollfd polled[] = {{connection->wire.fd, events, 0}, {connection->gateway->stop, POLLIN, 0}};
        int64_t left = until - clock_monotonic();

        return left > 0 && poll(polled, COUNT_OF(polled), (int)left) > 0 && !polled[1].revents;
}

static bool write_all(struct gateway_connection *connection, const char *bytes, size_t length)
{
        int64_t until = clock_monotonic() + ANSWER_MS;

        while (length) {
                ssize_t taken = wire_write(&connection->wire, bytes, length);
                if (taken < 0 && (errno != EAGAIN || !wait_for(connection, POLLOUT, until)))
                        return false;
                bytes += taken > 0 ? taken : 0;
                length -= taken > 0 ? (size_t)taken : 0;
        }
        return true;
}

bool gateway_answer(struct gateway_connection *connection, const struct gateway_decision *decision, bool keeps)
{
        auto_text out = TEXT_WITH_MAXIMUM(HEAD_MAXIMUM);
        const char *text = decision->text ? decision->text : "";

        text_printf(&out,
                    "HTTP/1.1 %u %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n"
                    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n",
                    decision->status, MHD_get_reason_phrase_for(decision->status), strlen(text));
        if (decision->location)
                text_printf(&out, "Location: %s\r\n", decision->location);
        if (decision->cookie)
                text_printf(&out, "Set-Cookie: %s\r\n", decision->cookie);
        text_printf(&out, "%s\r\n%s", keeps ? "" : "Connection: close\r\n", text);
        return write_all(connection, text_string(&out), out.length);
}

/* Reads until the head of the next request is whole; its length, 0 when none comes. */
static size_t await_head(struct gateway_connection *connection, bool is_first)
{
        const struct gateway_options *options = &connection->gateway->options;
        int64_t until = clock_monotonic() + (is_first ? options->head_timeout_ms : options->keep_timeout_ms);
        size_t length;

        while (!(length = head_length(connection->in, connection->in_length))) {
                size_t room = HEAD_MAXIMUM - connection->in_length;
                ssize_t got = room ? wire_read(&connection->wire, connection->in + connection->in_length, room) : 0;
                if (got == 0 || (got < 0 && (errno != EAGAIN || !wait_for(connection, POLLIN, until))))
                        return 0;
                if (got > 0 && !connection->in_length)
                        until = clock_monotonic() + options->head_timeout_ms;
                connection->in_length += got > 0 ? (size_t)got : 0;
        }
        return length;
}

static bool refuse(struct gateway_connection *connection, unsigned status, const char *text)
{
        struct gateway_decision decision = {.status = status, .text = text};

        /* Whether it arrived or not, the connection is over. */
        (void)!gateway_answer(connection, &decision, false);
        return false;
}

static bool decide(struct gateway_connection *connection, const struct message_head *head,
                   struct gateway_decision *decision)
{
        const struct gateway_options *options = &connection->gateway->options;
        bool is_host_repeated, is_repeated;
        const char *host = head_find(head, "Host", &is_host_repeated);
        const char *scheme = head_find(head, "X-Forwarded-Proto", &is_repeated);
        struct gateway_request request = {.method = head->method,
                                          .target = head->target,
                                          .host = host ? host : "",
                                          .origin = head_find(head, "Origin", &is_repeated),
                                          .client = connection->client,
                                          .is_secure = options->tls ||
                                                       (connection->is_proxy && scheme && !strcasecmp(scheme, "https")),
                                          .head = head};

        if (is_host_repeated || is_repeated)
                return refuse(connection, 400, "Bad request.\n");
        if (head->body == HEAD_BODY_LENGTH && head->length > options->body_maximum)
                return refuse(connection, 413, "The request is too large.\n");
        options->decide(&request, decision, options->context);
        return true;
}

/* One request. False when the connection is over. */
static bool serve_one(struct gateway_connection *connection, bool is_first)
{
        const struct gateway_options *options = &connection->gateway->options;
        struct gateway_decision decision = {.target = -1};
        size_t length = await_head(connection, is_first);
        auto_free char *bytes = memory_new(length + 1);
        struct message_head head;

        if (!length)
                return connection->in_length == HEAD_MAXIMUM &&
                       refuse(connection, 431, "The request's head is too large.\n");
        memcpy(bytes, connection->in, length);
        connection->in_length -= length;
        memmove(connection->in, connection->in + length, connection->in_length);
        if (!head_read_request(bytes, length, &head))
                return refuse(connection, 400, "Bad request.\n");
        if (!decide(connection, &head, &decision))
                return false;
        bool keeps = head.keeps && head.body == HEAD_BODY_NONE;
        bool is_kept = decision.target < 0 ? gateway_answer(connection, &decision, keeps) && keeps
                                           : gateway_carry(connection, &head, decision.target, decision.ticket);
        if (decision.ticket)
                options->release(decision.ticket, options->context);
        free(decision.location);
        free(decision.cookie);
        return is_kept;
}

static void *serve(void *argument)
{
        struct gateway_connection *connection = argument;
        struct gateway *gateway = connection->gateway;
        int64_t until = clock_monotonic() + gateway->options.head_timeout_ms;
        bool is_open = wire_open(&connection->wire, connection->fd, gateway->options.tls, gateway->credentials, until);

        for (bool is_first = true; is_open; is_first = false)
                is_open = serve_one(connection, is_first);
        wire_close(&connection->wire);
        if (connection->is_counted)
                address_counts_add(gateway->addresses, &connection->address, -1);
        free(connection);
        pthread_mutex_lock(&gateway->mutex);
        gateway->connections--;
        pthread_cond_signal(&gateway->ended);
        pthread_mutex_unlock(&gateway->mutex);
        return NULL;
}

/* Whether another connection is taken, which counts from then on. */
static bool take_place(struct gateway *gateway, struct gateway_connection *connection, const struct sockaddr *from)
{
        const struct gateway_options *options = &gateway->options;

        if (!address_of(from, &connection->address))
                return false;
        address_print(&connection->address, connection->client);
        connection->is_proxy = address_list_has(gateway->proxies, &connection->address);
        bool is_limited =
                options->address_maximum && !connection->is_proxy && !address_is_this_machine(&connection->address);
        if (is_limited && address_counts_get(gateway->addresses, &connection->address) >= options->address_maximum)
                return false;
        pthread_mutex_lock(&gateway->mutex);
        bool has_room = gateway->connections < options->connection_maximum;
        gateway->connections += has_room;
        pthread_mutex_unlock(&gateway->mutex);
        if (has_room && is_limited)
                address_counts_add(gateway->addresses, &connection->address, 1);
        connection->is_counted = has_room && is_limited;
        return has_room;
}

static void give_back(struct gateway *gateway, struct gateway_connection *connection)
{
        if (connection->is_counted)
                address_counts_add(gateway->addresses, &connection->address, -1);
        pthread_mutex_lock(&gateway->mutex);
        gateway->connections--;
        pthread_mutex_unlock(&gateway->mutex);
}

static void accept_one(struct gateway *gateway)
{
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        pthread_attr_t attributes;
        pthread_t thread;
        int on = 1;
        auto_fd fd = accept4(gateway->listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0)
                return;
        auto_free struct gateway_connection *connection = memory_new(sizeof *connection);
        connection->gateway = gateway;
        if (!take_place(gateway, connection, (struct sockaddr *)&from))
                return;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connection->fd = fd;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_SIZE);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        if (pthread_create(&thread, &attributes, serve, connection) == 0) {
                (void)!take(connection);
                (void)!take_fd(&fd);
        } else {
                give_back(gateway, connection);
        }
        pthread_attr_destroy(&attributes);
}

static void *listen_loop(void *argument)
{
        struct gateway *gateway = argument;
        struct pollfd polled[] = {{gateway->listener, POLLIN, 0}, {gateway->stop, POLLIN, 0}};

        while (poll(polled, COUNT_OF(polled), -1) >= 0 || errno == EINTR) {
                if (polled[1].revents)
                        break;
                if (polled[0].revents)
                        accept_one(gateway);
        }
        return NULL;
}

static void set_defaults(struct gateway_options *options)
{
        const struct {
                unsigned *option, preset;
        } presets[] = {
                {&options->connection_maximum, 256}, {&options->head_timeout_ms, 30000},
                {&options->keep_timeout_ms, 30000},  {&options->idle_timeout_ms, 600000},
                {&options->look_ms, 5000},
        };

        for (size_t i = 0; i < COUNT_OF(presets); i++)
                if (!*presets[i].option)
                        *presets[i].option = presets[i].preset;
        if (!options->body_maximum)
                options->body_maximum = UINT64_C(1) << 30;
}

static bool start(struct gateway *gateway, struct error *error)
{
        if (!address_list_read(gateway->options.trusted_proxies, &gateway->proxies, error) ||
            (gateway->options.tls && !tls_credentials(&gateway->credentials, error)) ||
            !listen_open(gateway->options.host, gateway->options.port, &gateway->listener, &gateway->port, error))
                return false;
        gateway->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        gateway->has_thread = gateway->stop >= 0 && !pthread_create(&gateway->thread, NULL, listen_loop, gateway);
        return gateway->has_thread || error_set(error, ERROR_INTERNAL, "A thread cannot be started.");
}

struct gateway *gateway_start(const struct gateway_options *options, struct error *error)
{
        struct gateway *gateway = memory_new(sizeof *gateway);

        gateway->options = *options;
        set_defaults(&gateway->options);
        gateway->listener = gateway->stop = -1;
        gateway->addresses = address_counts_new();
        pthread_mutex_init(&gateway->mutex, NULL);
        pthread_cond_init(&gateway->ended, NULL);
        if (start(gateway, error))
                return gateway;
        gateway_stop(gateway);
        return NULL;
}

uint16_t gateway_port(const struct gateway *gateway)
{
        return gateway->port;
}

void gateway_stop(struct gateway *gateway)
{
        if (!gateway)
                return;
        if (gateway->has_thread) {
                eventfd_write(gateway->stop, 1);
                pthread_join(gateway->thread, NULL);
        }
        pthread_mutex_lock(&gateway->mutex);
        while (gateway->connections)
                pthread_cond_wait(&gateway->ended, &gateway->mutex);
        pthread_mutex_unlock(&gateway->mutex);
        if (gateway->listener >= 0)
                close(gateway->listener);
        if (gateway->stop >= 0)
                close(gateway->stop);
        if (gateway->credentials)
                gnutls_certificate_free_credentials(gateway->credentials);
        free(gateway->proxies);
        address_counts_free(gateway->addresses);
        pthread_mutex_destroy(&gateway->mutex);
        pthread_cond_destroy(&gateway->ended);
        free(gateway);
}
