#include "server/http/fetch.h"

#include <curl/curl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/text.h"

#define CONNECT_TIMEOUT_MS 5000L

/* The library wants to be begun once, also where the engine's client has begun it already: it counts. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready;

static void begin(void)
{
        is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

struct exchange {
        const struct http_fetch *wanted;
        struct text body;
        bool is_refused; /* an address was not public */
};

static void easy_release(CURL **easy)
{
        curl_easy_cleanup(*easy);
}
#define auto_easy CLEANUP(easy_release) CURL

static void url_release(CURLU **url)
{
        curl_url_cleanup(*url);
}
#define auto_url CLEANUP(url_release) CURLU

static void list_release(struct curl_slist **list)
{
        curl_slist_free_all(*list);
}
#define auto_slist CLEANUP(list_release) struct curl_slist

void http_fetched_clear(struct http_fetched *fetched)
{
        free(fetched->content_type);
        free(fetched->cache_control);
        free(fetched->body);
        *fetched = (struct http_fetched){0};
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
        struct exchange *exchange = context;

        text_append(&exchange->body, bytes, size * count);
        return exchange->body.is_cut ? 0 : size * count;
}

/* Called with the address that is connected to, after its name was looked up: a name that answers differently the next
 * time gains nothing. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
        struct exchange *exchange = context;

        (void)purpose;
        if (exchange->wanted->is_public_only && !http_address_is_public(&address->addr)) {
                exchange->is_refused = true;
                return CURL_SOCKET_BAD;
        }
        return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
        if (!value)
                return true;
        auto_free char *line = text_format("%s: %s", name, value);
        struct curl_slist *longer = strpbrk(line, "\r\n") ? NULL : curl_slist_append(*list, line);
        if (longer)
                *list = longer;
        return longer != NULL;
}

static bool set_options(CURL *easy, struct exchange *exchange, struct curl_slist *headers)
{
        const struct http_fetch *wanted = exchange->wanted;

        if (wanted->body && (curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)strlen(wanted->body)) ||
                             curl_easy_setopt(easy, CURLOPT_POSTFIELDS, wanted->body)))
                return false;
        return !curl_easy_setopt(easy, CURLOPT_URL, wanted->url) &&
               !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, wanted->allows_http ? "http,https" : "https") &&
               !curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers) &&
               !curl_easy_setopt(easy, CURLOPT_USERAGENT, "longshore/" LONGSHORE_VERSION) &&
               !curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) && !curl_easy_setopt(easy, CURLOPT_PROXY, "") &&
               !curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) && !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) &&
               !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) &&
               !curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)wanted->timeout_ms) &&
               !curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS) &&
               !curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
               !curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, exchange) &&
               !curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes) &&
               !curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
}

/* "HOST: why", without the rest of the URL. */
static bool fail(const struct exchange *exchange, CURLcode code, struct error *error)
{
        auto_url *url = curl_url();
        char *host = NULL;

        if (url && curl_url_set(url, CURLUPART_URL, exchange->wanted->url, 0) == CURLUE_OK)
                (void)curl_url_get(url, CURLUPART_HOST, &host, 0);
        error_set(error, ERROR_FETCH_FAILED, "%.200s: %s", host ? host : "a URL",
                  exchange->is_refused    ? "its address is not a public one"
                  : exchange->body.is_cut ? "the answer is too large"
                                          : curl_easy_strerror(code));
        curl_free(host);
        return false;
}

static char *header_of(CURL *easy, const char *name)
{
        struct curl_header *header;

        return curl_easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? text_copy(header->value)
                                                                                       : NULL;
}

bool http_fetch(const struct http_fetch *wanted, struct http_fetched *fetched, struct error *error)
{
        struct exchange exchange = {wanted, TEXT_WITH_MAXIMUM(wanted->maximum), false};
        auto_slist *headers = NULL;
        long status = 0;

        pthread_once(&once, begin);
        auto_easy *easy = is_ready ? curl_easy_init() : NULL;
        if (!easy || !add_header(&headers, "Accept", wanted->accept ? wanted->accept : "application/json") ||
            !add_header(&headers, "Content-Type", wanted->body ? wanted->content_type : NULL) ||
            !add_header(&headers, "Authorization", wanted->authorization) || !set_options(easy, &exchange, headers))
                return error_set(error, ERROR_FETCH_FAILED, "a request to another server could not be made");
        CURLcode code = curl_easy_perform(easy);
        if (code != CURLE_OK) {
                fail(&exchange, code, error);
                text_clear(&exchange.body);
                return false;
        }
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        fetched->status = (unsigned)status;
        fetched->content_type = header_of(easy, "Content-Type");
        fetched->cache_control = header_of(easy, "Cache-Control");
        fetched->length = exchange.body.length;
        fetched->body = text_take(&exchange.body);
        return true;
}
