#include "server/services/account_limit.h"

#include <inttypes.h>

#include "server/services/agent.h"
#include "server/services/vault_plan.h"
#include "server/store/queue.h"

#define MINUTE_MS INT64_C(60000)
/* Of a wait that the provider did not tell. */
#define WAIT_MAXIMUM_MS (6 * 60 * MINUTE_MS)
/* A time further away is not believed. */
#define TOLD_MAXIMUM_MS (8 * 24 * 60 * MINUTE_MS)

static char *name_of(int64_t account)
{
        return text_format("account:%" PRId64, account);
}

bool account_limit_name(struct store_db *db, const struct environment *environment, int64_t owner, const char *agent,
                        char **name, struct error *error)
{
        const struct agent *known = agent_find_known(agent);
        auto_store_account account = {0};
        auto_vault_plan plan = {0};
        auto_error invalid = {0};
        bool is_found = false;

        *name = NULL;
        if (!environment || (known && !known->accounts))
                return true;
        if (known && !vault_plan_make(db, environment, owner, &plan, error))
                return false;
        if (known && !vault_plan_account(db, environment, &plan, owner, known, &account, &is_found, &invalid))
                return invalid.code == ERROR_AGENT_AUTH_INVALID || error_move(error, &invalid);
        *name = is_found ? name_of(account.rid) : text_format("environment:%" PRId64 ":%s", environment->rid, agent);
        return true;
}

bool account_limit_exists(struct store_db *db, bool *exists, struct error *error)
{
        int64_t resets_at;

        if (!store_account_limit_next(db, 0, &resets_at, error))
                return false;
        *exists = resets_at != 0;
        return true;
}

/* Further away than any limit may be it was written before the clock was set back. */
static bool is_ahead(int64_t resets_at, int64_t now)
{
        return resets_at > now && resets_at - now < TOLD_MAXIMUM_MS;
}

bool account_limit_look(struct store_db *db, const char *name, int64_t now, struct account_hold *hold,
                        struct error *error)
{
        struct store_account_limit limit;
        bool is_found;

        if (!store_account_limit_find(db, name, &limit, &is_found, error))
                return false;
        bool is_held = is_found && is_ahead(limit.resets_at, now);
        *hold = (struct account_hold){.is_held = is_held,
                                      .is_probing = is_found && !is_held && !limit.is_told,
                                      .until = is_held ? limit.resets_at : 0};
        return true;
}

static int64_t wait_of(int64_t attempts)
{
        int64_t wait = settings_current()->account_limit_minutes * MINUTE_MS;

        while (attempts-- > 0 && wait < WAIT_MAXIMUM_MS)
                wait *= 2;
        return wait < WAIT_MAXIMUM_MS ? wait : WAIT_MAXIMUM_MS;
}

bool account_limit_reached(struct store_db *db, const char *name, int64_t resets_at, int64_t now, struct error *error)
{
        struct store_account_limit limit = {0};
        bool is_found, is_told = is_ahead(resets_at, now);

        if (!store_account_limit_find(db, name, &limit, &is_found, error))
                return false;
        /* Those that ran at the same time run into the same limit: they do not make the wait longer. */
        if (is_found && is_ahead(limit.resets_at, now) && (limit.is_told || !is_told))
                return true;
        limit.resets_at = is_told ? resets_at : now + wait_of(limit.attempts);
        limit.attempts = is_told ? 0 : limit.attempts + 1;
        limit.is_told = is_told;
        return store_account_limit_put(db, name, &limit, error);
}

bool account_limit_over(struct store_db *db, const char *name, struct error *error)
{
        return store_account_limit_delete(db, name, error);
}

bool account_limit_forget(struct store_db *db, int64_t account, struct error *error)
{
        auto_free char *name = name_of(account);

        return store_account_limit_delete(db, name, error);
}
