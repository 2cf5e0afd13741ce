#include "server/services/login_limit.h"

#include "server/base/text.h"
#include "server/services/attempts.h"

#define WINDOW_MS 60000

static const struct limit {
        bool has_address, has_user;
        unsigned maximum; /* attempts in a window */
} limits[] = {
        {true, true, 10},
        {true, false, 60},
        {false, true, 100},
};

static struct attempts logins = ATTEMPTS_INITIALIZER;

bool login_limit_take(const char *address, const char *user, int64_t now, struct error *error)
{
        int64_t longest = 0;

        for (size_t i = 0; i < COUNT_OF(limits); i++) {
                const struct limit *limit = &limits[i];
                auto_free char *name =
                        text_format("%s\n%s", limit->has_address ? address : "", limit->has_user ? user : "");
                int64_t wait = attempts_take(&logins, name, limit->maximum, WINDOW_MS, now);
                longest = wait > longest ? wait : longest;
        }
        return !longest || attempts_refuse(longest, "log in", error);
}

void login_limit_reset(void)
{
        attempts_reset(&logins);
}
