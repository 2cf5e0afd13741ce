/* The server's process: its parts, in the order they start. */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "server/config.h"

/* Runs the server until SIGTERM or SIGINT. The exit status. Called before any thread exists. */
int serve(const struct config *config);

#endif
