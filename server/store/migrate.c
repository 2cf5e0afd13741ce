#include "server/store/migrate.h"

#include "server/base/log.h"
#include "server/base/text.h"

static int version_of(sqlite3 *connection)
{
        sqlite3_stmt *statement;
        int version = -1;

        if (sqlite3_prepare_v2(connection, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
            sqlite3_step(statement) == SQLITE_ROW)
                version = sqlite3_column_int(statement, 0);
        sqlite3_finalize(statement);
        return version;
}

static bool apply(sqlite3 *connection, const struct migration *migration, int version, struct error *error)
{
        auto_free char *script =
                text_format("BEGIN IMMEDIATE;\n%s\nPRAGMA user_version = %d;\nCOMMIT;", migration->sql, version);

        if (sqlite3_exec(connection, script, NULL, NULL, NULL) != SQLITE_OK) {
                error_set(error, ERROR_STORE_FAILED, "migration %s failed: %s", migration->name,
                          sqlite3_errmsg(connection));
                sqlite3_exec(connection, "ROLLBACK", NULL, NULL, NULL);
                return false;
        }
        log_info("store migrated", "migration", migration->name);
        return true;
}

bool store_migrate(sqlite3 *connection, struct error *error)
{
        int version = version_of(connection), newest = 0;

        while (migrations[newest].name)
                newest++;
        if (version < 0)
                return error_set(error, ERROR_STORE_FAILED, "the store cannot be read: %s", sqlite3_errmsg(connection));
        if (version > newest)
                return error_set(error, ERROR_STORE_FAILED,
                                 "the store has version %d, this program knows %d: use the newer program", version,
                                 newest);
        for (int i = version; i < newest; i++)
                if (!apply(connection, &migrations[i], i + 1, error))
                        return false;
        return true;
}
