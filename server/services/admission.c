#include "server/services/admission.h"

#include <string.h>

#include "server/services/account_limit.h"
#include "server/services/services.h"
#include "server/services/spend.h"
#include "server/store/task.h"

static void clear_lanes(struct admission_lane *lanes, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                free(lanes[i].row.agent);
                free(lanes[i].account);
                environment_release(lanes[i].environment);
        }
        free(lanes);
}

void admission_clear(struct admission *admission)
{
        clear_lanes(admission->waiting, admission->waiting_count);
        clear_lanes(admission->running, admission->running_count);
        *admission = (struct admission){0};
}

/* Takes over the rows, with what only the services know of each. */
static bool take_lanes(const struct services *services, struct store_db *db, struct store_lanes *rows, bool is_limited,
                       struct admission_lane **lanes, size_t *count, struct error *error)
{
        *lanes = memory_new((rows->count + 1) * sizeof **lanes);
        for (size_t i = 0; i < rows->count; i++) {
                struct admission_lane *lane = &(*lanes)[(*count)++];
                lane->row = rows->items[i];
                rows->items[i].agent = NULL;
                lane->environment = environment_find_rid(services->environments, lane->row.environment);
                if (is_limited &&
                    !account_limit_name(db, lane->environment, lane->row.owner, lane->row.agent, &lane->account, error))
                        return false;
        }
        return true;
}

static bool judge_account(struct store_db *db, struct admission_lane *lane, int64_t now, struct error *error)
{
        struct account_hold hold;

        if (!lane->account)
                return true;
        if (!account_limit_look(db, lane->account, now, &hold, error))
                return false;
        lane->is_probing = hold.is_probing;
        if (hold.is_held) {
                lane->hold = ADMISSION_ACCOUNT;
                lane->until = hold.until;
        }
        return true;
}

static bool judge_spending(struct store_db *db, struct admission_lane *lane, int64_t now, struct error *error)
{
        enum spend_scope reached;

        if (!spend_reached(db, lane->row.user, lane->environment, now, &reached, error))
                return false;
        if (reached && lane->hold == ADMISSION_FREE) {
                lane->hold = reached == SPEND_USER ? ADMISSION_USER_SPEND : ADMISSION_ENVIRONMENT_SPEND;
                lane->until = spend_period_end(now);
        }
        return true;
}

bool admission_open(const struct services *services, struct store_db *db, int64_t now, struct admission *admission,
                    struct error *error)
{
        auto_store_lanes waiting = {0}, running = {0};
        bool is_limited;

        admission->db = db;
        if (!account_limit_exists(db, &is_limited, error) || !store_lane_list_waiting(db, &waiting, error) ||
            !store_lane_list_running(db, &running, error) ||
            !take_lanes(services, db, &waiting, is_limited, &admission->waiting, &admission->waiting_count, error) ||
            !take_lanes(services, db, &running, is_limited, &admission->running, &admission->running_count, error))
                return false;
        for (size_t i = 0; i < admission->waiting_count; i++)
                if (!judge_account(db, &admission->waiting[i], now, error) ||
                    !judge_spending(db, &admission->waiting[i], now, error))
                        return false;
        admission->slots = settings_current()->task_concurrency;
        for (size_t i = 0; i < admission->running_count; i++)
                admission->slots -= admission->running[i].row.count;
        return true;
}

/* What runs, counted as one lane's limits see it. */
struct counts {
        int64_t user, environment, agent, account;
};

static struct counts count(const struct admission *admission, const struct admission_lane *lane)
{
        struct counts counts = {0};

        for (size_t i = 0; i < admission->running_count; i++) {
                const struct admission_lane *other = &admission->running[i];
                int64_t number = other->row.count;
                counts.user += other->row.user == lane->row.user ? number : 0;
                counts.environment += other->row.environment == lane->row.environment ? number : 0;
                counts.agent += strcmp(other->row.agent, lane->row.agent) ? 0 : number;
                counts.account +=
                        lane->account && other->account && !strcmp(other->account, lane->account) ? number : 0;
        }
        return counts;
}

static bool is_full(int64_t running, int64_t limit)
{
        return limit && running >= limit;
}

static enum admission_hold judge(const struct admission_lane *lane, const struct counts *running)
{
        const struct settings *settings = settings_current();
        int64_t own = lane->environment && lane->environment->file.limits
                              ? lane->environment->file.limits->concurrentTasks
                              : 0;

        if (lane->hold != ADMISSION_FREE)
                return lane->hold;
        if (lane->is_probing && running->account)
                return ADMISSION_ACCOUNT;
        if (is_full(running->user, settings->task_concurrency_per_user))
                return ADMISSION_USER;
        if (is_full(running->environment, own ? own : settings->task_concurrency_per_environment))
                return ADMISSION_ENVIRONMENT;
        return is_full(running->agent, settings->task_concurrency_per_agent) ? ADMISSION_AGENT : ADMISSION_FREE;
}

enum admission_hold admission_hold_of(const struct admission *admission, const struct admission_lane *lane)
{
        struct counts running = count(admission, lane);

        return judge(lane, &running);
}

static struct admission_lane *best(const struct admission *admission)
{
        struct admission_lane *found = NULL;
        int64_t fewest = 0;

        for (size_t i = 0; i < admission->waiting_count; i++) {
                struct admission_lane *lane = &admission->waiting[i];
                struct counts running = count(admission, lane);
                if (!lane->row.since || judge(lane, &running) != ADMISSION_FREE)
                        continue;
                if (found && (running.user > fewest || (running.user == fewest && lane->row.since >= found->row.since)))
                        continue;
                found = lane;
                fewest = running.user;
        }
        return found;
}

static void count_start(struct admission *admission, const struct admission_lane *lane)
{
        size_t index = admission->running_count++;

        admission->running = memory_resize(admission->running, admission->running_count * sizeof *admission->running);
        admission->running[index] = (struct admission_lane){.row = lane->row};
        admission->running[index].row.count = 1;
        admission->running[index].row.agent = text_copy(lane->row.agent);
        admission->running[index].account = lane->account ? text_copy(lane->account) : NULL;
        admission->slots--;
}

/* The lane whose head was started has another one now. */
static bool look_behind(struct admission *admission, struct error *error)
{
        struct admission_lane *lane = admission->started;
        int64_t rid;

        admission->started = NULL;
        return !lane || store_lane_head(admission->db, &lane->row, spend_task_limit(), &rid, &lane->row.since, error);
}

bool admission_next(struct admission *admission, int64_t *rid, struct error *error)
{
        struct admission_lane *lane;

        *rid = 0;
        if (!look_behind(admission, error))
                return false;
        while (!*rid && admission->slots > 0 && (lane = best(admission)))
                if (!store_lane_head(admission->db, &lane->row, spend_task_limit(), rid, &lane->row.since, error))
                        return false;
                else if (*rid)
                        count_start(admission, admission->started = lane);
        return true;
}
