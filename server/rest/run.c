#include "server/rest/run.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/rest/arguments.h"
#include "server/rest/bearer.h"
#include "server/rest/page.h"
#include "server/services/reader.h"

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
};

static void running_clear(struct running *running)
{
        rest_arguments_clear(&running->arguments);
        json_decref(running->result);
        free(running->token);
}

/* Answers with the result, or the error. */
static void answer(struct running *running, bool is_good, struct error *error)
{
        const struct rest_operation *operation = running->operation;

        if (is_good && operation->page.items)
                is_good = rest_page_cut(&operation->page, &running->arguments.page, running->result, error);
        if (!is_good) {
                rest_refuse(running->request, error);
                return;
        }
        if (operation->decorate)
                operation->decorate(running->request, &running->caller, running->result);
        char *body = document_print(running->result);
        http_respond(running->request, operation->status ? operation->status : 200, HTTP_JSON, body, strlen(body));
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

static void block(void *context)
{
        struct running *running = context;
        struct caller *caller = &running->caller;
        auto_error error = {0};

        caller->db = services_reader(caller->services, &error);
        bool is_good = caller->db && let_in(running, &error);
        if (is_good && running->operation->mode == REST_WRITES) {
                is_good =
                        prepare(running, &error) && store_write(running->door->services->store, work, running, &error);
        } else if (is_good) {
                struct call call = caller_as_call(caller, "rest", running->arguments.document);
                is_good = running->operation->run(&call, running->arguments.input, &running->result, &error);
        }
        finish(running, is_good, &error);
}

/* Hands the request to the thread that may answer it. */
static void postpone(struct running *from)
{
        const struct rest_operation *operation = from->operation;
        struct running *running = memory_new(sizeof *running);
        auto_error error = {0};

        *running = *from;
        running->caller.token = running->token = text_copy(from->caller.token);
        bool is_slow = operation->mode == REST_BLOCKS ||
                       (operation->is_prepared_first && operation->is_prepared_first(running->arguments.input));
        if (!http_suspend(running->request)) {
                running_clear(running);
                free(running);
        } else if (!is_slow) {
                store_write_later(running->door->services->store, work, running, work_done);
        } else if (!pool_submit(running->door->pool, block, running)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                finish(running, false, &error);
        }
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

void rest_run(const struct rest_door *door, struct http_request *request, const struct rest_operation *operation)
{
        struct running running = {.door = door, .request = request, .operation = operation};
        auto_error error = {0};

        running.caller = rest_caller(door->services, request);
        if (!rest_arguments_read(operation, request, &running.arguments, &error)) {
                rest_refuse(request, &error);
                running_clear(&running);
        } else if (operation->mode != REST_READS) {
                postpone(&running);
        } else {
                bool is_good = read_now(&running, &error);
                answer(&running, is_good, &error);
                running_clear(&running);
        }
}
