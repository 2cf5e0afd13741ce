#include "docker/runner/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/text.h"

static bool is_ready(int fd, short events, int64_t until)
{
        struct pollfd polled = {fd, events, 0};
        int64_t left;
        int count = 0;

        while ((left = until - clock_monotonic()) > 0 && (count = poll(&polled, 1, (int)left)) < 0 && errno == EINTR)
                continue;
        return count > 0;
}

/* The path of a socket has few bytes, so the folder is named by its descriptor. */
static int open_runner(const char *folder, struct error *error)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        auto_fd opened = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

        snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" CONNECT_SOCKET, opened);
        if (opened < 0 || fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) {
                error_set(error, errno == EAGAIN ? ERROR_UNAVAILABLE : ERROR_CONTAINER_NOT_RUNNING,
                          "The task's container does not run.");
                return -1;
        }
        return take_fd(&fd);
}

/* The answer's byte, -1 when there is none; a socket that came with it goes to *handed. */
static int receive(int fd, int *handed)
{
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        uint8_t byte;
        struct iovec piece = {&byte, 1};
        struct msghdr message = {
                .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

        if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1)
                return -1;
        const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
            header->cmsg_len == CMSG_LEN(sizeof(int)))
                memcpy(handed, CMSG_DATA(header), sizeof(int));
        return byte;
}

/* Asks the runner; *handed stays -1 where nothing listens. */
static bool ask(const char *folder, const struct connect_request *request, int64_t until, int *handed,
                struct error *error)
{
        auto_fd fd = open_runner(folder, error);
        auto_fd socket = -1;

        if (fd < 0)
                return false;
        if (send(fd, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request || !is_ready(fd, POLLIN, until))
                return error_set(error, ERROR_UNAVAILABLE, "The supervisor in the container does not answer.");
        int answer = receive(fd, &socket);
        if (answer < 0)
                return error_set(error, ERROR_CONTAINER_NOT_RUNNING, "The task's container does not run.");
        *handed = answer == 0 ? take_fd(&socket) : -1;
        return true;
}

bool control_ping(const char *folder, int64_t timeout_ms, struct error *error)
{
        struct connect_request request = {.version = CONNECT_VERSION, .family = 4};
        auto_fd nothing = -1;

        return ask(folder, &request, clock_monotonic() + timeout_ms, &nothing, error);
}

static bool has_connected(int fd, int64_t until)
{
        int failure = 0;
        socklen_t size = sizeof failure;

        return is_ready(fd, POLLOUT, until) && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size) && !failure;
}

int control_connect(const char *folder, uint16_t port, int64_t timeout_ms, struct error *error)
{
        static const uint8_t families[] = {4, 6};
        int64_t until = clock_monotonic() + timeout_ms;

        for (size_t i = 0; i < COUNT_OF(families); i++) {
                struct connect_request request = {CONNECT_VERSION, families[i], port};
                auto_fd fd = -1;
                if (!ask(folder, &request, until, &fd, error))
                        return -1;
                if (fd >= 0 && has_connected(fd, until))
                        return take_fd(&fd);
        }
        error_set(error, ERROR_UNAVAILABLE, "Nothing listens on port %u of the container.", port);
        return -1;
}
