#include <sys/eventfd.h>

#include "server/base/text.h"
#include "server/http/internal.h"

bool http_suspend(struct http_request *request)
{
        struct worker *worker = request->worker;
        struct http_server *server = worker->server;
        auto_error error = {0};

        if (atomic_fetch_add(&server->suspended, 1) >= server->options.suspended_maximum) {
                atomic_fetch_sub(&server->suspended, 1);
                error_set(&error, ERROR_TOO_MANY, "Too many requests wait for an answer at the moment; retry later.");
                http_request_add_header(request, MHD_HTTP_HEADER_RETRY_AFTER, "1");
                http_respond_error(request, &error);
                return false;
        }
        request->range = text_copy(http_request_header(request, MHD_HTTP_HEADER_RANGE));
        request->if_range = text_copy(http_request_header(request, MHD_HTTP_HEADER_IF_RANGE));
        request->is_secure = http_request_is_secure(request);
        MHD_suspend_connection(request->connection);
        pthread_mutex_lock(&worker->lock);
        LIST_INSERT_HEAD(&worker->suspended, request, suspended);
        pthread_mutex_unlock(&worker->lock);
        request->is_suspended = true;
        return true;
}

/* Wakes the loop for the first answer only: it takes all there are at once. */
static void push_answered(struct worker *worker, struct http_request *request)
{
        bool was_empty = SLIST_EMPTY(&worker->answered);

        LIST_REMOVE(request, suspended);
        SLIST_INSERT_HEAD(&worker->answered, request, next);
        if (was_empty)
                eventfd_write(worker->wake, 1);
}

void suspend_let_go(struct http_request *request)
{
        if (!atomic_exchange(&request->is_let_go, true))
                return;
        request_clear(request);
        free(request);
}

void suspend_answer(struct http_request *request, unsigned status, struct MHD_Response *response)
{
        struct worker *worker = request->worker;

        pthread_mutex_lock(&worker->lock);
        if (!request->is_abandoned) {
                request->response = response;
                request->status = status;
                push_answered(worker, request);
                pthread_mutex_unlock(&worker->lock);
                return;
        }
        worker->abandoned--;
        bool is_worker_over = worker->is_closed && !worker->abandoned;
        pthread_mutex_unlock(&worker->lock);
        MHD_destroy_response(response);
        suspend_let_go(request);
        if (is_worker_over)
                worker_release(worker);
}

void http_request_finish(struct http_request *request, void (*finish)(void *context), void *context)
{
        struct worker *worker = request->worker;

        pthread_mutex_lock(&worker->lock);
        bool is_abandoned = request->is_abandoned;
        if (!is_abandoned) {
                request->finish = finish;
                request->finish_context = context;
                push_answered(worker, request);
        }
        pthread_mutex_unlock(&worker->lock);
        if (is_abandoned)
                finish(context);
}

void suspend_resume_answered(struct worker *worker)
{
        struct http_request *request;

        pthread_mutex_lock(&worker->lock);
        struct request_stack answered = worker->answered;
        SLIST_INIT(&worker->answered);
        pthread_mutex_unlock(&worker->lock);
        while ((request = SLIST_FIRST(&answered))) {
                SLIST_REMOVE_HEAD(&answered, next);
                request->is_suspended = false;
                if (request->finish)
                        take(request->finish)(request->finish_context);
                atomic_fetch_sub(&worker->server->suspended, 1);
                MHD_resume_connection(request->connection);
        }
}

/* Made without the request's own headers: its owner may be adding to them. */
static struct MHD_Response *new_farewell(void)
{
        static char body[] = "{\"error\":\"unavailable\",\"code\":\"unavailable\",\"message\":\"The server stops.\"}";
        struct MHD_Response *response = MHD_create_response_from_buffer(sizeof body - 1, body, MHD_RESPMEM_PERSISTENT);

        if (!response)
                abort();
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, HTTP_JSON);
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
        return response;
}

void suspend_abandon_all(struct worker *worker)
{
        struct http_request *request;

        pthread_mutex_lock(&worker->lock);
        while ((request = LIST_FIRST(&worker->suspended))) {
                LIST_REMOVE(request, suspended);
                request->is_abandoned = true;
                request->response = new_farewell();
                request->status = MHD_HTTP_SERVICE_UNAVAILABLE;
                worker->abandoned++;
                atomic_fetch_sub(&worker->server->suspended, 1);
                MHD_resume_connection(request->connection);
        }
        pthread_mutex_unlock(&worker->lock);
}
