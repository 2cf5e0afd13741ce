#include "docker/runner/program/connector.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "docker/runner/connect.h"
#include "server/base/text.h"

bool connector_open(struct connector *connector, const char *control)
{
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/" CONNECT_SOCKET, control);

        connector->listener = -1;
        for (int i = 0; i < CONNECTOR_WAITING_MAXIMUM; i++)
                connector->waiting[i] = -1;
        if (length >= (int)sizeof address.sun_path) {
                errno = ENAMETOOLONG;
                return false;
        }
        /* One that an earlier runner left: we have the folder's lock. */
        unlink(address.sun_path);
        auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 64))
                return false;
        connector->listener = take_fd(&fd);
        return true;
}

static int free_place(const struct connector *connector)
{
        int at = 0;

        while (at < CONNECTOR_WAITING_MAXIMUM && connector->waiting[at] >= 0)
                at++;
        return at < CONNECTOR_WAITING_MAXIMUM ? at : -1;
}

void connector_poll(const struct connector *connector, struct pollfd *polled)
{
        bool has_room = free_place(connector) >= 0;

        for (int i = 0; i < CONNECTOR_WAITING_MAXIMUM; i++)
                polled[i] = (struct pollfd){connector->waiting[i], POLLIN, 0};
        polled[CONNECTOR_WAITING_MAXIMUM] = (struct pollfd){has_room ? connector->listener : -1, POLLIN, 0};
}

/* A socket that is being connected, -1 when that was refused at once. */
static int begin_connection(const struct connect_request *request)
{
        struct sockaddr_in four = {
                .sin_family = AF_INET, .sin_port = htons(request->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        struct sockaddr_in6 six = {
                .sin6_family = AF_INET6, .sin6_port = htons(request->port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        bool is_six = request->family == 6;
        auto_fd fd = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        const struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
        socklen_t size = is_six ? sizeof six : sizeof four;

        if (fd < 0 || (connect(fd, address, size) && errno != EINPROGRESS))
                return -1;
        return take_fd(&fd);
}

static void answer(int to, uint8_t byte, int handed)
{
        union {
                struct cmsghdr header;
                char bytes[CMSG_SPACE(sizeof(int))];
        } control = {0};
        struct iovec piece = {&byte, 1};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

        if (handed >= 0) {
                message.msg_control = &control;
                message.msg_controllen = sizeof control;
                control.header = (struct cmsghdr){
                        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
                memcpy(CMSG_DATA(&control.header), &handed, sizeof handed);
        }
        if (sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
                return;
}

static void serve(int asking)
{
        struct connect_request request;
        bool is_good = recv(asking, &request, sizeof request, MSG_DONTWAIT) == sizeof request &&
                       request.version == CONNECT_VERSION;

        if (!is_good || !request.port) {
                answer(asking, is_good ? 0 : CONNECT_REFUSED, -1);
                return;
        }
        auto_fd handed = begin_connection(&request);
        answer(asking, handed < 0 ? CONNECT_REFUSED : 0, handed);
}

void connector_serve(struct connector *connector, const struct pollfd *polled)
{
        for (int i = 0; i < CONNECTOR_WAITING_MAXIMUM; i++) {
                if (connector->waiting[i] < 0 || !polled[i].revents)
                        continue;
                serve(connector->waiting[i]);
                close(connector->waiting[i]);
                connector->waiting[i] = -1;
        }
        if (!polled[CONNECTOR_WAITING_MAXIMUM].revents)
                return;
        for (int at; (at = free_place(connector)) >= 0;) {
                int asking = accept4(connector->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (asking < 0)
                        return;
                connector->waiting[at] = asking;
        }
}

void connector_close(struct connector *connector)
{
        for (int i = 0; i < CONNECTOR_WAITING_MAXIMUM; i++)
                if (connector->waiting[i] >= 0)
                        close(connector->waiting[i]);
        if (connector->listener >= 0)
                close(connector->listener);
}
