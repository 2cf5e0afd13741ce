#include "server/services/url_credential.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "server/base/cleanup.h"

/* The longest userinfo, and the longest URL and value of a query member, that are looked at. */
#define USERINFO_MAXIMUM 1024
#define URL_MAXIMUM 2048
#define VALUE_MAXIMUM 2000
/* A user without a password counts from the length on that a token can have. */
#define TOKEN_MINIMUM 6

static const char *const members[] = {
        "access_token",
        "refresh_token",
        "id_token",
        "auth_token",
        "private_token",
        "token",
        "api_key",
        "api-key",
        "apikey",
        "key",
        "password",
        "passwd",
        "pwd",
        "secret",
        "client_secret",
        "sig",
        "signature",
        "x-amz-signature",
        "x-amz-credential",
        "x-amz-security-token",
        "x-goog-signature",
        "x-goog-credential",
};

/* What ends a URL within a text; a backslash begins an escape where the text is JSON. */
static bool is_url_end(char c)
{
        return (unsigned char)c <= ' ' || strchr("\"'<>\\`", c);
}

/* Length of the login of a URL that begins right behind "://" at `bytes`, 0 when there is none: up to the last @ of the
 * authority. */
static size_t userinfo_length(const char *bytes, size_t length)
{
        bool has_colon = false;
        size_t end = 0;

        for (size_t i = 0; i < length && i < USERINFO_MAXIMUM && !strchr("/?# \t\r\n\"'<>\\`", bytes[i]); i++) {
                has_colon = has_colon || bytes[i] == ':';
                if (bytes[i] == '@')
                        end = i;
        }
        return has_colon || end >= TOKEN_MINIMUM ? end : 0;
}

static bool is_credential(const char *name, size_t length)
{
        for (size_t i = 0; i < COUNT_OF(members); i++)
                if (strlen(members[i]) == length && !strncasecmp(members[i], name, length))
                        return true;
        return false;
}

/* Finds the credentials among the members behind the first ? or # of a URL that begins at `at`; a URL within it is
 * looked at for itself. */
static void search_query(const char *bytes, size_t length, size_t at,
                         void (*found)(size_t offset, size_t count, void *context), void *context)
{
        size_t end = length - at > URL_MAXIMUM ? at + URL_MAXIMUM : length, member = 0;

        for (; at < end && !is_url_end(bytes[at]); at++) {
                if (bytes[at] == '?' || bytes[at] == '#' || (member && (bytes[at] == '&' || bytes[at] == ';'))) {
                        member = at + 1;
                } else if (bytes[at] == ':' && length - at >= 3 && !memcmp(bytes + at, "://", 3)) {
                        return;
                } else if (bytes[at] == '=' && member && is_credential(bytes + member, at - member)) {
                        size_t from = at + 1, value = from;
                        while (value < length && value - from < VALUE_MAXIMUM && !is_url_end(bytes[value]) &&
                               bytes[value] != '&' && bytes[value] != ';' && bytes[value] != '#')
                                value++;
                        if (value > from)
                                found(from, value - from, context);
                        at = value - 1;
                }
        }
}

void url_credential_search(const char *bytes, size_t length, void (*found)(size_t offset, size_t count, void *context),
                           void *context)
{
        const char *hit = bytes;

        while ((hit = memmem(hit, length - (size_t)(hit - bytes), "://", 3))) {
                hit += 3;
                size_t from = (size_t)(hit - bytes), login = userinfo_length(hit, length - from);
                if (login)
                        found(from, login, context);
                search_query(bytes, length, from, found, context);
        }
}
