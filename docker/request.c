#include "docker/request.h"

#include <errno.h>
#include <string.h>

#include "docker/pool.h"
#include "server/base/clock.h"

/* How often a transfer looks at its own deadline when nothing happens, in milliseconds. */
#define POLL_MS 1000

/* A request under way. */
struct transfer {
        const struct docker_request *request;
        CURL *easy;
        CURLM *multi;
        struct docker_answer answer; /* also a stream's body when its status is a refusal */
        struct error *error;
        bool has_failed;         /* `error` is set already */
        bool has_connected;      /* a stream's headers have come */
        int64_t header_deadline; /* 0: none */
};

void docker_answer_clear(struct docker_answer *answer)
{
        text_clear(&answer->body);
}

static bool is_success(long status)
{
        return (status >= 200 && status < 300) || status == 304;
}

/* Called at the blank line that ends the headers, once its status is known. */
static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
        struct transfer *transfer = context;
        size_t length = size * count;
        bool is_end = length <= 2 && (bytes[0] == '\r' || bytes[0] == '\n');

        if (!is_end)
                return length;
        curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->answer.status);
        if (transfer->answer.status < 200)
                return length;
        transfer->header_deadline = 0;
        if (transfer->request->connected && is_success(transfer->answer.status) && !transfer->has_connected)
                transfer->request->connected(transfer->request->context);
        transfer->has_connected = true;
        return length;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
        struct transfer *transfer = context;
        size_t length = size * count;

        if (transfer->request->piece && is_success(transfer->answer.status)) {
                if (transfer->request->piece(bytes, length, transfer->request->context, transfer->error))
                        return length;
                transfer->has_failed = true;
                return CURL_WRITEFUNC_ERROR;
        }
        text_append(&transfer->answer.body, bytes, length);
        if (!transfer->answer.body.is_cut)
                return length;
        error_set(transfer->error, ERROR_ENGINE_FAILED, "the Docker engine's answer to %s %s is longer than %u bytes",
                  transfer->request->method, transfer->request->path, DOCKER_ANSWER_MAXIMUM);
        transfer->has_failed = true;
        return CURL_WRITEFUNC_ERROR;
}

static size_t give_upload(char *bytes, size_t size, size_t count, void *context)
{
        struct transfer *transfer = context;
        ssize_t got;

        do
                got = read(transfer->request->upload_fd, bytes, size * count);
        while (got < 0 && errno == EINTR);
        if (got >= 0)
                return (size_t)got;
        error_set(transfer->error, ERROR_INTERNAL, "the tar for the Docker engine could not be read: %s",
                  strerror(errno));
        transfer->has_failed = true;
        return CURL_READFUNC_ABORT;
}

/* Sets method, headers and body; the heap strings that curl does not copy are handed out. */
static void prepare_body(struct transfer *transfer, char **printed, struct curl_slist **headers)
{
        const struct docker_request *request = transfer->request;

        *headers = curl_slist_append(NULL, "Expect:");
        if (request->has_upload) {
                *headers = curl_slist_append(*headers, "Content-Type: application/x-tar");
                *headers = curl_slist_append(*headers, "Transfer-Encoding: chunked");
                curl_easy_setopt(transfer->easy, CURLOPT_POST, 1L);
                curl_easy_setopt(transfer->easy, CURLOPT_READFUNCTION, give_upload);
                curl_easy_setopt(transfer->easy, CURLOPT_READDATA, transfer);
                /* What was read from the descriptor cannot be sent again on another connection. */
                curl_easy_setopt(transfer->easy, CURLOPT_FRESH_CONNECT, 1L);
        } else if (strcmp(request->method, "POST") == 0) {
                *printed = request->body ? document_print(request->body) : NULL;
                *headers = curl_slist_append(*headers, "Content-Type: application/json");
                curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, *printed ? *printed : "");
        }
        curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, request->method);
        curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, *headers);
}

static bool is_stopped(const struct curl_waitfd *stop)
{
        return stop->revents & (CURL_WAIT_POLLIN | CURL_WAIT_POLLPRI);
}

/* Runs the transfer to its end, its deadline or the stop. */
static CURLcode run(struct transfer *transfer)
{
        const int *stop_fd = transfer->request->stop_fd;
        struct curl_waitfd stop = {.fd = stop_fd ? *stop_fd : -1, .events = CURL_WAIT_POLLIN};
        int running = 1, messages;

        while (true) {
                if (curl_multi_perform(transfer->multi, &running) != CURLM_OK)
                        return CURLE_FAILED_INIT;
                if (!running)
                        break;
                if (curl_multi_poll(transfer->multi, &stop, stop.fd >= 0, POLL_MS, NULL) != CURLM_OK)
                        return CURLE_FAILED_INIT;
                if (stop.fd >= 0 && is_stopped(&stop)) {
                        error_set(transfer->error, ERROR_CANCELLED, NULL);
                        transfer->has_failed = true;
                        return CURLE_ABORTED_BY_CALLBACK;
                }
                if (transfer->header_deadline && clock_monotonic() >= transfer->header_deadline)
                        return CURLE_OPERATION_TIMEDOUT;
        }
        CURLMsg *message = curl_multi_info_read(transfer->multi, &messages);
        return message && message->msg == CURLMSG_DONE ? message->data.result : CURLE_FAILED_INIT;
}

/* Turns the end of a transfer into success or an error. */
static bool conclude(struct docker *docker, struct transfer *transfer, CURLcode outcome)
{
        const struct docker_request *request = transfer->request;
        struct error *error = transfer->error;
        long reason = 0;

        if (transfer->has_failed)
                return false;
        curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &reason);
        switch (outcome) {
        case CURLE_OK:
                if (is_success(transfer->answer.status))
                        return true;
                return docker_failure(request->operation, transfer->answer.status, text_string(&transfer->answer.body),
                                      transfer->answer.body.length, error);
        case CURLE_COULDNT_CONNECT:
                return error_set(error, ERROR_ENGINE_UNREACHABLE, "no Docker engine listens on %s: %s", docker->socket,
                                 reason ? strerror((int)reason) : curl_easy_strerror(outcome));
        case CURLE_OPERATION_TIMEDOUT:
                return error_set(error, ERROR_ENGINE_UNREACHABLE,
                                 "the Docker engine at %s did not answer %s %s in time", docker->socket,
                                 request->method, request->path);
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY:
                return error_set(error, ERROR_ENGINE_FAILED, "what listens on %s does not speak HTTP", docker->socket);
        default:
                return error_set(error, ERROR_ENGINE_STREAM_LOST, "the Docker engine broke off its answer to %s %s: %s",
                                 request->method, request->path, curl_easy_strerror(outcome));
        }
}

static bool perform(struct docker *docker, const struct docker_request *request, const char *prefix,
                    struct docker_answer *answer, struct error *error)
{
        struct docker_handle handle = docker_pool_take(docker);
        struct transfer transfer = {.request = request, .easy = handle.easy, .multi = handle.multi, .error = error};
        auto_free char *url = text_format("http://docker%s%s", prefix, request->path);
        auto_free char *printed = NULL;
        struct curl_slist *headers = NULL;
        int64_t limit = atomic_load(&docker->timeout) + request->extra_ms;

        transfer.answer.body = TEXT_WITH_MAXIMUM(DOCKER_ANSWER_MAXIMUM);
        prepare_body(&transfer, &printed, &headers);
        curl_easy_setopt(handle.easy, CURLOPT_URL, url);
        curl_easy_setopt(handle.easy, CURLOPT_HEADERFUNCTION, take_header);
        curl_easy_setopt(handle.easy, CURLOPT_HEADERDATA, &transfer);
        curl_easy_setopt(handle.easy, CURLOPT_WRITEFUNCTION, take_body);
        curl_easy_setopt(handle.easy, CURLOPT_WRITEDATA, &transfer);
        if (!request->piece)
                curl_easy_setopt(handle.easy, CURLOPT_TIMEOUT_MS, (long)limit);
        else if (!request->has_upload)
                transfer.header_deadline = clock_monotonic() + limit;
        curl_multi_add_handle(handle.multi, handle.easy);
        bool is_done = conclude(docker, &transfer, run(&transfer));
        curl_multi_remove_handle(handle.multi, handle.easy);
        curl_slist_free_all(headers);
        docker_pool_put(docker, handle);
        if (is_done && answer)
                *answer = transfer.answer;
        else
                docker_answer_clear(&transfer.answer);
        if (!is_done && (error->code == ERROR_ENGINE_UNREACHABLE || error->code == ERROR_ENGINE_STREAM_LOST))
                docker_forget_version(docker);
        return is_done;
}

/* An engine that was replaced while no request ran refuses the version that was agreed on with its predecessor. */
static bool is_version_refused(const struct error *error)
{
        return strstr(error->message, "client version ") &&
               (strstr(error->message, "is too new") || strstr(error->message, "is too old"));
}

bool docker_request(struct docker *docker, const struct docker_request *request, struct docker_answer *answer,
                    struct error *error)
{
        char prefix[24] = "";

        if (!request->is_unversioned && !docker_prefix(docker, prefix, error))
                return false;
        if (perform(docker, request, prefix, answer, error))
                return true;
        if (request->is_unversioned || request->has_upload || !is_version_refused(error))
                return false;
        docker_forget_version(docker);
        return docker_prefix(docker, prefix, error) && perform(docker, request, prefix, answer, error);
}

json_t *docker_request_json(struct docker *docker, const struct docker_request *request, struct error *error)
{
        auto_docker_answer answer = {0};

        if (!docker_request(docker, request, &answer, error))
                return NULL;
        json_t *document = document_parse(text_string(&answer.body), answer.body.length, error);
        if (!document)
                error_set(error, ERROR_ENGINE_FAILED, "the Docker engine's answer to %s %s is not valid JSON",
                          request->method, request->path);
        return document;
}
