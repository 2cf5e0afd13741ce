#include "mcp/later.h"

#include <stdlib.h>
#include <unistd.h>

#include "mcp/streamed.h"
#include "server/base/mapping.h"
#include "server/services/reader.h"
#include "server/services/setting.h"

/* A request that another thread answers. Owns itself: freed once it has answered. */
struct later {
        const struct mcp_door *door;
        struct http_request *request;
        struct caller caller;
        char *token;
        struct exchange exchange;
        json_t *result; /* of a tool that writes, until that is durable; NULL when it failed */
        struct error error;
        char *body; /* of a request that is yet to be read, or the file that it is in, and its headers */
        int file;
        uint64_t file_length;
        size_t length;
        struct exchange_headers headers;
};

static void later_free(struct later *later)
{
        exchange_close(&later->exchange);
        json_decref(later->result);
        free(later->body);
        if (later->file >= 0)
                close(later->file);
        exchange_headers_clear(&later->headers);
        error_clear(&later->error);
        free(later->token);
        free(later);
}

/* Answers a suspended request: with the answers, or with the error that concerns it as a whole. */
static void later_finish(struct later *later, const struct error *error)
{
        if (error)
                door_refuse(later->request, error);
        else
                door_send(later->request, &later->exchange);
        later_free(later);
}

static bool work_later(struct store_db *db, void *context, struct error *error)
{
        struct later *later = context;
        struct tool_call asked = exchange_call(&later->exchange.items[0]);

        later->caller.db = db;
        return caller_authenticate(&later->caller, error) && caller_run(&later->caller, &asked, &later->result, error);
}

/* On the thread that serves the request: the store's one writer has better things to do than to print. */
static void answer_work(void *context)
{
        struct later *later = context;

        if (!later->result && later->error.code == ERROR_UNAUTHENTICATED) {
                later_finish(later, &later->error);
                return;
        }
        exchange_answer(&later->exchange, &later->exchange.items[0], later->result, &later->error);
        later_finish(later, NULL);
}

static void work_done(void *context, struct error *error)
{
        struct later *later = context;

        if (error) {
                json_decref(take(later->result));
                error_move(&later->error, error);
        }
        http_request_finish(later->request, answer_work, later);
}

static void block_later(void *context)
{
        struct later *later = context;
        struct caller *caller = &later->caller;
        auto_error error = {0};

        caller->db = services_reader(caller->services, &error);
        bool is_done = caller->db && exchange_run(&later->exchange, caller, &error);
        later_finish(later, is_done ? NULL : &error);
}

/* Reads the body for the caller as they are now; otherwise the request has been answered. */
static bool open_exchange(struct later *later, const char *body, size_t length)
{
        struct caller *caller = &later->caller;
        struct exchange_request asked = {.body = body,
                                         .length = length,
                                         .headers = &later->headers,
                                         .actor = &caller->actor,
                                         .body_maximum = (size_t)settings_current()->body_maximum_kilobytes * 1024,
                                         .request_id = caller->request_id};
        auto_error error = {0};

        caller->db = services_reader(caller->services, &error);
        if (!caller->db || !caller_authenticate(caller, &error)) {
                later_finish(later, &error);
                return false;
        }
        exchange_open(&later->exchange, &asked);
        return true;
}

/* Reads the body here, and runs what it asks for. */
static void read_later(void *context)
{
        struct later *later = context;

        if (!open_exchange(later, later->body, later->length))
                return;
        free(take(later->body));
        block_later(later);
}

static void read_file_later(void *context)
{
        struct later *later = context;
        auto_mapping mapping = {0};
        auto_error error = {0};

        if (!mapping_open(&mapping, later->file, later->file_length, &error)) {
                later_finish(later, &error);
                return;
        }
        bool is_open = open_exchange(later, mapping.bytes, mapping.length);
        mapping_close(&mapping);
        if (!is_open)
                return;
        close(take_fd(&later->file));
        block_later(later);
}

static void submit(struct later *later, bool (*to)(struct pool *pool, void (*run)(void *argument), void *argument),
                   void (*run)(void *context))
{
        auto_error error = {0};

        if (to(later->door->pool, run, later))
                return;
        error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
        later_finish(later, &error);
}

static struct later *later_new(const struct mcp_door *door, struct http_request *request, const struct caller *caller)
{
        struct later *later = memory_new(sizeof *later);

        later->door = door;
        later->file = -1;
        later->request = request;
        later->caller = *caller;
        later->caller.token = later->token = text_copy(caller->token);
        return later;
}

void door_postpone_whole(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                         const struct exchange_headers *headers, const struct door_body *body)
{
        struct later *later = later_new(door, request, caller);

        later->body = http_request_take_body(request, &later->length);
        later->file = body->file;
        later->file_length = body->file_length;
        exchange_headers_copy(&later->headers, headers);
        if (!http_suspend(request))
                later_free(later);
        else if (later->file >= 0)
                submit(later, pool_submit_alone, read_file_later);
        else
                submit(later, pool_submit, read_later);
}

void door_postpone(const struct mcp_door *door, struct http_request *request, const struct caller *caller,
                   struct exchange *exchange, const struct exchange_headers *headers)
{
        if (streamed_is_wanted(exchange, headers)) {
                streamed_begin(door, request, caller, exchange);
                return;
        }
        struct later *later = later_new(door, request, caller);
        exchange_move(&later->exchange, exchange);
        if (!http_suspend(request))
                later_free(later);
        else if (exchange_mode(&later->exchange) == TOOL_WRITES)
                store_write_later(door->services->store, work_later, later, work_done);
        else
                submit(later, pool_submit, block_later);
}
