#include <string.h>

#include "git/branch.h"
#include "git/mirror_clean.h"
#include "git/mirror_place.h"
#include "git/repository.h"
#include "git/request.h"
#include "git/url.h"
#include "git/worker.h"
#include "server/base/document.h"
#include "server/base/id.h"
#include "server/base/path.h"
#include "server/base/secret.h"

/* The name that goes with a password given alone: hosts that take tokens want one and do not look at it. */
#define TOKEN_USERNAME "x-access-token"

/* Base64 (RFC 4648, section 4), on the heap. */
static char *base64(const char *bytes, size_t length)
{
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        char *out = memory_new((length + 2) / 3 * 4 + 1), *at = out;

        for (size_t i = 0; i < length; i += 3) {
                uint32_t group = (uint32_t)(unsigned char)bytes[i] << 16;
                group |= i + 1 < length ? (uint32_t)(unsigned char)bytes[i + 1] << 8 : 0;
                group |= i + 2 < length ? (uint32_t)(unsigned char)bytes[i + 2] : 0;
                *at++ = digits[group >> 18];
                *at++ = digits[group >> 12 & 63];
                *at++ = i + 1 < length ? digits[group >> 6 & 63] : '=';
                *at++ = i + 2 < length ? digits[group & 63] : '=';
        }
        return out;
}

/* The header that carries the credentials (RFC 7617), on the heap; NULL when there are none. */
static char *authorization(const struct repository_remote *remote)
{
        if (!remote->password)
                return NULL;
        auto_free char *pair =
                text_format("%s:%s", remote->username ? remote->username : TOKEN_USERNAME, remote->password);
        auto_free char *encoded = base64(pair, strlen(pair));
        char *header = text_format("Authorization: Basic %s", encoded);
        secret_wipe(pair, strlen(pair));
        secret_wipe(encoded, strlen(encoded));
        return header;
}

static bool update(const struct repository_remote *remote, const char *url, const struct mirror_place *place,
                   const struct repository_limits *limits, struct error *error)
{
        char id[ID_SIZE];
        auto_json *request = json_object();
        auto_free char *header = authorization(remote);

        id_new("m", id);
        auto_free char *unfinished = text_format("%s%s", place->unfinished, id);
        json_object_set_new(request, "url", document_string(url));
        json_object_set_new(request, "mirror", document_string(place->mirror));
        json_object_set_new(request, "lock", document_string(place->lock));
        json_object_set_new(request, "stem", document_string(place->unfinished));
        json_object_set_new(request, "unfinished", document_string(unfinished));
        json_object_set_new(request, "header", document_string(header));
        if (header)
                secret_wipe(header, strlen(header));
        auto_json *result = repository_worker_run("mirror", request, limits, error);
        if (result)
                return true;
        mirror_remove_tree(unfinished);
        return false;
}

bool repository_mirror_update(const char *mirrors, const struct repository_remote *remote,
                              const struct repository_limits *limits, struct error *error)
{
        auto_free char *url = repository_url_normalise(remote->url, error);
        auto_mirror_place place = {0};

        if (!url)
                return false;
        if (remote->username && strchr(remote->username, ':'))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "The user name for %s has a colon, which Basic "
                                 "authentication cannot carry",
                                 url);
        if (!path_make_folder(mirrors, 0700, error))
                return false;
        mirror_place_init(&place, mirrors, url);
        return update(remote, url, &place, limits, error) || request_failure_name(error, url, NULL);
}

bool repository_has_branch(const char *mirrors, const char *url, const char *branch, bool *has, struct error *error)
{
        auto_free char *normal = repository_url_normalise(url, error);
        auto_mirror_place place = {0};

        if (!normal || !branch_name_check(branch, error))
                return false;
        mirror_place_init(&place, mirrors, normal);
        auto_repository *repository = mirror_open(place.mirror, error);
        return (repository && mirror_find_branch(repository, branch, has, error)) ||
               request_failure_name(error, normal, branch);
}
