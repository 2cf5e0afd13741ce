#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "server/base/text.h"
#include "tests/http/fixture.h"

#define WAIT_SECONDS 20

static bool has_tls;

void connections_use_tls(void)
{
        has_tls = true;
}

struct connection *connection_open_plain(const struct http_server *server, const char *from)
{
        struct connection *connection = memory_new(sizeof *connection);
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons(http_server_port(server)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)},
                           own = {.sin_family = AF_INET};
        struct timeval limit = {.tv_sec = WAIT_SECONDS};
        int on = 1;

        connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(connection->fd >= 0);
        setsockopt(connection->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (from) {
                assert_int_equal(inet_pton(AF_INET, from, &own.sin_addr), 1);
                assert_int_equal(bind(connection->fd, (struct sockaddr *)&own, sizeof own), 0);
        }
        assert_int_equal(connect(connection->fd, (struct sockaddr *)&address, sizeof address), 0);
        return connection;
}

bool connection_begin_tls(struct connection *connection, const char *priorities)
{
        int done;

        assert_int_equal(gnutls_certificate_allocate_credentials(&connection->credentials), 0);
        assert_int_equal(gnutls_init(&connection->tls, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL), 0);
        gnutls_credentials_set(connection->tls, GNUTLS_CRD_CERTIFICATE, connection->credentials);
        assert_int_equal(gnutls_priority_set_direct(connection->tls, priorities, NULL), 0);
        gnutls_server_name_set(connection->tls, GNUTLS_NAME_DNS, "localhost", 9);
        gnutls_transport_set_int(connection->tls, connection->fd);
        do
                done = gnutls_handshake(connection->tls);
        while (done < 0 && !gnutls_error_is_fatal(done));
        return done == 0;
}

struct connection *connection_open(const struct http_server *server)
{
        return connection_open_from(server, NULL);
}

struct connection *connection_open_from(const struct http_server *server, const char *from)
{
        struct connection *connection = connection_open_plain(server, from);

        if (has_tls)
                connection_begin_tls(connection, "NORMAL");
        return connection;
}

void connection_close(struct connection *connection)
{
        if (connection->tls) {
                gnutls_deinit(connection->tls);
                gnutls_certificate_free_credentials(connection->credentials);
        }
        close(connection->fd);
        free(connection);
}

void connection_send_bytes(struct connection *connection, const void *bytes, size_t length)
{
        const char *at = bytes;

        while (length) {
                ssize_t sent = connection->tls ? gnutls_record_send(connection->tls, at, length)
                                               : send(connection->fd, at, length, MSG_NOSIGNAL);
                if (sent <= 0)
                        return;
                at += sent;
                length -= (size_t)sent;
        }
}

void connection_send(struct connection *connection, const char *text)
{
        connection_send_bytes(connection, text, strlen(text));
}

static ssize_t receive_tls(struct connection *connection, char *bytes, size_t room)
{
        ssize_t got;

        errno = 0;
        do
                got = gnutls_record_recv(connection->tls, bytes, room);
        while (got == GNUTLS_E_INTERRUPTED || got == GNUTLS_E_REHANDSHAKE);
        if (got == GNUTLS_E_AGAIN)
                errno = EAGAIN;
        return got;
}

/* Receives more; false at the end of the stream. */
static bool receive(struct connection *connection)
{
        assert_true(connection->used < sizeof connection->bytes - 1);
        char *free_bytes = connection->bytes + connection->used;
        size_t room = sizeof connection->bytes - 1 - connection->used;
        ssize_t got =
                connection->tls ? receive_tls(connection, free_bytes, room) : recv(connection->fd, free_bytes, room, 0);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                fail_msg("no answer within %d seconds", WAIT_SECONDS);
        if (got <= 0)
                return false;
        connection->used += (size_t)got;
        connection->bytes[connection->used] = '\0';
        return true;
}

/* Waits for a whole head; its length, 0 at the end of the stream. */
static size_t receive_head(struct connection *connection)
{
        char *end;

        while (!(end = strstr(connection->bytes, "\r\n\r\n")))
                if (!receive(connection))
                        return 0;
        return (size_t)(end - connection->bytes) + 4;
}

static size_t body_length(const struct connection *connection, size_t head)
{
        const char *at = strcasestr(connection->bytes, "\r\nContent-Length: ");

        return at && at < connection->bytes + head ? strtoul(at + 18, NULL, 10) : 0;
}

struct reply *connection_read(struct connection *connection, bool has_body)
{
        size_t head = receive_head(connection), length = has_body ? body_length(connection, head) : 0;
        struct reply *reply = memory_new(sizeof *reply + length + 1);

        while (connection->used < head + length)
                if (!receive(connection))
                        return reply;
        if (!head)
                return reply;
        assert_true(head < sizeof reply->head);
        memcpy(reply->head, connection->bytes, head);
        memcpy(reply->body, connection->bytes + head, length);
        reply->length = length;
        connection->used -= head + length;
        memmove(connection->bytes, connection->bytes + head + length, connection->used + 1);
        assert_int_equal(sscanf(reply->head, "HTTP/1.1 %d", &reply->status), 1);
        return reply;
}

void connection_await_more(struct connection *connection)
{
        if (!receive(connection))
                fail_msg("closed behind: %s", connection->bytes);
}

size_t connection_await(struct connection *connection, const char *text)
{
        char *at;

        while (!(at = strstr(connection->bytes, text)))
                if (!receive(connection))
                        fail_msg("closed before \"%s\": %s", text, connection->bytes);
        return (size_t)(at - connection->bytes);
}

size_t connection_take_waiting(struct connection *connection)
{
        struct pollfd waiting = {.fd = connection->fd, .events = POLLIN};
        size_t before = connection->used;

        if (poll(&waiting, 1, 0) <= 0 && !(connection->tls && gnutls_record_check_pending(connection->tls)))
                return 0;
        receive(connection);
        size_t got = connection->used - before;
        connection->used = before;
        return got;
}

size_t connection_drain(struct connection *connection)
{
        size_t count = 0;

        do {
                count += connection->used;
                connection->used = 0;
        } while (receive(connection));
        return count;
}

bool connection_is_closed(struct connection *connection)
{
        return connection->used == 0 && !receive(connection);
}

struct reply *ask(struct connection *connection, const char *method, const char *path, const char *header_lines,
                  const char *body)
{
        auto_free char *length = body ? text_format("Content-Length: %zu\r\n", strlen(body)) : text_copy("");
        auto_free char *text = text_format("%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n%s", method, path,
                                           header_lines, length, body ? body : "");

        connection_send(connection, text);
        return connection_read(connection, strcmp(method, "HEAD"));
}

const char *reply_header(const struct reply *reply, const char *name)
{
        static _Thread_local char value[1024];
        auto_free char *start = text_format("\r\n%s: ", name);
        const char *at = strcasestr(reply->head, start);

        if (!at)
                return NULL;
        at += strlen(start);
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\r"), at);
        return value;
}
