#include "server/http/wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/http/internal.h"

static bool shake_hands(struct wire *wire, int64_t until)
{
        int outcome;

        while ((outcome = gnutls_handshake(wire->session)) < 0 && !gnutls_error_is_fatal(outcome)) {
                short events = gnutls_record_get_direction(wire->session) ? POLLOUT : POLLIN;
                int64_t left = until - clock_monotonic();
                if (left <= 0 || poll(&(struct pollfd){wire->fd, events, 0}, 1, (int)left) <= 0)
                        return false;
        }
        return outcome == 0;
}

bool wire_open(struct wire *wire, int fd, const struct http_tls *tls, gnutls_certificate_credentials_t credentials,
               int64_t until)
{
        *wire = (struct wire){.fd = fd};
        if (!tls)
                return true;
        if (gnutls_init(&wire->session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) < 0)
                return false;
        if (gnutls_priority_set_direct(wire->session, TLS_PRIORITIES, NULL) < 0 ||
            gnutls_credentials_set(wire->session, GNUTLS_CRD_CERTIFICATE, credentials) < 0)
                return false;
        gnutls_session_set_ptr(wire->session, (void *)tls);
        gnutls_transport_set_int(wire->session, fd);
        return shake_hands(wire, until);
}

void wire_close(struct wire *wire)
{
        if (wire->session) {
                gnutls_bye(wire->session, GNUTLS_SHUT_WR);
                gnutls_deinit(wire->session);
        }
        if (wire->fd >= 0)
                close(wire->fd);
        *wire = (struct wire){.fd = -1};
}

/* GnuTLS's word for an outcome as the system's. */
static ssize_t outcome_of(ssize_t outcome)
{
        if (outcome >= 0)
                return outcome;
        errno = outcome == GNUTLS_E_AGAIN || outcome == GNUTLS_E_INTERRUPTED ? EAGAIN : EIO;
        return -1;
}

ssize_t wire_read(struct wire *wire, void *bytes, size_t maximum)
{
        if (!wire->session)
                return recv(wire->fd, bytes, maximum, MSG_DONTWAIT);
        return outcome_of(gnutls_record_recv(wire->session, bytes, maximum));
}

ssize_t wire_write(struct wire *wire, const void *bytes, size_t length)
{
        if (!wire->session)
                return send(wire->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        return outcome_of(gnutls_record_send(wire->session, bytes, length));
}

bool wire_has_more(const struct wire *wire)
{
        return wire->session && gnutls_record_check_pending(wire->session) > 0;
}
