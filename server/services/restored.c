#include <string.h>

#include "server/base/log.h"
#include "server/services/reader.h"
#include "server/services/runtime_parts.h"
#include "server/store/meta.h"

/* Of the store's id, as many of its last letters as tell two stores apart. */
#define SUFFIX_LETTERS 6

static bool end(struct runtime *runtime, struct store_db *db, int64_t rid, struct error *error)
{
        auto_store_turn turn = {0};
        struct turn_outcome outcome;
        bool is_found;

        if (!store_turn_find(db, rid, &turn, &is_found, error) || !is_found)
                return !error->code;
        turn_outcome_of_failure(&outcome, "interrupted", "store_restored", "agent",
                                "The store was restored from a backup in which this turn had not ended. Whether and "
                                "how it went on is known only where the backup was made.");
        return turn_end(runtime, &turn, &outcome, error);
}

/* One that is ended may let another begin, so that this goes on until none is open. */
static bool end_all(struct runtime *runtime, struct store_db *db, struct error *error)
{
        for (size_t count = 1; count;) {
                auto_free int64_t *turns = NULL;
                if (!store_turn_list_open(db, &turns, &count, error))
                        return false;
                for (size_t i = 0; i < count; i++)
                        if (!end(runtime, db, turns[i], error))
                                return false;
        }
        return true;
}

static bool settle_work(struct store_db *db, void *context, struct error *error)
{
        (void)context;
        return store_origin_settle(db, error);
}

bool restored_settle(struct runtime *runtime, struct error *error)
{
        struct store_db *db = services_reader(runtime->services, error);
        auto_store_origin origin = {0};

        if (!db || !store_origin_read(db, &origin, error))
                return false;
        size_t length = strlen(runtime->server_id);
        runtime->container_suffix = origin.server_id && length > SUFFIX_LETTERS
                                            ? text_format("-%s", runtime->server_id + length - SUFFIX_LETTERS)
                                            : text_copy("");
        if (!origin.is_unsettled)
                return true;
        log_info("this store was restored from a backup; its open turns end", "of", origin.server_id);
        return end_all(runtime, db, error) && RUNTIME_WRITE(runtime, settle_work, NULL, error);
}
