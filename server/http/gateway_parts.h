/* What the files of the gateway share. */
#ifndef HTTP_GATEWAY_PARTS_H
#define HTTP_GATEWAY_PARTS_H

#include <pthread.h>

#include "server/http/address.h"
#include "server/http/gateway.h"
#include "server/http/internal.h"
#include "server/http/message_head.h"
#include "server/http/wire.h"

struct gateway {
        struct gateway_options options;
        struct address_list *proxies;
        struct address_counts *addresses;
        gnutls_certificate_credentials_t credentials; /* NULL: without TLS */
        int listener, stop;                           /* stop: eventfd, readable once it stops */
        uint16_t port;
        pthread_t thread;
        bool has_thread;
        pthread_mutex_t mutex;
        pthread_cond_t ended;
        unsigned connections;
};

/* One client's, on its thread. */
struct gateway_connection {
        struct gateway *gateway;
        struct wire wire;
        int fd; /* until the wire has it */
        struct address address;
        bool is_counted, is_proxy;
        char client[HTTP_PEER_SIZE];
        char in[HEAD_MAXIMUM + 1]; /* what was read and not taken yet, ended by a NUL */
        size_t in_length;
};

/* Carries a request to its target and the response back. `in` holds what was read of the request's body. False when the
 * connection cannot be used again; what went wrong before the response began is answered. */
MUST_CHECK bool gateway_carry(struct gateway_connection *connection, const struct message_head *head, int target,
                              void *ticket);
/* Answers by itself. False when that failed. */
MUST_CHECK bool gateway_answer(struct gateway_connection *connection, const struct gateway_decision *decision,
                               bool keeps);

#endif
