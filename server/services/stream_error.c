#include "server/services/stream_error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/base/cleanup.h"

#define SECOND_MS 1000LL
#define DAY_MS (24 * 3600 * SECOND_MS)
#define NOTICE_MAXIMUM 400

/* Looked for in this order, without case; a number only where it stands alone. */
static const struct {
        const char *word, *category;
} words[] = {
        {"rate limit", "rate_limit"},
        {"rate_limit", "rate_limit"},
        {"usage limit", "rate_limit"},
        {"usage_limit", "rate_limit"},
        {"hit your", "rate_limit"},
        {"quota", "rate_limit"},
        {"resource_exhausted", "rate_limit"},
        {"too many requests", "rate_limit"},
        {"429", "rate_limit"},
        {"limit reached", "rate_limit"},
        {"credit balance", "rate_limit"},
        {"billing", "rate_limit"},
        {"unauthorized", "auth"},
        {"authenticat", "auth"},
        {"api key", "auth"},
        {"api_key", "auth"},
        {"not logged in", "auth"},
        {"/login", "auth"},
        {"revoked", "auth"},
        {"oauth", "auth"},
        {"permission_denied", "auth"},
        {"credentials", "auth"},
        {"auth method", "auth"},
        {"401", "auth"},
        {"403", "auth"},
        {"timed out", "timeout"},
        {"timeout", "timeout"},
};

static bool is_alone(const char *text, const char *found, size_t length)
{
        return !isdigit((unsigned char)*found) ||
               ((found == text || !isalnum((unsigned char)found[-1])) && !isalnum((unsigned char)found[length]));
}

static bool has_word(const char *text, const char *word)
{
        for (const char *found = text; (found = strcasestr(found, word)); found++)
                if (is_alone(text, found, strlen(word)))
                        return true;
        return false;
}

const char *stream_error_category(const char *type, const char *message)
{
        for (size_t i = 0; i < COUNT_OF(words); i++)
                if ((type && has_word(type, words[i].word)) || (message && has_word(message, words[i].word)))
                        return words[i].category;
        return "unknown";
}

static const struct {
        const char *name;
        int64_t ms;
} units[] = {
        {"day", DAY_MS}, {"hour", 3600 * SECOND_MS}, {"minute", 60 * SECOND_MS}, {"second", SECOND_MS},
        {"d", DAY_MS},   {"h", 3600 * SECOND_MS},    {"m", 60 * SECOND_MS},      {"s", SECOND_MS},
};

/* A number and its unit; moves *at behind them. 0 when there are none. */
static int64_t take_duration(const char **at)
{
        char *end;
        double number = strtod(*at, &end);

        if (end == *at || !isdigit((unsigned char)**at) || number > 100000)
                return 0;
        end += strspn(end, " ");
        for (size_t i = 0; i < COUNT_OF(units); i++) {
                size_t length = strlen(units[i].name);
                if (strncasecmp(end, units[i].name, length))
                        continue;
                if (end[length] == 's')
                        length++;
                if (isalpha((unsigned char)end[length]))
                        continue;
                *at = end + length;
                return (int64_t)(number * (double)units[i].ms);
        }
        return 0;
}

/* "3 days 2 hours", "34.07s". */
static int64_t duration(const char *at)
{
        int64_t sum = 0, one;

        while ((one = take_duration(&at)) > 0) {
                sum += one;
                at += strspn(at, " ,");
                if (!strncasecmp(at, "and ", 4))
                        at += 4;
        }
        return sum;
}

/* "4:47 PM", "3pm", as ms of a day. */
static bool read_clock(const char *at, int64_t *ms)
{
        char *end;
        long hour = strtol(at, &end, 10), minute = 0;

        if (end == at || end - at > 2)
                return false;
        if (*end == ':')
                minute = strtol(end + 1, &end, 10);
        end += strspn(end, " ");
        bool is_evening = !strncasecmp(end, "pm", 2);
        if ((!is_evening && strncasecmp(end, "am", 2)) || hour < 1 || hour > 12 || minute < 0 || minute > 59)
                return false;
        *ms = ((hour % 12 + (is_evening ? 12 : 0)) * 60 + minute) * 60 * SECOND_MS;
        return true;
}

/* The next time that the clock shows it. */
static int64_t time_of_day(const char *at, int64_t now)
{
        int64_t ms, at_ms;

        if (!read_clock(at, &ms))
                return 0;
        at_ms = now - now % DAY_MS + ms;
        return at_ms > now ? at_ms : at_ms + DAY_MS;
}

static int month_of(const char *at)
{
        static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

        for (int i = 0; i < 12; i++)
                if (!strncasecmp(at, names + 3 * i, 3))
                        return i;
        return -1;
}

/* Moves behind letters, a full stop or a comma, and spaces. */
static const char *behind_word(const char *at)
{
        while (isalpha((unsigned char)*at))
                at++;
        return at + strspn(at, " .,");
}

/* "Dec 1st, 2026 12:08 AM", "December 1 at 5pm": how a time of another day is told; without a year it is the next such
 * day. */
static int64_t date(const char *at, int64_t now)
{
        time_t seconds = (time_t)(now / SECOND_MS);
        struct tm parts = {0}, today;
        char *end;
        int64_t ms;

        gmtime_r(&seconds, &today);
        parts.tm_mon = month_of(at);
        at = behind_word(at);
        parts.tm_mday = (int)strtol(at, &end, 10);
        if (parts.tm_mon < 0 || end == at || end - at > 2 || parts.tm_mday < 1 || parts.tm_mday > 31)
                return 0;
        at = behind_word(end);
        long year = strtol(at, &end, 10);
        bool has_year = end - at == 4 && year >= 2000;
        at = behind_word(has_year ? end : at);
        if (isalpha((unsigned char)*at))
                at = behind_word(at);
        parts.tm_year = has_year ? (int)year - 1900 : today.tm_year;
        if (!read_clock(at, &ms))
                return 0;
        int64_t found = (int64_t)timegm(&parts) * SECOND_MS + ms;
        if (!has_year && found <= now) {
                parts.tm_year++;
                found = (int64_t)timegm(&parts) * SECOND_MS + ms;
        }
        return found;
}

/* "...reached|1700000000" */
static int64_t epoch(const char *message)
{
        const char *bar = strrchr(message, '|');
        long long seconds = bar ? strtoll(bar + 1, NULL, 10) : 0;

        return seconds > 1000000000LL && seconds < 100000000000LL ? seconds * SECOND_MS : 0;
}

int64_t stream_error_resets_at(const char *message, int64_t now)
{
        static const char *const before_duration[] = {"again in ", "retry in ", "resets in ", "retry after "};
        static const char *const before_time[] = {"again at ", "resets at ", "resets "};
        int64_t found = epoch(message);

        for (size_t i = 0; !found && i < COUNT_OF(before_duration); i++) {
                const char *at = strcasestr(message, before_duration[i]);
                int64_t wait = at ? duration(at + strlen(before_duration[i])) : 0;
                found = wait ? now + wait : 0;
        }
        for (size_t i = 0; !found && i < COUNT_OF(before_time); i++) {
                const char *at = strcasestr(message, before_time[i]);
                if (!at)
                        continue;
                at += strlen(before_time[i]);
                found = isalpha((unsigned char)*at) ? date(at, now) : time_of_day(at, now);
        }
        return found;
}

bool stream_error_is_limit_notice(const char *reply)
{
        static const char *const beginnings[] = {"Claude AI usage limit reached", "You've hit your ",
                                                 "You\xe2\x80\x99ve hit your "};

        if (strlen(reply) > NOTICE_MAXIMUM || !strstr(reply, "limit"))
                return false;
        for (size_t i = 0; i < COUNT_OF(beginnings); i++)
                if (!strncmp(reply, beginnings[i], strlen(beginnings[i])))
                        return true;
        return false;
}
