/* Every fixed SQL statement, by name. STATEMENT(NAME, sql) is prepared when a connection opens; SCANNING_STATEMENT
 * marks one that is meant to read a whole table. A test explains each and refuses a scan that is not marked. */
#ifndef STORE_STATEMENTS_H
#define STORE_STATEMENTS_H

#include "server/store/columns.h"

enum statement {
#define STATEMENT(name, sql) STATEMENT_##name,
#define SCANNING_STATEMENT(name, sql) STATEMENT_##name,
#include "server/store/statements/all.def"
#undef STATEMENT
#undef SCANNING_STATEMENT
        STATEMENT_COUNT
};

struct statement_text {
        const char *name;
        const char *sql;
        int is_scanning;
};
extern const struct statement_text statement_texts[STATEMENT_COUNT];

#endif
