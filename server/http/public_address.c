/* Which addresses belong to the public internet. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "server/http/fetch.h"

/* The IANA special-purpose registry of IPv4: address and bits of each block. */
static const struct block {
        uint32_t address;
        unsigned bits;
} special[] = {
        {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16},
        {0xac100000, 12}, {0xc0000000, 24}, {0xc0000200, 24}, {0xc0586300, 24}, {0xc0a80000, 16},
        {0xc6120000, 15}, {0xc6336400, 24}, {0xcb007100, 24}, {0xe0000000, 4},  {0xf0000000, 4},
};

static bool is_public4(uint32_t address)
{
        for (size_t i = 0; i < COUNT_OF(special); i++)
                if ((address ^ special[i].address) >> (32 - special[i].bits) == 0)
                        return false;
        return true;
}

/* Global unicast is 2000::/3; what is taken out of it for special purposes lies in the prefixes named here. Everything
 * else, addresses that carry an IPv4 one included, is no place to connect to. */
static bool is_public6(const uint8_t *bytes)
{
        bool is_mapped = !memcmp(bytes, (const uint8_t[12]){[10] = 0xff, [11] = 0xff}, 12);

        if (is_mapped)
                return is_public4((uint32_t)bytes[12] << 24 | (uint32_t)bytes[13] << 16 | (uint32_t)bytes[14] << 8 |
                                  bytes[15]);
        bool is_protocol = bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 0x02;
        bool is_documentation = (bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] == 0x0d && bytes[3] == 0xb8) ||
                                (bytes[0] == 0x3f && bytes[1] == 0xff && bytes[2] < 0x10);
        bool is_6to4 = bytes[0] == 0x20 && bytes[1] == 0x02;
        return bytes[0] >> 5 == 1 && !is_protocol && !is_documentation && !is_6to4;
}

bool http_address_is_public(const struct sockaddr *address)
{
        if (address->sa_family == AF_INET)
                return is_public4(ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr));
        return address->sa_family == AF_INET6 &&
               is_public6(((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr);
}
