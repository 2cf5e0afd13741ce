#include "mcp/exchange.h"

#include <string.h>

#include "mcp/answer.h"
#include "mcp/method.h"
#include "server/base/document.h"
#include "server/base/log.h"

static struct text empty_answer(void)
{
        return TEXT_WITH_MAXIMUM(SIZE_MAX / 8);
}

struct refusal {
        unsigned status;
        enum envelope_code code;
        const char *sentence;
        const json_t *data;
};

/* Answers the request as a whole, instead of all that was answered already. */
static void refuse_whole(struct exchange *exchange, const json_t *id, const struct refusal *refusal)
{
        exchange->status = refusal->status;
        exchange->is_batch = false;
        for (size_t i = 0; i < exchange->count; i++) {
                exchange->items[i].tool = NULL;
                text_clear(&exchange->items[i].answer);
        }
        envelope_error(&exchange->items[0].answer, id, refusal->code, refusal->sentence, refusal->data);
}

static void refuse_request(struct exchange *exchange, const char *sentence)
{
        refuse_whole(exchange, NULL, &(struct refusal){400, ENVELOPE_INVALID_REQUEST, sentence, NULL});
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
                refuse_request(exchange, "Batches exist only in protocol revision 2025-03-26.");
                return;
        }
        if (!count || count > EXCHANGE_BATCH_MAXIMUM) {
                refuse_request(exchange, count ? "A batch has at most 50 messages." : "A batch must not be empty.");
                return;
        }
        exchange->is_batch = true;
        exchange->count = count;
        exchange->items = memory_new(count * sizeof *exchange->items);
        for (size_t i = 0; i < count; i++)
                read_item(exchange, &exchange->items[i], json_array_get(exchange->document, i));
}

static void refuse_revision(struct exchange *exchange, const char *version)
{
        auto_json *data = revision_mismatch(version);
        struct message message;

        message_read(exchange->document, &message);
        refuse_whole(
                exchange, message.id,
                &(struct refusal){400, ENVELOPE_UNSUPPORTED_VERSION, "This protocol revision is not spoken.", data});
}

/* Whether the request belongs to the revisions without a handshake: it says so in the body (any version that is not
 * one of the older ones), or in the header, or asks what there is only there. */
static bool is_stateless(const struct exchange *exchange, const char *header, const char *method)
{
        const char *version = stateless_version(exchange->document);
        const struct revision *named = version ? revision_find(version) : NULL;

        if (version && (!named || named->is_stateless))
                return true;
        named = header ? revision_find(header) : NULL;
        return (named && named->is_stateless) || (method && !strcmp(method, "server/discover"));
}

/* Decides on the revision; false when it is not spoken. The one that initialize comes with is not asked for. */
static bool find_revision(struct exchange *exchange)
{
        const char *header = exchange->request->headers->version;
        const char *method = document_get_string(exchange->document, "method");

        if (is_stateless(exchange, header, method)) {
                exchange->revision = revision_stateless();
                return true;
        }
        exchange->revision = header ? revision_find(header) : revision_assumed();
        if (!exchange->revision && method && !strcmp(method, "initialize"))
                exchange->revision = revision_assumed();
        if (exchange->revision)
                return true;
        refuse_revision(exchange, header);
        return false;
}

static void read_stateless(struct exchange *exchange, struct exchange_item *item)
{
        struct stateless_refusal refusal = {0};

        message_read(exchange->document, &item->message);
        if (item->message.kind == MESSAGE_RESPONSE)
                refuse_request(exchange, "A response answers nothing in this protocol revision.");
        else if (item->message.kind == MESSAGE_INVALID ||
                 stateless_check(&item->message, exchange->request->headers, &refusal))
                read_item(exchange, item, exchange->document);
        else
                refuse_whole(exchange, item->message.id,
                             &(struct refusal){400, refusal.code, refusal.error.message, refusal.error.details});
        error_clear(&refusal.error);
}

static void read_single(struct exchange *exchange)
{
        if (exchange->revision->is_stateless)
                read_stateless(exchange, &exchange->single);
        else
                read_item(exchange, &exchange->single, exchange->document);
        if (exchange->single.message.kind == MESSAGE_INVALID)
                exchange->status = 400;
}

/* What a body may measure depends on the tool, so it is told only now. */
static void check_length(struct exchange *exchange, size_t length, size_t body_maximum)
{
        for (size_t i = 0; i < exchange->count; i++)
                if (exchange->items[i].body_maximum > body_maximum)
                        body_maximum = exchange->items[i].body_maximum;
        if (length > body_maximum)
                refuse_whole(exchange, exchange->is_batch ? NULL : exchange->items[0].message.id,
                             &(struct refusal){413, ENVELOPE_INVALID_REQUEST,
                                               "The request is larger than its tool accepts.", NULL});
}

static void read_document(struct exchange *exchange)
{
        const struct exchange_request *request = exchange->request;
        auto_error error = {0};

        exchange->document = document_parse(request->body, request->length, &error);
        if (!exchange->document) {
                refuse_whole(exchange, NULL, &(struct refusal){400, ENVELOPE_PARSE_ERROR, error.message, NULL});
                return;
        }
        if (!find_revision(exchange))
                return;
        if (json_is_array(exchange->document))
                read_batch(exchange);
        else
                read_single(exchange);
        check_length(exchange, request->length, request->body_maximum);
}

void exchange_open(struct exchange *exchange, const struct exchange_request *request)
{
        memset(exchange, 0, sizeof *exchange);
        exchange->request_id = request->request_id;
        exchange->request = request;
        exchange->status = 200;
        exchange->count = 1;
        exchange->items = &exchange->single;
        exchange->single.answer = empty_answer();
        read_document(exchange);
        exchange->request = NULL;
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
                if (!tool || (tool->mode == TOOL_READS && !tool->is_slow))
                        continue;
                bool is_slow = exchange->is_batch || tool->is_slow ||
                               (tool->is_prepared_first && tool->is_prepared_first(item->input));
                return is_slow ? TOOL_BLOCKS : tool->mode;
        }
        return TOOL_READS;
}

struct tool_call exchange_call(struct exchange_item *item)
{
        return (struct tool_call){item->tool, &item->message, item->input, item->arguments};
}

struct exchange_item *exchange_reporting(struct exchange *exchange, const json_t **token)
{
        struct exchange_item *item = &exchange->items[0];

        if (exchange->is_batch || !item->tool || !item->tool->reports_progress)
                return NULL;
        const json_t *given = json_object_get(json_object_get(item->message.params, "_meta"), "progressToken");
        if (!json_is_string(given) && !json_is_integer(given))
                return NULL;
        *token = given;
        return item;
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
