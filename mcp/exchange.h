/* One HTTP request of the door: a message or a batch of them, and their answers.
 *
 * Reading the body answers at once what needs no tool. What is left to do says exchange_mode: tools that read run on
 * the thread of the request, a single one that writes in a piece of work, everything else on the worker pool. */
#ifndef MCP_EXCHANGE_H
#define MCP_EXCHANGE_H

#include "mcp/caller.h"
#include "mcp/envelope.h"
#include "mcp/revision.h"
#include "mcp/stateless.h"

/* Messages of a batch, and bytes of its answers after which the rest is refused. */
#define EXCHANGE_BATCH_MAXIMUM 50
#define EXCHANGE_ANSWER_MAXIMUM (8 * 1024 * 1024)
/* Bytes of the largest body that any tool takes. */
#define EXCHANGE_BODY_MAXIMUM (72 * 1024 * 1024)
/* Bodies beyond this are parsed on the worker pool, so that they hold up no other request. */
#define EXCHANGE_BODY_LARGE (256 * 1024)

/* A message and its answer; the tool is NULL once nothing is left to run. */
struct exchange_item {
        struct message message;
        const struct tool *tool;
        json_t *arguments; /* as sent; borrowed from the document, or empty and owned */
        json_t *own_arguments;
        size_t body_maximum; /* of the tool that was called; 0: the server's setting */
        struct field_memory memory;
        struct text answer; /* empty: none is due */
        _Alignas(max_align_t) char input[TOOL_INPUT_SIZE];
};

struct exchange {
        json_t *document;
        const struct revision *revision;
        const char *request_id;
        const struct exchange_request *request; /* while it is opened */
        unsigned status;                        /* of HTTP */
        bool is_batch;
        size_t count;
        struct exchange_item *items; /* `single`, or on the heap */
        struct exchange_item single;
};

/* What came, and from whom. Borrowed. */
struct exchange_request {
        const char *body;
        size_t length;
        const struct exchange_headers *headers;
        const struct actor *actor; /* authenticated */
        size_t body_maximum;       /* the server's setting, in bytes */
        const char *request_id;    /* outlives the exchange */
};

/* Reads the request; all of it but its id may go afterwards. Whatever is wrong becomes an answer. The exchange owns all
 * it holds; it is moved only by exchange_move. */
void exchange_open(struct exchange *exchange, const struct exchange_request *request);
void exchange_close(struct exchange *exchange);
/* Moves an open exchange; `from` is empty afterwards. */
void exchange_move(struct exchange *to, struct exchange *from);
#define auto_exchange CLEANUP(exchange_close) struct exchange

/* Where what is left has to run. */
enum tool_mode exchange_mode(const struct exchange *exchange);

/* Runs the tools that read for the authenticated caller, and again while access changes under them; when it does not
 * stop changing they are answered `changed`. ERROR_UNAUTHENTICATED when the credential is not valid any more. */
MUST_CHECK bool exchange_run_reads(struct exchange *exchange, struct caller *caller, struct error *error);
/* Runs all that is left, what changes something first; blocks. Not on the store's writer thread. */
MUST_CHECK bool exchange_run(struct exchange *exchange, struct caller *caller, struct error *error);

/* The call that the item's tool is to run; borrows from the item. */
struct tool_call exchange_call(struct exchange_item *item);
/* The item that reports how far it is to a caller who gave a token for it, which goes to *token (borrowed); NULL when
 * there is none. */
struct exchange_item *exchange_reporting(struct exchange *exchange, const json_t **token);

/* Answers the item with its tool's outcome: a result, or the error when that is NULL. */
void exchange_answer(struct exchange *exchange, struct exchange_item *item, const json_t *result,
                     const struct error *error);

/* The body of the HTTP answer on the heap; NULL when there is none (202). */
char *exchange_print(struct exchange *exchange, size_t *length);

#endif
