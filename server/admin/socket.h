/* The admin door's socket, DATA/admin.sock.
 *
 * A client sends one line of JSON, {"command", "arguments"}, and gets one line back: {"result"} or {"error": {"code",
 * "message"}}. Only root and the server's own user are let in, whatever the file's mode says. */
#ifndef ADMIN_SOCKET_H
#define ADMIN_SOCKET_H

#include "server/services/services.h"

#define ADMIN_SOCKET_NAME "admin.sock"
/* Bytes of a request or an answer, the newline included. */
#define ADMIN_LINE_MAXIMUM (4 * 1024 * 1024)

struct admin_socket;

/* Listens in the data folder, which the caller has locked; `services` must outlive it. NULL on error. */
struct admin_socket *admin_socket_open(struct services *services, struct error *error);
/* Takes no more requests, waits up to `timeout_ms` for those that run, and frees it. False when one still runs: it must
 * not be freed then, nor what it uses. */
MUST_CHECK bool admin_socket_close(struct admin_socket *admin, int64_t timeout_ms);

/* The client's side: connects to the server of the data folder; *socket is -1 when none listens. */
MUST_CHECK bool admin_connect(const char *data_folder, int *socket, struct error *error);
/* Sends a command (arguments NULL for none) and waits for its answer, as long as it takes. */
MUST_CHECK bool admin_ask(int socket, const char *command, json_t *arguments, json_t **result, struct error *error);

#endif
