#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/text.h"
#include "server/http/internal.h"

#define STACK_SIZE (1024 * 1024)
/* How long the last answers may take to leave when the server stops. */
#define FAREWELL_MS 200

PRINTF_LIKE(2, 0) static void log_library(void *context, const char *format, va_list arguments)
{
        char line[256];

        (void)context;
        vsnprintf(line, sizeof line, format, arguments);
        line[strcspn(line, "\r\n")] = '\0';
        log_debug("libmicrohttpd says", "text", line);
}

static int hex_digit(char digit)
{
        return digit >= '0' && digit <= '9'   ? digit - '0'
               : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
               : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                              : -1;
}

/* Like the library's own, but leaves an encoded NUL as it is: strings end there. */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
        char *to = text;

        (void)context, (void)connection;
        for (const char *from = text; *from; from++) {
                int high = *from == '%' ? hex_digit(from[1]) : -1, low = high < 0 ? -1 : hex_digit(from[2]);
                if (low >= 0 && (high || low)) {
                        *to++ = (char)(high * 16 + low);
                        from += 2;
                } else {
                        *to++ = *from;
                }
        }
        *to = '\0';
        return (size_t)(to - text);
}

static void add_tls_options(struct MHD_OptionItem *options)
{
        options[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(intptr_t)tls_choose};
        options[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)TLS_PRIORITIES};
        options[2] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
}

/* The daemon has no thread of its own: its event loop stalls once 128 sockets are ready (it waits again with the same
 * timeout before it handles them), ours does not. */
static struct MHD_Daemon *start_daemon(struct worker *worker)
{
        const struct http_server *server = worker->server;
        const struct http_server_options *options = &server->options;
        unsigned limit = (options->connection_maximum + options->threads - 1) / options->threads;
        unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
        struct MHD_OptionItem tls_options[3] = {{MHD_OPTION_END, 0, NULL}};

        if (options->tls) {
                flags |= MHD_USE_TLS;
                add_tls_options(tls_options);
        }
        return MHD_start_daemon(
                flags, server->port, client_accept, worker, serve_request, worker, MHD_OPTION_EXTERNAL_LOGGER,
                log_library, NULL, MHD_OPTION_LISTEN_SOCKET, server->socket, MHD_OPTION_UNESCAPE_CALLBACK, unescape,
                NULL, MHD_OPTION_NOTIFY_COMPLETED, serve_completed, worker, MHD_OPTION_NOTIFY_CONNECTION, client_notify,
                worker, MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT,
                options->idle_timeout_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
                MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY, tls_options, MHD_OPTION_END);
}

bool worker_new(struct http_server *server, unsigned number, struct worker **out, struct error *error)
{
        struct worker *worker = memory_new(sizeof *worker);

        worker->server = server;
        worker->number = number;
        worker->now = clock_monotonic();
        worker->next_sweep = INT64_MAX;
        pthread_mutex_init(&worker->lock, NULL);
        sem_init(&worker->told, 0, 0);
        TAILQ_INIT(&worker->streams);
        TAILQ_INIT(&worker->ready);
        worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        worker->peers = epoll_create1(EPOLL_CLOEXEC);
        worker->daemon = worker->wake < 0 || worker->peers < 0 ? NULL : start_daemon(worker);
        if (!worker->daemon) {
                worker_release(worker);
                return error_set(error, ERROR_UNAVAILABLE, "The HTTP server could not start: %s.", strerror(errno));
        }
        worker->epoll = MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
        *out = worker;
        return true;
}

/* How long the loop may sleep, in ms; -1 for as long as nothing happens. */
static int sleep_time(const struct worker *worker, int64_t until)
{
        MHD_UNSIGNED_LONG_LONG ms;
        int64_t time = worker->next_sweep < until ? worker->next_sweep : until;
        const struct http_stream *stream = TAILQ_FIRST(&worker->streams);

        if (worker->has_more)
                return 0;
        if (stream && stream->beat_at < time)
                time = stream->beat_at;
        time = time == INT64_MAX ? INT32_MAX : time - worker->now;
        if (MHD_get_timeout(worker->daemon, &ms) == MHD_YES && ms < (MHD_UNSIGNED_LONG_LONG)(time < 0 ? 0 : time))
                time = (int64_t)ms;
        return time < 0 ? 0 : time == INT32_MAX ? -1 : (int)time;
}

/* One turn: waits at most until `until` (monotonic ms), then does what there is to do. Answered requests are resumed by
 * this thread before the daemon runs: a resumption by another thread is lost until the next event when it comes while
 * the daemon collects its events. */
static void turn(struct worker *worker, int64_t until)
{
        struct pollfd events[] = {{.fd = worker->epoll, .events = POLLIN},
                                  {.fd = worker->wake, .events = POLLIN},
                                  {.fd = worker->peers, .events = POLLIN}};
        int ms = sleep_time(worker, until);
        eventfd_t count;

        if (ms)
                poll(events, COUNT_OF(events), ms);
        worker->now = clock_monotonic();
        /* Read before what it tells of is looked for, so that nothing is missed. */
        if (events[1].revents)
                eventfd_read(worker->wake, &count);
        suspend_resume_answered(worker);
        stream_serve(worker, events[2].revents);
        MHD_run_wait(worker->daemon, 0);
        client_sweep(worker);
}

/* Takes in what was connected already, then no more. */
static void stop_accepting(struct worker *worker)
{
        eventfd_t count;

        eventfd_read(worker->wake, &count);
        turn(worker, 0);
        MHD_quiesce_daemon(worker->daemon);
        sem_post(&worker->told);
}

static void drain(struct worker *worker)
{
        int64_t until = worker->now + worker->server->options.stop_timeout_ms;

        stream_end_all(worker, false);
        while (worker->in_flight && worker->now < until)
                turn(worker, until);
        suspend_resume_answered(worker);
        suspend_abandon_all(worker);
        stream_end_all(worker, true);
        until = worker->now + FAREWELL_MS;
        while (worker->in_flight && worker->now < until)
                turn(worker, until);
        MHD_stop_daemon(worker->daemon);
        worker->daemon = NULL;
}

static bool begin(struct worker *worker)
{
        const struct http_server_options *options = &worker->server->options;

        worker->has_begun = !options->thread_begin ||
                            options->thread_begin(options->context, &worker->context, &worker->begin_error);
        sem_post(&worker->told);
        return worker->has_begun;
}

static void *run_thread(void *argument)
{
        struct worker *worker = argument;
        const struct http_server_options *options = &worker->server->options;

        if (!begin(worker))
                return NULL;
        while (!atomic_load(&worker->is_stopping))
                turn(worker, INT64_MAX);
        stop_accepting(worker);
        drain(worker);
        if (options->thread_end)
                options->thread_end(options->context, worker->context);
        return NULL;
}

bool worker_start(struct worker *worker, struct error *error)
{
        pthread_attr_t attributes;
        sigset_t all, before;

        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, STACK_SIZE);
        /* Signals belong to the main thread; SIGPIPE to nobody. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int failure = pthread_create(&worker->thread, &attributes, run_thread, worker);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        if (failure)
                return error_set(error, ERROR_INTERNAL, "The HTTP server could not start a thread: %s.",
                                 strerror(failure));
        worker->has_thread = true;
        sem_wait(&worker->told);
        return worker->has_begun || error_move(error, &worker->begin_error);
}

void worker_stop(struct worker *worker)
{
        atomic_store(&worker->is_stopping, true);
        eventfd_write(worker->wake, 1);
}

void worker_await(struct worker *worker)
{
        if (worker->has_begun)
                sem_wait(&worker->told);
        else
                MHD_quiesce_daemon(worker->daemon);
}

void worker_free(struct worker *worker)
{
        if (worker->has_thread)
                pthread_join(worker->thread, NULL);
        MHD_stop_daemon(worker->daemon);
        pthread_mutex_lock(&worker->lock);
        worker->is_closed = true;
        bool is_needed = worker->abandoned > 0;
        pthread_mutex_unlock(&worker->lock);
        if (!is_needed)
                worker_release(worker);
}

void worker_release(struct worker *worker)
{
        struct http_request *request;

        while ((request = SLIST_FIRST(&worker->spare))) {
                SLIST_REMOVE_HEAD(&worker->spare, next);
                free(request);
        }
        if (worker->wake >= 0)
                close(worker->wake);
        if (worker->peers >= 0)
                close(worker->peers);
        sem_destroy(&worker->told);
        pthread_mutex_destroy(&worker->lock);
        free(worker);
}
