#include "tests/http/fixture.h"

#include <pthread.h>
#include <time.h>

#include "server/base/text.h"

#define WAIT_SECONDS 20
#define PARKED_MAXIMUM 2048

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct http_request *parked[PARKED_MAXIMUM];
static size_t parked_first, parked_last;
static unsigned observed, observed_status;

static void answer_hello(struct http_request *request, void *context)
{
        (void)context;
        http_respond_static(request, 200, HTTP_JSON, "\"hello\"", 7);
}

static void answer_echo(struct http_request *request, void *context)
{
        size_t length;

        (void)context;
        char *body = http_request_take_body(request, &length);
        http_respond(request, 200, "application/octet-stream", body, length);
}

static void answer_parts(struct http_request *request, void *context)
{
        const char *query = http_request_query(request, "q");

        (void)context;
        char *body = text_format("%s|%s|%s|%s", http_request_param(request, "id"), http_request_param(request, "path"),
                                 query ? query : "none", http_request_param(request, "x") ? "x" : "no x");
        http_respond(request, 200, "text/plain", body, strlen(body));
}

static void answer_about(struct http_request *request, void *context)
{
        char peer[HTTP_PEER_SIZE];

        (void)context;
        http_request_peer(request, peer);
        http_request_add_header(request, "Cache-Control", "max-age=60");
        char *body = text_format("%s %s %s %s %s", http_request_method(request), http_request_path(request), peer,
                                 http_request_header(request, "x-tEsT"), (const char *)http_request_thread(request));
        http_respond(request, 201, "text/plain", body, strlen(body));
}

static void answer_user(struct http_request *request, void *context)
{
        const char *user = http_request_user(request);

        (void)context;
        http_respond(request, 200, "text/plain", text_copy(user), strlen(user));
}

static void answer_never(struct http_request *request, void *context)
{
        (void)request, (void)context;
}

static void park(struct http_request *request, void *context)
{
        (void)context;
        if (!http_suspend(request))
                return;
        pthread_mutex_lock(&lock);
        parked[parked_last++ % PARKED_MAXIMUM] = request;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
}

static void suspend_and_answer(struct http_request *request, void *context)
{
        (void)context;
        if (http_suspend(request))
                http_respond_static(request, 200, NULL, "same thread", 11);
}

static const struct http_route routes[] = {
        {"GET", "/hello", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_hello},
        {"POST", "/hello", HTTP_ACCESS_PUBLIC, HTTP_BODY_JSON, 1000, answer_echo},
        {"POST", "/bytes", HTTP_ACCESS_PUBLIC, HTTP_BODY_BYTES, 200000, answer_echo},
        {"GET", "/tasks/special/files/*path", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_hello},
        {"GET", "/tasks/:id/files/*path", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_parts},
        {"GET", "/about", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_about},
        {"HEAD", "/about", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_about},
        {"POST", "/any", HTTP_ACCESS_PUBLIC, HTTP_BODY_BYTES, 10, answer_echo},
        {"*", "/any", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_about},
        {"GET", "/private", HTTP_ACCESS_BEARER, HTTP_BODY_NONE, 0, answer_user},
        {"POST", "/private", HTTP_ACCESS_BEARER, HTTP_BODY_BYTES, 1000000, answer_user},
        {"GET", "/wait", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, park},
        {"POST", "/wait", HTTP_ACCESS_PUBLIC, HTTP_BODY_BYTES, 1000, park},
        {"GET", "/at-once", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, suspend_and_answer},
        {"GET", "/never", HTTP_ACCESS_PUBLIC, HTTP_BODY_NONE, 0, answer_never},
};

static bool admit(struct http_request *request, void *context, struct error *error)
{
        const char *origin = http_request_header(request, "Origin");

        (void)context;
        if (origin && strcmp(origin, "http://localhost"))
                return error_set(error, ERROR_FOREIGN_ORIGIN, NULL);
        return true;
}

static bool authenticate(struct http_request *request, enum http_access access, void *context)
{
        const char *credential = http_request_header(request, "Authorization");

        (void)context;
        if (access == HTTP_ACCESS_BEARER && credential && !strcmp(credential, "Bearer right")) {
                http_request_set_user(request, text_copy("ada"), free);
                return true;
        }
        http_request_add_header(request, "WWW-Authenticate", "Bearer");
        return false;
}

static void observe(void *context, const char *method, const char *path, unsigned status, int64_t microseconds)
{
        (void)context, (void)method, (void)path, (void)microseconds;
        pthread_mutex_lock(&lock);
        observed++;
        observed_status = status;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
}

static bool begin_thread(void *context, void **thread, struct error *error)
{
        static char name[] = "its-thread";

        (void)context, (void)error;
        *thread = name;
        return true;
}

static struct http_tls *tls;

void fixture_use_tls(void)
{
        auto_free char *certificate = NULL, *key = NULL;
        auto_error error = {0};

        fixture_make_pair("localhost", &certificate, &key);
        tls = http_tls_open(certificate, key, &error);
        unlink(certificate);
        unlink(key);
        assert_string_equal(error.message, "");
        connections_use_tls();
}

struct http_server_options fixture_options(void)
{
        return (struct http_server_options){
                .threads = 1,
                .routes = routes,
                .route_count = COUNT_OF(routes),
                .thread_begin = begin_thread,
                .admit = admit,
                .authenticate = authenticate,
                .observe = observe,
                .tls = tls,
        };
}

struct http_server *fixture_start(const struct http_server_options *given)
{
        struct http_server_options options = *given;
        auto_error error = {0};

        if (!options.tls)
                options.tls = tls;
        struct http_server *server = http_server_start(&options, &error);

        if (!server)
                fail_msg("%s", error.message);
        pthread_mutex_lock(&lock);
        observed = observed_status = 0;
        parked_first = parked_last = 0;
        pthread_mutex_unlock(&lock);
        return server;
}

static struct timespec wait_limit(void)
{
        struct timespec limit;

        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += WAIT_SECONDS;
        return limit;
}

struct http_request *fixture_next_parked(void)
{
        struct timespec limit = wait_limit();
        struct http_request *request = NULL;

        pthread_mutex_lock(&lock);
        while (parked_first == parked_last && !pthread_cond_timedwait(&changed, &lock, &limit))
                ;
        if (parked_first < parked_last)
                request = parked[parked_first++ % PARKED_MAXIMUM];
        pthread_mutex_unlock(&lock);
        assert_non_null(request);
        return request;
}

unsigned fixture_observed(unsigned *last_status)
{
        pthread_mutex_lock(&lock);
        unsigned count = observed;
        *last_status = observed_status;
        pthread_mutex_unlock(&lock);
        return count;
}

void fixture_await_observed(unsigned count)
{
        struct timespec limit = wait_limit();
        int failure = 0;

        pthread_mutex_lock(&lock);
        while (observed < count && !failure)
                failure = pthread_cond_timedwait(&changed, &lock, &limit);
        pthread_mutex_unlock(&lock);
        assert_int_equal(failure, 0);
}
