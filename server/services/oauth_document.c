#include "server/services/oauth_document.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/url.h"
#include "server/services/oauth_redirect.h"

#define CACHE_SIZE 64
#define FETCHING_MAXIMUM 2
/* How long a document is kept: as it says, within these bounds. */
#define KEEP_USUAL_MS 600000
#define KEEP_LEAST_MS 60000
#define KEEP_MOST_MS 86400000

typedef bool fetcher(const struct http_fetch *wanted, struct http_fetched *fetched, struct error *error);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
        char *url, *body;
        int64_t until; /* clock_monotonic's */
} cache[CACHE_SIZE];
static unsigned fetching;
static fetcher *fetch = http_fetch;

static void kept_clear(struct kept *kept)
{
        free(kept->url);
        free(kept->body);
        *kept = (struct kept){0};
}

void oauth_document_fetch_with(fetcher *other)
{
        pthread_mutex_lock(&mutex);
        fetch = other ? other : http_fetch;
        for (size_t i = 0; i < CACHE_SIZE; i++)
                kept_clear(&cache[i]);
        pthread_mutex_unlock(&mutex);
}

/* A copy of the body that is kept, NULL when there is none. */
static char *recall(const char *url, int64_t now)
{
        char *body = NULL;

        pthread_mutex_lock(&mutex);
        for (size_t i = 0; i < CACHE_SIZE && !body; i++)
                if (cache[i].url && cache[i].until > now && !strcmp(cache[i].url, url))
                        body = text_copy(cache[i].body);
        pthread_mutex_unlock(&mutex);
        return body;
}

/* In the place of the same URL, else of the one that ends first. */
static void keep(const char *url, const char *body, int64_t until)
{
        pthread_mutex_lock(&mutex);
        struct kept *place = &cache[0];
        for (size_t i = 0; i < CACHE_SIZE; i++) {
                if (cache[i].url && !strcmp(cache[i].url, url)) {
                        place = &cache[i];
                        break;
                }
                if (cache[i].until < place->until)
                        place = &cache[i];
        }
        kept_clear(place);
        *place = (struct kept){text_copy(url), text_copy(body), until};
        pthread_mutex_unlock(&mutex);
}

static int64_t keep_ms(const char *cache_control)
{
        const char *age = cache_control ? strcasestr(cache_control, "max-age=") : NULL;

        if (!age)
                return cache_control && strcasestr(cache_control, "no-") ? KEEP_LEAST_MS : KEEP_USUAL_MS;
        unsigned long seconds = strtoul(age + strlen("max-age="), NULL, 10);
        int64_t ms = seconds < KEEP_MOST_MS / 1000 ? (int64_t)seconds * 1000 : KEEP_MOST_MS;
        return ms < KEEP_LEAST_MS ? KEEP_LEAST_MS : ms;
}

static bool has_dot_segment(const struct url_part *path)
{
        for (size_t at = 0; at < path->length; at++) {
                if (path->at[at] != '/')
                        continue;
                size_t left = path->length - at - 1, length = 0;
                while (length < left && path->at[at + 1 + length] != '/')
                        length++;
                const char *segment = path->at + at + 1;
                if ((length == 1 && *segment == '.') || (length == 2 && !memcmp(segment, "..", 2)))
                        return true;
        }
        return false;
}

bool oauth_document_url_is_valid(const char *text)
{
        struct url url;

        return oauth_client_id_is_url(text) && strlen(text) <= OAUTH_CLIENT_ID_MAXIMUM && url_parse(text, &url) &&
               url.host.at && !url.user.at && !url.fragment.at && url.path.length > 1 && !has_dot_segment(&url.path);
}

static bool is_json(const char *content_type)
{
        size_t length = content_type ? strcspn(content_type, "; \t") : 0;

        return (length == 16 && !strncasecmp(content_type, "application/json", 16)) ||
               (length > 5 && !strncasecmp(content_type + length - 5, "+json", 5));
}

#define REFUSE(...) error_set(error, ERROR_OAUTH_CLIENT, __VA_ARGS__)

bool oauth_document_read(const char *url, const char *bytes, size_t length, struct oauth_client *client,
                         struct error *error)
{
        auto_oauth_metadata metadata = {0};
        auto_error reason = {0};
        auto_json *document = document_parse(bytes, length, &reason);
        const char *id = document_get_string(document, "client_id");
        const char *method = document_get_string(document, "token_endpoint_auth_method");

        if (!document)
                return REFUSE("the client's metadata document is not valid: %s", reason.message);
        if (!id || strcmp(id, url))
                return REFUSE("the client_id in the client's metadata document is not the document's URL");
        if (json_object_get(document, "client_secret") || (method && strcmp(method, "none")))
                return REFUSE("a client with a metadata document can have no secret and no other credential here");
        json_object_set_new(document, "token_endpoint_auth_method", json_string("none"));
        if (!oauth_metadata_read(document, &metadata, &reason))
                return REFUSE("the client's metadata document is not valid: %s", reason.message);
        *client = (struct oauth_client){.id = text_copy(url),
                                        .name = take(metadata.name),
                                        .redirect_uris = take(metadata.redirect_uris),
                                        .document_host = oauth_redirect_shown(url)};
        return true;
}

/* Few at a time: whoever names slow servers must not keep the workers from others. */
static bool begin_fetching(struct error *error)
{
        pthread_mutex_lock(&mutex);
        bool is_free = fetching < FETCHING_MAXIMUM;
        fetching += is_free;
        pthread_mutex_unlock(&mutex);
        return is_free || error_set(error, ERROR_TOO_MANY, "Too many clients are being looked up; retry in a moment.");
}

static void end_fetching(void)
{
        pthread_mutex_lock(&mutex);
        fetching--;
        pthread_mutex_unlock(&mutex);
}

static bool ask(const char *url, struct http_fetched *fetched, struct error *error)
{
        const struct http_fetch wanted = {.url = url,
                                          .maximum = OAUTH_DOCUMENT_MAXIMUM,
                                          .timeout_ms = OAUTH_DOCUMENT_TIMEOUT_MS,
                                          .is_public_only = true};
        auto_error reason = {0};

        if (!begin_fetching(error))
                return false;
        bool is_good = fetch(&wanted, fetched, &reason);
        end_fetching();
        if (!is_good)
                return REFUSE("the client's metadata document could not be fetched: %s", reason.message);
        if (fetched->status != 200)
                return REFUSE("the client's metadata document was answered with status %u", fetched->status);
        return is_json(fetched->content_type) || REFUSE("the client's metadata document is not application/json");
}

bool oauth_document_find(const char *url, struct oauth_client *client, struct error *error)
{
        int64_t now = clock_monotonic();
        auto_http_fetched fetched = {0};

        if (!oauth_document_url_is_valid(url))
                return REFUSE("the client's id is no URL of a metadata document (https, with a path)");
        auto_free char *body = recall(url, now);
        if (body)
                return oauth_document_read(url, body, strlen(body), client, error);
        if (!ask(url, &fetched, error) || !oauth_document_read(url, fetched.body, fetched.length, client, error))
                return false;
        keep(url, fetched.body, now + keep_ms(fetched.cache_control));
        return true;
}
