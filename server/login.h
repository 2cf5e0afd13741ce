/* `longshored login`: an API key for this machine from a server elsewhere (RFC 8628). */
#ifndef SERVER_LOGIN_H
#define SERVER_LOGIN_H

#include "server/config.h"

struct login_input {
        const char *server, *name, *output;
};
extern const struct field_table login_table;

/* Shows the address and the code, waits until a person has allowed it, and stores server, user and key as JSON in a
 * file that only its owner may read. The exit status. */
int login_run(const struct config *config);

#endif
