/* A small HTTP server for the container of a task, which has no program that listens: it tells what it was asked. One
 * process a connection, one request each.
 *
 *   app_server PORT        GET /          the request's head, as it came
 *                          GET /size?N    N bytes
 *                          GET /chunked   a body in chunks
 *                          GET /slow      a line, and another one when somebody makes the file go
 *                          GET /cookies   sets cookies that it must not set
 *                          POST /         how many bytes the body has
 *                          GET /exit      ends the server with 3
 *                          Upgrade        101, then every byte comes back */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void answer(int fd, const char *fields, const char *body, size_t length)
{
        dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%sContent-Length: %zu\r\n\r\n", fields, length);
        if (write(fd, body, length) < 0)
                exit(1);
}

static void echo(int fd)
{
        char bytes[4096];
        ssize_t got;

        dprintf(fd, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        while ((got = read(fd, bytes, sizeof bytes)) > 0)
                if (write(fd, bytes, (size_t)got) < 0)
                        return;
}

static void count_body(int fd, const char *head, size_t had)
{
        const char *field = strcasestr(head, "\r\nContent-Length: ");
        long long length = field ? atoll(field + 18) : 0, got = (long long)had;
        char bytes[65536], line[64];
        ssize_t more;

        while (got < length && (more = read(fd, bytes, sizeof bytes)) > 0)
                got += more;
        answer(fd, "", line, (size_t)snprintf(line, sizeof line, "%lld\n", got));
}

static void serve(int fd, pid_t server)
{
        char head[65536];
        size_t length = 0;
        char *end = NULL;
        ssize_t got;

        while (!end && length < sizeof head - 1 && (got = read(fd, head + length, sizeof head - 1 - length)) > 0) {
                length += (size_t)got;
                head[length] = '\0';
                end = strstr(head, "\r\n\r\n");
        }
        if (!end)
                return;
        fprintf(stderr, "%.*s\n", (int)strcspn(head, "\r"), head);
        if (strcasestr(head, "\r\nUpgrade: websocket")) {
                echo(fd);
        } else if (!strncmp(head, "POST ", 5)) {
                count_body(fd, head, length - (size_t)(end + 4 - head));
        } else if (!strncmp(head, "GET /size?", 10)) {
                size_t size = (size_t)atoll(head + 10);
                char *bytes = malloc(size + 1);
                memset(bytes, 'x', size);
                answer(fd, "", bytes, size);
        } else if (!strncmp(head, "GET /chunked", 12)) {
                dprintf(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n4\r\ntwo\n\r\n0\r\n\r\n");
        } else if (!strncmp(head, "GET /slow", 9)) {
                dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
                while (access("go", F_OK))
                        usleep(20000);
                dprintf(fd, "data: 2\n\n");
        } else if (!strncmp(head, "GET /cookies", 12)) {
                answer(fd,
                       "Set-Cookie: own=1; Path=/; Domain=example.com; HttpOnly\r\nSet-Cookie: longshore_app=evil\r\n"
                       "Set-Cookie: __Host-longshore_app=evil\r\nSet-Cookie: longshore_session=evil\r\n"
                       "Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n",
                       "ok\n", 3);
        } else if (!strncmp(head, "GET /exit", 9)) {
                kill(server, SIGUSR1);
        } else {
                answer(fd, "", head, (size_t)(end + 4 - head));
        }
}

static void leave(int signal)
{
        (void)signal;
        _exit(3);
}

int main(int argc, char **argv)
{
        int port = argc > 1 ? atoi(argv[1]) : 8080, on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in address = {
                .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        pid_t server = getpid();

        signal(SIGCHLD, SIG_IGN);
        signal(SIGUSR1, leave);
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 64)) {
                perror("app_server");
                return 1;
        }
        fprintf(stderr, "listening on %d\n", port);
        for (;;) {
                int fd = accept(listener, NULL, NULL);
                if (fd < 0)
                        continue;
                if (fork() == 0) {
                        close(listener);
                        serve(fd, server);
                        _exit(0);
                }
                close(fd);
        }
}
