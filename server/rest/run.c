#include "server/rest/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/base/document.h"
#include "server/base/mapping.h"
#include "server/rest/arguments.h"
#include "server/rest/bearer.h"
#include "server/rest/page.h"
#include "server/services/reader.h"

/* Bodies beyond this are parsed on the worker pool, so that they hold up no other request. */
#define BODY_LARGE (256 * 1024)

/* One request on its way. Owns itself once it is suspended: freed when it has answered. */
struct running {
        const struct rest_door *door;
        struct http_request *request;
        const struct rest_operation *operation;
        struct caller caller;
        char *token; /* a copy: headers are gone once the request is suspended */
        struct rest_arguments arguments;
        json_t *result;
        bool is_prepared;
        char *body; /* that is yet to be read, or the file that it is in */
        size_t length;
        int file; /* -1: none */
        uint64_t file_length;
};

static void running_clear(struct running *running)
{
        rest_arguments_clear(&running->arguments);
        json_decref(running->result);
        free(running->token);
        free(running->body);
        if (running->file >= 0)
                close(running->file);
}

static bool print(const struct rest_operation *operation, const json_t *result, struct text *body, struct error *error)
{
        struct bound_rules bounds = operation->bounds;

        if (!bounds.ceiling)
                bounds.ceiling = REST_CEILING;
        return bound_write(body, result, &bounds, error);
}

/* Answers with the result, or the error. */
static void answer(struct running *running, bool is_good, struct error *error)
{
        const struct rest_operation *operation = running->operation;

        if (is_good && operation->page.items)
                is_good = rest_page_cut(&operation->page, &running->arguments.page, running->result, error);
        if (is_good && operation->decorate)
                operation->decorate(running->request, &running->caller, running->result);
        auto_text body = TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
        if (!is_good || !print(operation, running->result, &body, error)) {
                rest_refuse(running->request, error);
                return;
        }
        size_t length = body.length;
        http_respond(running->request, operation->status ? operation->status : 200, HTTP_JSON, text_take(&body),
                     length);
}

static void finish(struct running *running, bool is_good, struct error *error)
{
        if (running->is_prepared)
                running->operation->release(running->door->services, running->arguments.input, is_good);
        answer(running, is_good, error);
        running_clear(running);
        free(running);
}

static bool let_in(struct running *running, struct error *error)
{
        if (!running->operation->is_public)
                return caller_authenticate(&running->caller, error);
        running->caller.actor = actor_nobody;
        return true;
}

static bool work(struct store_db *db, void *context, struct error *error)
{
        struct running *running = context;

        running->caller.db = db;
        if (!let_in(running, error))
                return false;
        struct call call = caller_as_call(&running->caller, "rest", running->arguments.document);
        return running->operation->run(&call, running->arguments.input, &running->result, error);
}

static void work_done(void *context, struct error *error)
{
        finish(context, !error, error);
}

static bool prepare(struct running *running, struct error *error)
{
        struct call call = caller_as_call(&running->caller, "rest", running->arguments.document);

        running->is_prepared = true;
        return running->operation->prepare(&call, running->arguments.input, error);
}

static bool wants_preparing(const struct running *running)
{
        const struct rest_operation *operation = running->operation;

        return operation->is_prepared_first && operation->is_prepared_first(running->arguments.input);
}

static bool run_here(struct running *running, struct error *error)
{
        struct caller *caller = &running->caller;

        caller->db = services_reader(caller->services, error);
        if (!caller->db || !let_in(running, error))
                return false;
        if (running->operation->mode == REST_WRITES)
                return (!wants_preparing(running) || prepare(running, error)) &&
                       store_write(running->door->services->store, work, running, error);
        struct call call = caller_as_call(caller, "rest", running->arguments.document);
        return running->operation->run(&call, running->arguments.input, &running->result, error);
}

static void block(void *context)
{
        struct running *running = context;
        auto_error error = {0};

        finish(running, run_here(running, &error), &error);
}

static bool read_arguments(struct running *running, struct error *error)
{
        auto_mapping mapping = {.bytes = running->body, .length = 0};

        if (running->file < 0)
                return rest_arguments_end(running->operation, running->body, running->length, &running->arguments,
                                          error);
        return mapping_open(&mapping, running->file, running->file_length, error) &&
               rest_arguments_end(running->operation, mapping.bytes, mapping.length, &running->arguments, error);
}

/* Reads a large body here, and runs what it asks for. */
static void read_and_block(void *context)
{
        struct running *running = context;
        auto_error error = {0};

        if (!read_arguments(running, &error)) {
                finish(running, false, &error);
                return;
        }
        free(take(running->body));
        if (running->file >= 0)
                close(take_fd(&running->file));
        block(running);
}

static void submit(struct running *running, bool (*to)(struct pool *pool, void (*run)(void *argument), void *argument),
                   void (*run)(void *context))
{
        auto_error error = {0};

        if (to(running->door->pool, run, running))
                return;
        error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
        finish(running, false, &error);
}

/* Suspends the request, whose work goes on elsewhere; NULL when it has been answered. */
static struct running *detach(struct running *from)
{
        struct running *running = memory_new(sizeof *running);

        *running = *from;
        running->caller.token = running->token = text_copy(from->caller.token);
        if (http_suspend(running->request))
                return running;
        running_clear(running);
        free(running);
        return NULL;
}

/* Hands the request to the thread that may answer it. */
static void postpone(struct running *from)
{
        bool is_slow = from->operation->mode == REST_BLOCKS || wants_preparing(from);
        struct running *running = detach(from);

        if (running && is_slow)
                submit(running, pool_submit, block);
        else if (running)
                store_write_later(running->door->services->store, work, running, work_done);
}

/* The same with a body that would hold this thread up; of those in files only one is read at a time. */
static void postpone_whole(struct running *from)
{
        from->body = http_request_take_body(from->request, &from->length);
        struct running *running = detach(from);

        if (running && running->file >= 0)
                submit(running, pool_submit_alone, read_and_block);
        else if (running)
                submit(running, pool_submit, read_and_block);
}

static bool read_now(struct running *running, struct error *error)
{
        const struct rest_operation *operation = running->operation;
        const json_t *document = running->arguments.document;

        if (!operation->is_public)
                return caller_read(&running->caller, "rest", operation->run, running->arguments.input, document,
                                   &running->result, error);
        running->caller.actor = actor_nobody;
        struct call call = caller_as_call(&running->caller, "rest", document);
        return operation->run(&call, running->arguments.input, &running->result, error);
}

static void run_now(struct running *running)
{
        auto_error error = {0};
        bool is_good = read_now(running, &error);

        answer(running, is_good, &error);
        running_clear(running);
}

void rest_run(const struct rest_door *door, struct http_request *request, const struct rest_operation *operation)
{
        struct running running = {.door = door, .request = request, .operation = operation};
        auto_error error = {0};
        size_t length;
        const char *body = http_request_body(request, &length);

        running.caller = rest_caller(door->services, request);
        running.file = http_request_take_file(request, &running.file_length);
        bool is_large = running.file >= 0 || length > BODY_LARGE;
        if (!rest_arguments_begin(operation, request, &running.arguments, &error) ||
            (!is_large && !rest_arguments_end(operation, body, length, &running.arguments, &error))) {
                rest_refuse(request, &error);
                running_clear(&running);
        } else if (is_large) {
                postpone_whole(&running);
        } else if (operation->mode != REST_READS) {
                postpone(&running);
        } else {
                run_now(&running);
        }
}
