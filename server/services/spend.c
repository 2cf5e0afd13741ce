#include "server/services/spend.h"

#include <string.h>
#include <time.h>

#include "server/base/document.h"
#include "server/services/environment_snapshot.h"
#include "server/store/queue.h"
#include "server/store/user.h"

#define MICROS INT64_C(1000000)
#define DAY_MS INT64_C(86400000)

static const char *const scope_names[] = {
        [SPEND_NONE] = NULL, [SPEND_USER] = "user", [SPEND_ENVIRONMENT] = "environment", [SPEND_TASK] = "task"};

static bool is_daily(void)
{
        return !strcmp(settings_current()->spend_period, "day");
}

/* The first day of the present period, in days since the epoch. */
static int64_t first_day(int64_t now)
{
        time_t seconds = (time_t)(now / 1000);
        struct tm parts;

        gmtime_r(&seconds, &parts);
        return now / DAY_MS - (is_daily() ? 0 : parts.tm_mday - 1);
}

int64_t spend_period_end(int64_t now)
{
        int64_t day = first_day(now) + (is_daily() ? 1 : 28);

        /* From the 29th day of the month on to the first of the next. */
        while (!is_daily() && first_day(day * DAY_MS) == first_day(now))
                day++;
        return day * DAY_MS;
}

static int64_t limit_of(int64_t usd)
{
        return usd ? usd * MICROS : INT64_MAX;
}

int64_t spend_task_limit(void)
{
        return limit_of(settings_current()->spend_limit_task_usd);
}

static int64_t user_limit(void)
{
        return limit_of(settings_current()->spend_limit_user_usd);
}

static int64_t environment_limit(const struct environment *environment)
{
        int64_t own = environment->file.limits ? environment->file.limits->spendUsd : 0;

        return limit_of(own ? own : settings_current()->spend_limit_environment_usd);
}

static bool spent_by_user(struct store_db *db, int64_t user, int64_t now, int64_t *spent, struct error *error)
{
        auto_store_user row = {0};

        return store_user_find_rid(db, user, &row, error) &&
               store_spending_since(db, "user", row.id, first_day(now), spent, error);
}

static bool spent_in(struct store_db *db, const struct environment *environment, int64_t now, int64_t *spent,
                     struct error *error)
{
        return store_spending_since(db, "environment", environment->id, first_day(now), spent, error);
}

bool spend_reached(struct store_db *db, int64_t user, const struct environment *environment, int64_t now,
                   enum spend_scope *reached, struct error *error)
{
        int64_t spent = 0;

        *reached = SPEND_NONE;
        if (user && user_limit() < INT64_MAX) {
                auto_error looking = {0};
                /* Nobody's money is guarded for a user who is gone. */
                if (!spent_by_user(db, user, now, &spent, &looking) && looking.code != ERROR_USER_NOT_FOUND)
                        return error_move(error, &looking);
                if (spent >= user_limit())
                        *reached = SPEND_USER;
        }
        if (*reached || !environment || environment_limit(environment) == INT64_MAX)
                return true;
        if (!spent_in(db, environment, now, &spent, error))
                return false;
        if (spent >= environment_limit(environment))
                *reached = SPEND_ENVIRONMENT;
        return true;
}

static bool refuse(enum spend_scope scope, int64_t limit, int64_t now, struct error *error)
{
        bool has_period = scope != SPEND_TASK;
        double usd = (double)limit / (double)MICROS;
        json_t *details = json_pack("{s:s, s:f}", "limit", scope_names[scope], "limitUsd", usd);

        if (has_period)
                json_object_set_new(details, "until", document_time(spend_period_end(now)));
        return error_set_details(error, ERROR_SPEND_LIMIT_REACHED, details,
                                 "The spend limit of the %s, %.2f USD%s, is reached.", scope_names[scope], usd,
                                 !has_period  ? ""
                                 : is_daily() ? " a day"
                                              : " a month");
}

bool spend_check(const struct call *call, const struct environment *environment, int64_t task_micros,
                 struct error *error)
{
        enum spend_scope reached;

        if (task_micros >= spend_task_limit())
                return refuse(SPEND_TASK, spend_task_limit(), call->now, error);
        if (!spend_reached(call->db, call->actor->user, environment, call->now, &reached, error))
                return false;
        return !reached ||
               refuse(reached, reached == SPEND_USER ? user_limit() : environment_limit(environment), call->now, error);
}

static json_t *sum_of(int64_t spent, int64_t limit)
{
        return json_pack("{s:f, s:o}", "spentUsd", (double)spent / (double)MICROS, "limitUsd",
                         limit == INT64_MAX ? json_null() : json_real((double)limit / (double)MICROS));
}

static bool add_environments(struct call *call, json_t *list, struct error *error)
{
        auto_environment_snapshot *current = environments_current(call->services->environments);

        for (size_t i = 0; i < current->count; i++) {
                const struct environment *environment = current->by_name[i];
                int64_t spent;
                if (!access_allows(call->actor, PERMISSION_ENVIRONMENTS_VIEW_DETAILS, environment->rid))
                        continue;
                if (!spent_in(call->db, environment, call->now, &spent, error))
                        return false;
                json_t *item = sum_of(spent, environment_limit(environment));
                json_object_set_new(item, "environment", document_string(environment->name));
                json_array_append_new(list, item);
        }
        return true;
}

bool spend_get(struct call *call, json_t **result, struct error *error)
{
        auto_json *environments = json_array(), *user = json_null();
        int64_t spent;

        if (!add_environments(call, environments, error))
                return false;
        if (call->actor->user) {
                if (!spent_by_user(call->db, call->actor->user, call->now, &spent, error))
                        return false;
                user = sum_of(spent, user_limit());
        }
        *result = json_pack("{s:s, s:o, s:o, s:O, s:O}", "period", settings_current()->spend_period, "since",
                            document_time(first_day(call->now) * DAY_MS), "until",
                            document_time(spend_period_end(call->now)), "user", user, "environments", environments);
        return true;
}
