#include <string.h>

#include "mcp/answer.h"
#include "mcp/exchange.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/services/setting.h"

/* A read is made again at most so often while access changes under it. */
#define AGAIN_MAXIMUM 3

void exchange_answer(struct exchange *exchange, struct exchange_item *item, const json_t *result,
                     const struct error *error)
{
        struct asked asked = {.tool = item->tool,
                              .id = item->message.id,
                              .uri = item->tool->is_method ? document_get_string(item->arguments, "uri") : NULL,
                              .is_stateless = exchange->revision->is_stateless,
                              .request_id = exchange->request_id};
        auto_error unbounded = {0};

        text_clear(&item->answer);
        if (result && answer_result(&item->answer, &asked, result, &unbounded))
                return;
        answer_refusal(&item->answer, &asked, result ? &unbounded : error);
}

/* Whether the answers so far leave room for another one; if not, the item is told so. */
static bool has_room(struct exchange *exchange, struct exchange_item *item)
{
        size_t length = 0;

        for (size_t i = 0; i < exchange->count; i++)
                if (&exchange->items[i] != item)
                        length += exchange->items[i].answer.length;
        if (length <= EXCHANGE_ANSWER_MAXIMUM)
                return true;
        text_clear(&item->answer);
        envelope_error(&item->answer, item->message.id, ENVELOPE_INTERNAL,
                       "The answers of this batch are too large together; send this request by itself.", NULL);
        return false;
}

static void run_read(struct exchange *exchange, struct exchange_item *item, struct caller *caller)
{
        auto_error error = {0};
        auto_json *result = NULL;

        struct tool_call asked = exchange_call(item);
        store_snapshot_begin(caller->db);
        bool is_done = caller_run(caller, &asked, &result, &error);
        store_snapshot_end(caller->db);
        if (!is_done)
                json_decref(take(result));
        exchange_answer(exchange, item, result, &error);
}

static bool is_pending_read(const struct exchange_item *item)
{
        return item->tool && item->tool->mode == TOOL_READS;
}

/* Withholds what the reads found. */
static void replace_reads(struct exchange *exchange, enum error_code code)
{
        auto_error error = {0};

        error_set(&error, code, NULL);
        for (size_t i = 0; i < exchange->count; i++)
                if (is_pending_read(&exchange->items[i]))
                        exchange_answer(exchange, &exchange->items[i], NULL, &error);
}

static void forget_reads(struct exchange *exchange)
{
        for (size_t i = 0; i < exchange->count; i++)
                if (is_pending_read(&exchange->items[i]))
                        text_clear(&exchange->items[i].answer);
}

static bool has_reads(const struct exchange *exchange)
{
        for (size_t i = 0; i < exchange->count; i++)
                if (is_pending_read(&exchange->items[i]))
                        return true;
        return false;
}

bool exchange_run_reads(struct exchange *exchange, struct caller *caller, struct error *error)
{
        if (!has_reads(exchange))
                return true;
        for (int again = 0; again <= AGAIN_MAXIMUM; again++) {
                if (again && !caller_authenticate(caller, error))
                        return false;
                forget_reads(exchange);
                for (size_t i = 0; i < exchange->count; i++) {
                        struct exchange_item *item = &exchange->items[i];
                        if (is_pending_read(item) && has_room(exchange, item))
                                run_read(exchange, item, caller);
                }
                if (!settings_current()->mcp_server_enabled) {
                        replace_reads(exchange, ERROR_LOOKUP_UNAVAILABLE);
                        return true;
                }
                if (access_is_current(caller->db, &caller->actor))
                        return true;
        }
        replace_reads(exchange, ERROR_CHANGED);
        return true;
}

struct change {
        struct exchange_item *item;
        struct caller caller;
        json_t *result;
};

static bool work_on_change(struct store_db *db, void *context, struct error *error)
{
        struct change *change = context;
        struct tool_call asked = exchange_call(change->item);

        change->caller.db = db;
        return caller_authenticate(&change->caller, error) &&
               caller_run(&change->caller, &asked, &change->result, error);
}

/* Prepares what the input asks for, runs the piece of work and waits for it. */
static bool run_write(struct exchange_item *item, struct caller *caller, json_t **result, struct error *error)
{
        const struct tool *tool = item->tool;
        struct tool_call asked = exchange_call(item);
        struct change change = {.item = item, .caller = *caller};
        bool is_prepared = tool->is_prepared_first && tool->is_prepared_first(item->input);
        bool is_done =
                (!is_prepared || (caller_authenticate(caller, error) && caller_prepare(caller, &asked, error))) &&
                store_write(caller->services->store, work_on_change, &change, error);

        if (is_prepared)
                tool->release(caller->services, item->input, is_done);
        *result = change.result;
        return is_done;
}

/* Runs a tool that changes something, and waits for it. */
static bool run_change(struct exchange *exchange, struct exchange_item *item, struct caller *caller,
                       struct error *error)
{
        auto_error refusal = {0};
        auto_json *result = NULL;
        bool is_done;

        if (item->tool->mode == TOOL_WRITES) {
                is_done = run_write(item, caller, &result, &refusal);
        } else {
                struct tool_call asked = exchange_call(item);
                is_done = caller_authenticate(caller, &refusal) && caller_run(caller, &asked, &result, &refusal);
        }
        if (!is_done)
                json_decref(take(result));
        if (!is_done && refusal.code == ERROR_UNAUTHENTICATED)
                return error_move(error, &refusal);
        exchange_answer(exchange, item, result, &refusal);
        return true;
}

bool exchange_run(struct exchange *exchange, struct caller *caller, struct error *error)
{
        for (size_t i = 0; i < exchange->count; i++) {
                struct exchange_item *item = &exchange->items[i];
                if (!item->tool || item->tool->mode == TOOL_READS)
                        continue;
                if (has_room(exchange, item) && !run_change(exchange, item, caller, error))
                        return false;
        }
        return caller_authenticate(caller, error) && exchange_run_reads(exchange, caller, error);
}
