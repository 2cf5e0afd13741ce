#include "tests/docker/fake.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "server/base/text.h"
#include "tests/cmocka.h"

#define CONNECTIONS 16
#define ROWS 32
#define REQUESTS 64

static const struct fake_answer version_answer = {
        .status = 200, .body = "{\"ApiVersion\":\"1.41\",\"MinAPIVersion\":\"1.12\",\"Version\":\"20.10.24\"}"};

struct fake {
        char folder[64];
        char host[128];
        struct fake_answer answers[ROWS];
        bool is_used[ROWS];
        size_t count;
        int listener, stop;
        int connections[CONNECTIONS];
        struct text inputs[CONNECTIONS];
        pthread_t thread;
        pthread_mutex_t mutex; /* guards the requests */
        char *requests[REQUESTS];
        size_t request_count;
};

/* Whether the request is whole: headers, and a body by its length or its last chunk. */
static bool is_whole(const struct text *input)
{
        const char *end = strstr(text_string(input), "\r\n\r\n");

        if (!end)
                return false;
        const char *length = strcasestr(input->data, "Content-Length:");
        size_t got = input->length - (size_t)(end + 4 - input->data);
        if (length && length < end)
                return got >= strtoul(length + strlen("Content-Length:"), NULL, 10);
        if (strcasestr(input->data, "Transfer-Encoding: chunked"))
                return input->length >= 5 && memcmp(input->data + input->length - 5, "0\r\n\r\n", 5) == 0;
        return true;
}

static const struct fake_answer *find_answer(struct fake *fake, const char *request)
{
        for (size_t i = 0; i < fake->count; i++) {
                const struct fake_answer *answer = &fake->answers[i];
                if (fake->is_used[i] || strncmp(request, answer->request, strlen(answer->request)) != 0)
                        continue;
                fake->is_used[i] = !answer->is_repeated;
                return answer;
        }
        return strncmp(request, "GET /version ", strlen("GET /version ")) == 0 ? &version_answer : NULL;
}

static void send_all(int fd, const char *bytes, size_t length)
{
        while (length > 0) {
                ssize_t put = send(fd, bytes, length, MSG_NOSIGNAL);
                if (put <= 0)
                        return;
                bytes += put;
                length -= (size_t)put;
        }
}

static void send_chunks(int fd, const struct fake_answer *answer)
{
        auto_text out = TEXT_WITH_MAXIMUM(1u << 20);

        text_append_string(&out, FAKE_CHUNKED);
        for (size_t i = 0; i < COUNT_OF(answer->chunks) && answer->chunks[i]; i++)
                text_printf(&out, "%zx\r\n%s\r\n", strlen(answer->chunks[i]), answer->chunks[i]);
        if (answer->has_end)
                text_append_string(&out, "0\r\n\r\n");
        send_all(fd, out.data, out.length);
}

static void close_connection(struct fake *fake, size_t i)
{
        close(fake->connections[i]);
        fake->connections[i] = -1;
        text_clear(&fake->inputs[i]);
}

static void answer_request(struct fake *fake, size_t i)
{
        static const struct fake_answer unknown = {.status = 501, .body = "{\"message\":\"not in the script\"}"};
        const struct fake_answer *answer = find_answer(fake, fake->inputs[i].data);

        pthread_mutex_lock(&fake->mutex);
        if (fake->request_count < REQUESTS)
                fake->requests[fake->request_count++] = text_take(&fake->inputs[i]);
        pthread_mutex_unlock(&fake->mutex);
        text_clear(&fake->inputs[i]);
        if (!answer)
                answer = &unknown;
        if (answer->chunks[0]) {
                send_chunks(fake->connections[i], answer);
        } else if (answer->raw) {
                send_all(fake->connections[i], answer->raw,
                         answer->raw_length ? answer->raw_length : strlen(answer->raw));
        } else if (answer->status) {
                const char *body = answer->body ? answer->body : "";
                auto_free char *whole =
                        text_format("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%s%zu\r\n\r\n%s",
                                    answer->status, "Content-Length: ", strlen(body), body);
                send_all(fake->connections[i], whole, strlen(whole));
        }
        if (answer->then == FAKE_CLOSE)
                close_connection(fake, i);
}

static void read_connection(struct fake *fake, size_t i)
{
        char piece[65536];
        ssize_t got = recv(fake->connections[i], piece, sizeof piece, 0);

        if (got <= 0) {
                close_connection(fake, i);
                return;
        }
        text_append(&fake->inputs[i], piece, (size_t)got);
        if (is_whole(&fake->inputs[i]))
                answer_request(fake, i);
}

static void accept_connection(struct fake *fake)
{
        int fd = accept(fake->listener, NULL, NULL);

        for (size_t i = 0; i < CONNECTIONS; i++)
                if (fake->connections[i] < 0) {
                        fake->connections[i] = fd;
                        fake->inputs[i] = TEXT_WITH_MAXIMUM(1u << 20);
                        return;
                }
        close(fd);
}

static void *serve(void *context)
{
        struct fake *fake = context;
        struct pollfd polled[CONNECTIONS + 2];

        while (true) {
                polled[0] = (struct pollfd){.fd = fake->stop, .events = POLLIN};
                polled[1] = (struct pollfd){.fd = fake->listener, .events = POLLIN};
                for (size_t i = 0; i < CONNECTIONS; i++)
                        polled[i + 2] = (struct pollfd){.fd = fake->connections[i], .events = POLLIN};
                poll(polled, COUNT_OF(polled), -1);
                if (polled[0].revents)
                        return NULL;
                for (size_t i = 0; i < CONNECTIONS; i++)
                        if (polled[i + 2].revents)
                                read_connection(fake, i);
                if (polled[1].revents)
                        accept_connection(fake);
        }
}

struct fake *fake_new(const struct fake_answer *answers, size_t count)
{
        struct fake *fake = memory_new(sizeof *fake);
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        assert_true(count <= ROWS);
        memcpy(fake->answers, answers, count * sizeof *answers);
        fake->count = count;
        strcpy(fake->folder, "/tmp/longshore-fake-XXXXXX");
        assert_non_null(mkdtemp(fake->folder));
        snprintf(address.sun_path, sizeof address.sun_path, "%s/docker.sock", fake->folder);
        snprintf(fake->host, sizeof fake->host, "unix://%s", address.sun_path);
        fake->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(bind(fake->listener, (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(listen(fake->listener, 16), 0);
        fake->stop = eventfd(0, EFD_CLOEXEC);
        for (size_t i = 0; i < CONNECTIONS; i++)
                fake->connections[i] = -1;
        pthread_mutex_init(&fake->mutex, NULL);
        assert_int_equal(pthread_create(&fake->thread, NULL, serve, fake), 0);
        return fake;
}

const char *fake_host(const struct fake *fake)
{
        return fake->host;
}

size_t fake_count(struct fake *fake, const char *line)
{
        size_t found = 0;

        pthread_mutex_lock(&fake->mutex);
        for (size_t i = 0; i < fake->request_count; i++)
                found += strncmp(fake->requests[i], line, strlen(line)) == 0;
        pthread_mutex_unlock(&fake->mutex);
        return found;
}

const char *fake_request(struct fake *fake, const char *line)
{
        const char *found = "";

        pthread_mutex_lock(&fake->mutex);
        for (size_t i = 0; i < fake->request_count; i++)
                if (strncmp(fake->requests[i], line, strlen(line)) == 0)
                        found = fake->requests[i];
        pthread_mutex_unlock(&fake->mutex);
        return found;
}

void fake_free(struct fake *fake)
{
        if (!fake)
                return;
        eventfd_write(fake->stop, 1);
        pthread_join(fake->thread, NULL);
        for (size_t i = 0; i < CONNECTIONS; i++)
                if (fake->connections[i] >= 0)
                        close_connection(fake, i);
        for (size_t i = 0; i < fake->request_count; i++)
                free(fake->requests[i]);
        close(fake->listener);
        close(fake->stop);
        unlink(fake->host + strlen("unix://"));
        rmdir(fake->folder);
        pthread_mutex_destroy(&fake->mutex);
        free(fake);
}

struct docker *fake_docker(const struct fake *fake)
{
        auto_error error = {0};
        struct docker *docker = docker_new(fake->host, &error);

        assert_non_null(docker);
        docker_set_timeout(docker, 5000);
        return docker;
}
