/* Migrations: SQL files embedded in the binary, applied in order, each once. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include <sqlite3.h>

#include "server/base/error.h"

struct migration {
        const char *name;
        const char *sql;
};
/* In order, ended by an empty row. */
extern const struct migration migrations[];

/* Brings the database to the newest version, each migration in a transaction of its own. Refuses one that a newer
 * program has made. */
MUST_CHECK bool store_migrate(sqlite3 *connection, struct error *error);

#endif
