/* Commands of the admin door from the command line. */
#ifndef SERVER_CLI_H
#define SERVER_CLI_H

#include "server/config.h"

/* Asks the running server, or else does it here under the data folder's lock. Prints the result, or the reason to
 * standard error. The exit status: 0, or 1 when it failed or found something broken. */
int cli_run(const struct config *config);
/* Prints an error as the command line does; returns the exit status 1. */
int cli_fail(const struct config *config, const struct error *error);

#endif
