#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/text.h"
#include "server/http/gateway_parts.h"

#define PIECE_BYTES 32768
/* How much longer than a client's head a target's first byte may take. */
#define PATIENCE 4
#define ENDLESS UINT64_MAX

/* Bytes on their way in one direction. */
struct flow {
        char *bytes; /* of a buffer of its own */
        size_t length, taken;
        uint64_t left; /* that are still to be read, ENDLESS when only the end of the connection tells */
};

struct carrier {
        struct gateway_connection *connection;
        const struct message_head *request;
        struct head_forward forward;
        int target;
        struct flow up, down;
        char *head; /* of the response, as far as it has come */
        size_t head_length;
        bool has_head, is_raw; /* is_raw: what follows is no HTTP any more */
        bool keeps;
        uint64_t body; /* bytes of the request's body that were read */
        int64_t moved_at, looked_at;
};

enum step { STEP_ON, STEP_DONE, STEP_FAILED };

static bool is_empty(const struct flow *flow)
{
        return flow->taken == flow->length;
}

/* Puts bytes into a flow that is empty. */
static void put(struct flow *flow, const char *bytes, size_t length)
{
        flow->bytes = memory_resize(flow->bytes, length > PIECE_BYTES ? length : PIECE_BYTES);
        memcpy(flow->bytes, bytes, length);
        flow->length = length;
        flow->taken = 0;
}

static void note_read(struct flow *flow, size_t length)
{
        if (flow->left != ENDLESS)
                flow->left -= length;
}

/* What was read with the request's head of its body goes along with it. */
static void begin(struct carrier *carrier)
{
        struct gateway_connection *connection = carrier->connection;
        auto_text head = TEXT_WITH_MAXIMUM(2 * HEAD_MAXIMUM);
        const struct message_head *request = carrier->request;

        head_write_request(request, &carrier->forward, &head);
        carrier->up.left = request->body == HEAD_BODY_LENGTH    ? request->length
                           : request->body == HEAD_BODY_CHUNKED ? ENDLESS
                                                                : 0;
        size_t along = connection->in_length < carrier->up.left ? connection->in_length : (size_t)carrier->up.left;
        text_append(&head, connection->in, along);
        put(&carrier->up, text_string(&head), head.length);
        note_read(&carrier->up, along);
        carrier->body = along;
        connection->in_length -= along;
        memmove(connection->in, connection->in + along, connection->in_length);
        carrier->down.left = ENDLESS;
}

/* The response's head is whole: what is behind it is the beginning of its body. */
static enum step take_head(struct carrier *carrier, size_t length)
{
        auto_text out = TEXT_WITH_MAXIMUM(2 * HEAD_MAXIMUM);
        auto_free char *bytes = memory_new(length + 1);
        struct message_head head;
        size_t rest = carrier->head_length - length;

        memcpy(bytes, carrier->head, length);
        memmove(carrier->head, carrier->head + length, rest);
        carrier->head_length = rest;
        if (!head_read_response(bytes, length, carrier->request->method, &head))
                return STEP_FAILED;
        /* Nobody waits for it: Expect goes no further than here. */
        if (head.status < 200 && head.status != 101)
                return STEP_ON;
        if (head.status == 101 && !(head.is_upgrade && carrier->request->is_upgrade))
                return STEP_FAILED;
        carrier->has_head = true;
        carrier->is_raw = head.is_upgrade;
        carrier->down.left = head.is_upgrade                 ? ENDLESS
                             : head.body == HEAD_BODY_LENGTH ? head.length
                             : head.body == HEAD_BODY_NONE   ? 0
                                                             : ENDLESS;
        if (carrier->is_raw)
                carrier->up.left = ENDLESS;
        carrier->keeps = carrier->request->keeps && carrier->down.left != ENDLESS && !carrier->up.left;
        head_write_response(&head, &carrier->forward, carrier->keeps, &out);
        size_t along = rest < carrier->down.left ? rest : (size_t)carrier->down.left;
        text_append(&out, carrier->head, along);
        note_read(&carrier->down, along);
        put(&carrier->down, text_string(&out), out.length);
        return STEP_ON;
}

static enum step take_heads(struct carrier *carrier)
{
        enum step step = STEP_ON;
        size_t length;

        while (step == STEP_ON && !carrier->has_head && (length = head_length(carrier->head, carrier->head_length)))
                step = take_head(carrier, length);
        return step == STEP_ON && !carrier->has_head && carrier->head_length == HEAD_MAXIMUM ? STEP_FAILED : step;
}

static enum step read_target(struct carrier *carrier)
{
        struct flow *down = &carrier->down;
        bool is_head = !carrier->has_head;
        size_t room = is_head ? HEAD_MAXIMUM - carrier->head_length : PIECE_BYTES;
        char *to;

        if (is_head) {
                carrier->head = carrier->head ? carrier->head : memory_new(HEAD_MAXIMUM);
                to = carrier->head + carrier->head_length;
        } else {
                to = down->bytes;
                room = room < down->left ? room : (size_t)down->left;
        }
        ssize_t got = recv(carrier->target, to, room, MSG_DONTWAIT);
        if (got < 0)
                return errno == EAGAIN ? STEP_ON : STEP_FAILED;
        if (got == 0 && (is_head || down->left != ENDLESS))
                return STEP_FAILED;
        carrier->moved_at = clock_monotonic();
        if (got == 0) {
                down->left = 0;
                return STEP_ON;
        }
        if (is_head) {
                carrier->head_length += (size_t)got;
                return take_heads(carrier);
        }
        down->length = (size_t)got;
        down->taken = 0;
        note_read(down, (size_t)got);
        return STEP_ON;
}

static enum step read_client(struct carrier *carrier)
{
        struct flow *up = &carrier->up;
        size_t room = PIECE_BYTES < up->left ? PIECE_BYTES : (size_t)up->left;
        struct gateway_connection *connection = carrier->connection;
        ssize_t got;

        /* What came before the connection was no HTTP any more. */
        if (connection->in_length) {
                got = (ssize_t)(connection->in_length < room ? connection->in_length : room);
                memcpy(up->bytes, connection->in, (size_t)got);
                connection->in_length -= (size_t)got;
                memmove(connection->in, connection->in + got, connection->in_length);
        } else {
                got = wire_read(&connection->wire, up->bytes, room);
        }
        if (got < 0)
                return errno == EAGAIN ? STEP_ON : STEP_FAILED;
        if (got == 0)
                return STEP_FAILED;
        carrier->moved_at = clock_monotonic();
        carrier->body += (uint64_t)got;
        up->length = (size_t)got;
        up->taken = 0;
        note_read(up, (size_t)got);
        return carrier->is_raw || carrier->body <= connection->gateway->options.body_maximum ? STEP_ON : STEP_FAILED;
}

static enum step note_written(struct carrier *carrier, struct flow *flow, ssize_t taken)
{
        if (taken < 0)
                return errno == EAGAIN ? STEP_ON : STEP_FAILED;
        flow->taken += (size_t)taken;
        carrier->moved_at = clock_monotonic();
        return STEP_ON;
}

static enum step write_target(struct carrier *carrier)
{
        struct flow *up = &carrier->up;
        ssize_t taken =
                send(carrier->target, up->bytes + up->taken, up->length - up->taken, MSG_DONTWAIT | MSG_NOSIGNAL);

        /* A target that wants no more of the request may have answered it. */
        if (taken < 0 && (errno == EPIPE || errno == ECONNRESET) && !carrier->is_raw) {
                up->taken = up->length;
                up->left = 0;
                carrier->keeps = false;
                return STEP_ON;
        }
        return note_written(carrier, up, taken);
}

static enum step write_client(struct carrier *carrier)
{
        struct flow *down = &carrier->down;

        return note_written(
                carrier, down,
                wire_write(&carrier->connection->wire, down->bytes + down->taken, down->length - down->taken));
}

/* When it is to be looked at again without news; -1 when it has waited too long, or may not be any more. */
static int64_t sleep_time(struct carrier *carrier, void *ticket)
{
        const struct gateway_options *options = &carrier->connection->gateway->options;
        int64_t now = clock_monotonic(),
                idle = carrier->has_head ? options->idle_timeout_ms : options->head_timeout_ms * (int64_t)PATIENCE;

        if (ticket && now - carrier->looked_at >= options->look_ms) {
                carrier->looked_at = now;
                if (!options->is_allowed(ticket, options->context))
                        return -1;
        }
        int64_t left = carrier->moved_at + idle - now, look = carrier->looked_at + options->look_ms - now;
        return left <= 0 ? -1 : left < look ? left : look;
}

static enum step move(struct carrier *carrier, const struct pollfd *polled, bool wants_client, bool wants_target)
{
        enum step step = STEP_ON;

        if (!is_empty(&carrier->up) && polled[1].revents & (POLLOUT | POLLERR | POLLHUP))
                step = write_target(carrier);
        if (step == STEP_ON && wants_client &&
            (polled[0].revents & POLLIN || wire_has_more(&carrier->connection->wire) || carrier->connection->in_length))
                step = read_client(carrier);
        if (step == STEP_ON && wants_target && polled[1].revents & (POLLIN | POLLHUP | POLLERR))
                step = read_target(carrier);
        if (step == STEP_ON && !is_empty(&carrier->down))
                step = write_client(carrier);
        return step;
}

static enum step turn(struct carrier *carrier, void *ticket)
{
        struct gateway_connection *connection = carrier->connection;
        bool wants_client = is_empty(&carrier->up) && carrier->up.left,
             wants_target = is_empty(&carrier->down) && carrier->down.left;
        struct pollfd polled[] = {
                {connection->wire.fd,
                 (short)((wants_client ? POLLIN : 0) | (is_empty(&carrier->down) ? 0 : POLLOUT) | POLLRDHUP), 0},
                {carrier->target, (short)((wants_target ? POLLIN : 0) | (is_empty(&carrier->up) ? 0 : POLLOUT)), 0},
                {connection->gateway->stop, POLLIN, 0}};
        int64_t ms = sleep_time(carrier, ticket);

        if (carrier->has_head && is_empty(&carrier->down) && !carrier->down.left)
                return STEP_DONE;
        if (ms < 0)
                return STEP_FAILED;
        /* A target that has hung up tells so for ever; nothing is wanted of it until the client has taken what it said.
         */
        if (!wants_target && is_empty(&carrier->up))
                polled[1].fd = -1;
        bool is_waiting = wants_client && (wire_has_more(&connection->wire) || connection->in_length);
        if (poll(polled, COUNT_OF(polled), is_waiting ? 0 : (int)ms) < 0 && errno != EINTR)
                return STEP_FAILED;
        if (polled[2].revents)
                return STEP_FAILED;
        bool is_gone = polled[0].revents & (POLLERR | POLLHUP) ||
                       (polled[0].revents & POLLRDHUP && !(polled[0].revents & POLLIN));
        return is_gone ? STEP_FAILED : move(carrier, polled, wants_client, wants_target);
}

bool gateway_carry(struct gateway_connection *connection, const struct message_head *head, int target, void *ticket)
{
        const struct gateway_options *options = &connection->gateway->options;
        struct carrier carrier = {.connection = connection,
                                  .request = head,
                                  .forward = {.client = connection->client,
                                              .scheme = options->tls ? "https" : "http",
                                              .is_told = connection->is_proxy,
                                              .is_own_cookie = options->is_own_cookie},
                                  .target = target,
                                  .moved_at = clock_monotonic(),
                                  .looked_at = clock_monotonic()};
        enum step step;

        begin(&carrier);
        while ((step = turn(&carrier, ticket)) == STEP_ON)
                continue;
        close(target);
        bool is_unanswered = step == STEP_FAILED && !carrier.has_head;
        struct gateway_decision failure = {.status = 502, .text = "The application did not answer as it should.\n"};
        if (is_unanswered && !gateway_answer(connection, &failure, false))
                is_unanswered = false;
        free(carrier.up.bytes);
        free(carrier.down.bytes);
        free(carrier.head);
        return step == STEP_DONE && carrier.keeps && !carrier.up.left && is_empty(&carrier.up);
}
