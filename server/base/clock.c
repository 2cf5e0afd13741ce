#include "server/base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t which)
{
        struct timespec now;

        clock_gettime(which, &now);
        return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static _Atomic int64_t lead;

int64_t clock_now(void)
{
        return read_clock(CLOCK_REALTIME) + lead;
}

void clock_set_lead(int64_t ms)
{
        lead = ms;
}

int64_t clock_monotonic(void)
{
        return read_clock(CLOCK_MONOTONIC);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t steady_base;

static void find_base(void)
{
        steady_base = clock_now() - clock_monotonic();
}

int64_t clock_steady(void)
{
        pthread_once(&once, find_base);
        return steady_base + clock_monotonic();
}

/* Decimal digits with leading zeros, and what follows them. */
static char *write_number(char *at, int value, int digits, char end)
{
        for (int i = digits - 1; i >= 0; i--, value /= 10)
                at[i] = (char)('0' + value % 10);
        at[digits] = end;
        return at + digits + 1;
}

/* By hand: every task that is shown carries several times, and formatting them was a tenth of the work. */
void clock_format(int64_t ms, char iso[CLOCK_ISO_SIZE])
{
        int64_t rest = ((ms % 1000) + 1000) % 1000;
        time_t seconds = (time_t)((ms - rest) / 1000);
        struct tm parts;

        gmtime_r(&seconds, &parts);
        char *at = write_number(iso, parts.tm_year + 1900, 4, '-');
        at = write_number(at, parts.tm_mon + 1, 2, '-');
        at = write_number(at, parts.tm_mday, 2, 'T');
        at = write_number(at, parts.tm_hour, 2, ':');
        at = write_number(at, parts.tm_min, 2, ':');
        at = write_number(at, parts.tm_sec, 2, '.');
        at = write_number(at, (int)rest, 3, 'Z');
        *at = '\0';
}

/* Reads exactly `digits` decimal digits; -1 when there are others. */
static int number(const char **at, int digits)
{
        int value = 0;

        for (int i = 0; i < digits; i++, (*at)++) {
                if (**at < '0' || **at > '9')
                        return -1;
                value = value * 10 + (**at - '0');
        }
        return value;
}

static bool literal(const char **at, const char *accepted)
{
        if (!**at || !strchr(accepted, **at))
                return false;
        (*at)++;
        return true;
}

bool clock_parse(const char *iso, int64_t *ms)
{
        const char *at = iso;
        struct tm parts = {0}, check;
        int fraction = 0, offset = 0;

        if ((parts.tm_year = number(&at, 4) - 1900) < 0 || !literal(&at, "-") ||
            (parts.tm_mon = number(&at, 2) - 1) < 0 || !literal(&at, "-") || (parts.tm_mday = number(&at, 2)) < 1 ||
            !literal(&at, "Tt") || (parts.tm_hour = number(&at, 2)) < 0 || !literal(&at, ":") ||
            (parts.tm_min = number(&at, 2)) < 0)
                return false;
        if (literal(&at, ":") && (parts.tm_sec = number(&at, 2)) < 0)
                return false;
        if (literal(&at, ".")) {
                int digits = 0;
                for (; *at >= '0' && *at <= '9'; at++, digits++)
                        if (digits < 3)
                                fraction = fraction * 10 + (*at - '0');
                if (digits == 0)
                        return false;
                for (; digits < 3; digits++)
                        fraction *= 10;
        }
        if (literal(&at, "+-")) {
                int sign = at[-1] == '-' ? -1 : 1, hours = number(&at, 2);
                bool has_colon = literal(&at, ":");
                int minutes = number(&at, 2);
                (void)has_colon;
                if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
                        return false;
                offset = sign * (hours * 60 + minutes);
        } else if (!literal(&at, "Zz")) {
                return false;
        }
        check = parts;
        time_t seconds = timegm(&check);
        if (*at || check.tm_mon != parts.tm_mon || check.tm_mday != parts.tm_mday || check.tm_hour != parts.tm_hour ||
            check.tm_min != parts.tm_min || parts.tm_sec > 60)
                return false;
        *ms = ((int64_t)seconds - offset * 60) * 1000 + fraction;
        return true;
}
