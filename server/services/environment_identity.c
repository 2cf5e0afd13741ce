#include "server/services/environment_identity.h"

#include <string.h>

#include "server/base/clock.h"
#include "server/store/environment.h"

/* The environments of the store that have not been removed. */
struct rows {
        struct store_environment *items;
        size_t count;
};

static void rows_clear(struct rows *rows)
{
        for (size_t i = 0; i < rows->count; i++)
                store_environment_clear(&rows->items[i]);
        free(rows->items);
}

/* Whether `before` has the same names; `after` gets its identities then. */
static bool take_over(const struct environment_snapshot *before, struct environment_snapshot *after)
{
        if (!before || before->count != after->count)
                return false;
        for (size_t i = 0; i < after->count; i++)
                if (strcmp(before->by_name[i]->name, after->by_name[i]->name))
                        return false;
        for (size_t i = 0; i < after->count; i++)
                if (before->by_name[i]->rid)
                        environment_identify(after->by_name[i], before->by_name[i]->rid, before->by_name[i]->id);
        return true;
}

static bool remove_absent(struct store_db *db, const struct rows *rows, const struct environment_snapshot *present,
                          int64_t now, struct error *error)
{
        for (size_t i = 0; i < rows->count; i++)
                if (!environment_snapshot_find(present, rows->items[i].name) &&
                    !store_environment_remove(db, rows->items[i].rid, now, error))
                        return false;
        return true;
}

static bool assign_in_store(struct store_db *db, void *context, struct error *error)
{
        struct environment_snapshot *snapshot = context;
        CLEANUP(rows_clear) struct rows rows = {0};
        int64_t now = clock_now();

        if (!store_environment_list(db, &rows.items, &rows.count, error) ||
            !remove_absent(db, &rows, snapshot, now, error))
                return false;
        for (size_t i = 0; i < snapshot->count; i++) {
                auto_store_environment row = {0};
                if (!environment_name_is_allowed(snapshot->by_name[i]->name))
                        continue;
                if (!store_environment_ensure(db, snapshot->by_name[i]->name, now, &row, error))
                        return false;
                environment_identify(snapshot->by_name[i], row.rid, row.id);
        }
        return true;
}

bool environment_identity_assign(struct store *store, const struct environment_snapshot *before,
                                 struct environment_snapshot *after, struct error *error)
{
        return take_over(before, after) || store_write(store, assign_in_store, after, error);
}
