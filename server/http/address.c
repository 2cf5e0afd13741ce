#include "server/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "server/base/text.h"
#include "server/http/request.h"

#define TEXT_MAXIMUM INET6_ADDRSTRLEN
#define NETWORK_MAXIMUM 256

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

static void map(const void *four, struct address *address)
{
        memcpy(address->bytes, mapped, sizeof mapped);
        memcpy(address->bytes + sizeof mapped, four, 4);
}

bool address_of(const struct sockaddr *from, struct address *address)
{
        if (from && from->sa_family == AF_INET) {
                map(&((const struct sockaddr_in *)from)->sin_addr, address);
                return true;
        }
        if (!from || from->sa_family != AF_INET6)
                return false;
        memcpy(address->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, sizeof address->bytes);
        return true;
}

static bool parse_plain(const char *text, size_t length, struct address *address)
{
        char copy[TEXT_MAXIMUM];
        uint8_t four[4];

        if (length >= sizeof copy)
                return false;
        memcpy(copy, text, length);
        copy[length] = '\0';
        if (inet_pton(AF_INET, copy, four) != 1)
                return inet_pton(AF_INET6, copy, address->bytes) == 1;
        map(four, address);
        return true;
}

bool address_parse(const char *text, size_t length, struct address *address)
{
        if (length && *text == '[') {
                const char *end = memchr(text, ']', length);
                return end && (end + 1 == text + length || end[1] == ':') &&
                       parse_plain(text + 1, (size_t)(end - text - 1), address);
        }
        const char *colon = memchr(text, ':', length);
        if (colon && !memchr(colon + 1, ':', length - (size_t)(colon + 1 - text)))
                length = (size_t)(colon - text);
        return parse_plain(text, length, address);
}

static bool is_mapped(const struct address *address)
{
        return !memcmp(address->bytes, mapped, sizeof mapped);
}

void address_print(const struct address *address, char *text)
{
        bool is_four = is_mapped(address);

        if (!inet_ntop(is_four ? AF_INET : AF_INET6, address->bytes + (is_four ? sizeof mapped : 0), text,
                       HTTP_PEER_SIZE))
                *text = '\0';
}

bool address_is_this_machine(const struct address *address)
{
        static const uint8_t one[16] = {[15] = 1}, four[4] = {127, 0, 0, 1};

        return !memcmp(address->bytes, one, sizeof one) ||
               (is_mapped(address) && !memcmp(address->bytes + sizeof mapped, four, sizeof four));
}

struct network {
        struct address address;
        unsigned bits;
};

struct address_list {
        size_t count;
        struct network networks[];
};

static bool read_network(const char *text, size_t length, struct network *network)
{
        const char *slash = memchr(text, '/', length);
        size_t address = slash ? (size_t)(slash - text) : length, digits = slash ? length - address - 1 : 0;

        if (!parse_plain(text, address, &network->address))
                return false;
        unsigned most = memchr(text, ':', address) ? 128 : 32;
        network->bits = 128;
        if (!slash)
                return true;
        if (!digits || digits > 3 || strspn(slash + 1, "0123456789") < digits)
                return false;
        unsigned long bits = strtoul(slash + 1, NULL, 10);
        network->bits = (unsigned)bits + 128 - most;
        return bits <= most;
}

bool address_list_read(const char *text, struct address_list **list, struct error *error)
{
        static const char between[] = ", \t";
        auto_free struct address_list *read = memory_new(sizeof *read + NETWORK_MAXIMUM * sizeof *read->networks);

        *list = NULL;
        for (const char *at = text ? text + strspn(text, between) : ""; *at; at += strspn(at, between)) {
                size_t length = strcspn(at, between);
                if (read->count == NETWORK_MAXIMUM || !read_network(at, length, &read->networks[read->count]))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "%.*s is no address or network like 10.0.0.0/8 or fd00::/8 (at most %d of "
                                         "them).",
                                         (int)(length < 100 ? length : 100), at, NETWORK_MAXIMUM);
                read->count++;
                at += length;
        }
        if (read->count)
                *list = take(read);
        return true;
}

static bool is_in(const struct network *network, const struct address *address)
{
        unsigned bytes = network->bits / 8, rest = network->bits % 8;

        if (memcmp(network->address.bytes, address->bytes, bytes))
                return false;
        return !rest || (network->address.bytes[bytes] ^ address->bytes[bytes]) >> (8 - rest) == 0;
}

bool address_list_has(const struct address_list *list, const struct address *address)
{
        for (size_t i = 0; list && i < list->count; i++)
                if (is_in(&list->networks[i], address))
                        return true;
        return false;
}

void address_forwarded(const struct address_list *proxies, const char *told, struct address *peer)
{
        static const char between[] = ", \t";
        const char *end = told + strlen(told);
        struct address before;

        while (end > told && address_list_has(proxies, peer)) {
                while (end > told && strchr(between, end[-1]))
                        end--;
                const char *start = end;
                while (start > told && !strchr(between, start[-1]))
                        start--;
                if (!address_parse(start, (size_t)(end - start), &before))
                        return;
                *peer = before;
                end = start;
        }
}
