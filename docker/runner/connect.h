/* Connections into a container that may have no network: the runner opens them where it is, on the loopback of its own
 * network namespace, and hands them out over a socket in the control folder. From then on the bytes go between the two
 * ends without anybody between. */
#ifndef RUNNER_CONNECT_H
#define RUNNER_CONNECT_H

#include <stdint.h>

#include "server/base/error.h"

#define CONNECT_SOCKET "connect.sock"

/* What is asked for, as it goes over the socket; answered with one byte, 0 and a socket (SCM_RIGHTS) that is connected
 * or about to be, or CONNECT_REFUSED. Port 0 asks for nothing but the answer. */
struct connect_request {
        uint8_t version; /* CONNECT_VERSION */
        uint8_t family;  /* 4: 127.0.0.1, 6: ::1 */
        uint16_t port;
};
#define CONNECT_VERSION 1
#define CONNECT_REFUSED 1

/* Whether a runner serves the control folder: ERROR_CONTAINER_NOT_RUNNING when none does, ERROR_UNAVAILABLE when it
 * does not answer in time. */
MUST_CHECK bool control_ping(const char *folder, int64_t timeout_ms, struct error *error);
/* A non-blocking socket that is connected to the port of the container's loopback; the caller closes it. -1 with
 * ERROR_CONTAINER_NOT_RUNNING, or ERROR_UNAVAILABLE when nothing listens there. */
int control_connect(const char *folder, uint16_t port, int64_t timeout_ms, struct error *error);

#endif
