/* Addresses of clients: which of them are trusted proxies, and how many connections each has. Internal to the driver,
 * but for what the tests of it look at. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "server/base/error.h"

/* An IPv6 address; IPv4 as ::ffff:a.b.c.d (RFC 4291, section 2.5.5.2). */
struct address {
        uint8_t bytes[16];
};

/* False for a family that is neither. */
MUST_CHECK bool address_of(const struct sockaddr *from, struct address *address);
/* Reads a numeric address, also one with a port behind it (1.2.3.4:80, [::1]:80). */
MUST_CHECK bool address_parse(const char *text, size_t length, struct address *address);
/* Writes the address as text; `text` has HTTP_PEER_SIZE bytes. */
void address_print(const struct address *address, char *text);
/* 127.0.0.1 and ::1. */
bool address_is_this_machine(const struct address *address);

/* Networks; NULL has none. Freed by free(). */
struct address_list;
/* Reads addresses and networks (10.0.0.0/8, fd00::/8, ::1) with commas or spaces between; NULL for none. */
MUST_CHECK bool address_list_read(const char *text, struct address_list **list, struct error *error);
bool address_list_has(const struct address_list *list, const struct address *address);

/* The client behind trusted proxies: of the addresses that they told, in the order they stand in X-Forwarded-For, the
 * last that is no proxy itself. `peer` comes in as the connection's own, a trusted one. */
void address_forwarded(const struct address_list *proxies, const char *told, struct address *peer);

/* Counters by IPv4 address or IPv6 /64 network, which is what one customer gets. On any thread. */
struct address_counts;
struct address_counts *address_counts_new(void);
void address_counts_free(struct address_counts *counts);
unsigned address_counts_get(struct address_counts *counts, const struct address *address);
void address_counts_add(struct address_counts *counts, const struct address *address, int number);

#endif
