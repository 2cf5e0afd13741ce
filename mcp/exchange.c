#include "mcp/exchange.h"

#include <string.h>

#include "mcp/answer.h"
#include "mcp/method.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/services/body.h"

static struct text empty_answer(void)
{
        return TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
}

static void refuse_whole(struct exchange *exchange, unsigned status, const json_t *id, enum envelope_code code,
                         const char *sentence, const json_t *data)
{
        exchange->status = status;
        exchange->is_batch = false;
        for (size_t i = 0; i < exchange->count; i++) {
                exchange->items[i].tool = NULL;
                text_clear(&exchange->items[i].answer);
        }
        envelope_error(&exchange->items[0].answer, id, code, sentence, data);
}

static void read_item(struct exchange *exchange, struct exchange_item *item, json_t *document)
{
        item->answer = empty_answer();
        message_read(document, &item->message);
        if (item->message.kind == MESSAGE_INVALID)
                envelope_error(&item->answer, item->message.id, ENVELOPE_INVALID_REQUEST, item->message.fault, NULL);
        else if (item->message.kind == MESSAGE_REQUEST)
                method_dispatch(exchange, item);
}

static void read_batch(struct exchange *exchange)
{
        size_t count = json_array_size(exchange->document);

        if (!exchange->revision->has_batches) {
                refuse_whole(exchange, 400, NULL, ENVELOPE_INVALID_REQUEST,
                             "Batches exist only in protocol revision 2025-03-26.", NULL);
                return;
        }
        if (!count || count > EXCHANGE_BATCH_MAXIMUM) {
                refuse_whole(exchange, 400, NULL, ENVELOPE_INVALID_REQUEST,
                             count ? "A batch has at most 50 messages." : "A batch must not be empty.", NULL);
                return;
        }
        exchange->is_batch = true;
        exchange->count = count;
        exchange->items = memory_new(count * sizeof *exchange->items);
        for (size_t i = 0; i < count; i++)
                read_item(exchange, &exchange->items[i], json_array_get(exchange->document, i));
}

/* The revision of the header; false when it is not spoken. The one that initialize comes with is not asked for. */
static bool find_revision(struct exchange *exchange, const char *version)
{
        const char *method = document_get_string(exchange->document, "method");

        exchange->revision = version ? revision_find(version) : revision_assumed();
        if (!exchange->revision && method && !strcmp(method, "initialize"))
                exchange->revision = revision_assumed();
        if (exchange->revision)
                return true;
        auto_json *data = revision_mismatch(version);
        struct message message;
        message_read(exchange->document, &message);
        refuse_whole(exchange, 400, message.id, ENVELOPE_UNSUPPORTED_VERSION, "This protocol revision is not spoken.",
                     data);
        return false;
}

/* What a body may measure depends on the tool, so it is told only now. */
static void check_length(struct exchange *exchange, size_t length, size_t body_maximum)
{
        for (size_t i = 0; i < exchange->count; i++)
                if (exchange->items[i].body_maximum > body_maximum)
                        body_maximum = exchange->items[i].body_maximum;
        if (length > body_maximum)
                refuse_whole(exchange, 413, exchange->is_batch ? NULL : exchange->items[0].message.id,
                             ENVELOPE_INVALID_REQUEST, "The request is larger than its tool accepts.", NULL);
}

void exchange_open(struct exchange *exchange, const char *body, size_t length, const char *version, size_t body_maximum,
                   const char *request_id)
{
        auto_error error = {0};

        memset(exchange, 0, sizeof *exchange);
        exchange->request_id = request_id;
        exchange->status = 200;
        exchange->count = 1;
        exchange->items = &exchange->single;
        exchange->single.answer = empty_answer();
        exchange->document = body_parse(body, length, &error);
        if (!exchange->document) {
                refuse_whole(exchange, 400, NULL, ENVELOPE_PARSE_ERROR, error.message, NULL);
                return;
        }
        if (!find_revision(exchange, version))
                return;
        if (json_is_array(exchange->document)) {
                read_batch(exchange);
        } else {
                read_item(exchange, &exchange->single, exchange->document);
                if (exchange->single.message.kind == MESSAGE_INVALID)
                        exchange->status = 400;
        }
        check_length(exchange, length, body_maximum);
}

void exchange_close(struct exchange *exchange)
{
        for (size_t i = 0; i < exchange->count; i++) {
                struct exchange_item *item = &exchange->items[i];
                text_clear(&item->answer);
                field_memory_clear(&item->memory);
                json_decref(item->own_arguments);
        }
        if (exchange->items != &exchange->single)
                free(exchange->items);
        json_decref(exchange->document);
}

void exchange_move(struct exchange *to, struct exchange *from)
{
        *to = *from;
        if (from->items == &from->single)
                to->items = &to->single;
        memset(from, 0, sizeof *from);
}

enum tool_mode exchange_mode(const struct exchange *exchange)
{
        for (size_t i = 0; i < exchange->count; i++) {
                const struct exchange_item *item = &exchange->items[i];
                const struct tool *tool = item->tool;
                if (!tool || tool->mode == TOOL_READS)
                        continue;
                bool is_slow = exchange->is_batch || (tool->is_prepared_first && tool->is_prepared_first(item->input));
                return is_slow ? TOOL_BLOCKS : tool->mode;
        }
        return TOOL_READS;
}

char *exchange_print(struct exchange *exchange, size_t *length)
{
        if (!exchange->is_batch) {
                *length = exchange->items[0].answer.length;
                return *length ? text_take(&exchange->items[0].answer) : NULL;
        }
        auto_text all = empty_answer();
        for (size_t i = 0; i < exchange->count; i++) {
                const struct text *answer = &exchange->items[i].answer;
                if (!answer->length)
                        continue;
                text_append_string(&all, all.length ? "," : "[");
                text_append(&all, answer->data, answer->length);
        }
        if (!all.length)
                return NULL;
        text_append_string(&all, "]");
        *length = all.length;
        return text_take(&all);
}
