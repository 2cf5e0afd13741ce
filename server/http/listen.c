#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "server/http/internal.h"

#define BACKLOG 1024

/* One socket for all workers, without SO_REUSEPORT: the kernel then keeps the port for this process alone, and a worker
 * that is held up leaves new connections to the others. */
static int open_socket(const struct addrinfo *address)
{
        int on = 1, off = 0;
        auto_fd fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

        if (fd < 0)
                return -1;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (address->ai_family == AF_INET6)
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        if (bind(fd, address->ai_addr, address->ai_addrlen) || listen(fd, BACKLOG))
                return -1;
        return take_fd(&fd);
}

static uint16_t port_of(int fd)
{
        struct sockaddr_storage address;
        socklen_t size = sizeof address;

        if (getsockname(fd, (struct sockaddr *)&address, &size))
                return 0;
        return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                                   : ((struct sockaddr_in *)&address)->sin_port);
}

bool listen_open(const char *host, uint16_t port, int *socket, uint16_t *bound, struct error *error)
{
        struct addrinfo *address, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
        char service[8];

        snprintf(service, sizeof service, "%u", port);
        int failure = getaddrinfo(host, service, &hints, &address);
        if (failure)
                return error_set(error, ERROR_INVALID_INPUT, "Cannot listen on host %s: %s.", host,
                                 gai_strerror(failure));
        int fd = open_socket(address), reason = errno;
        freeaddrinfo(address);
        if (fd < 0 && reason == EADDRINUSE)
                return error_set(error, ERROR_UNAVAILABLE, "Port %u of %s is taken by another program.", port, host);
        if (fd < 0)
                return error_set(error, ERROR_UNAVAILABLE, "Cannot listen on port %u of %s: %s.", port, host,
                                 strerror(reason));
        *socket = fd;
        *bound = port_of(fd);
        return true;
}
