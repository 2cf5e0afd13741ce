#include "server/services/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/path.h"

/* Bytes of memory that are in RAM (proc(5), /proc/pid/statm). */
static int64_t resident_bytes(void)
{
        auto_text statm = TEXT_WITH_MAXIMUM(256);
        auto_error ignored = {0};
        long total, resident;

        if (!path_read("/proc/self/statm", 256, &statm, NULL, &ignored) ||
            sscanf(text_string(&statm), "%ld %ld", &total, &resident) != 2)
                return 0;
        return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

/* When the process began, in milliseconds since the epoch: field 22 of /proc/pid/stat (proc(5)), which counts clock
 * ticks from boot; the command's name before it may hold blanks and parentheses. */
static int64_t read_start(void)
{
        auto_text stat = TEXT_WITH_MAXIMUM(4096);
        auto_error ignored = {0};
        struct timespec boot;

        if (!path_read("/proc/self/stat", 4096, &stat, NULL, &ignored) || clock_gettime(CLOCK_BOOTTIME, &boot))
                return 0;
        const char *at = strrchr(text_string(&stat), ')');
        for (int field = 2; at && field < 22; field++)
                at = strchr(at + 1, ' ');
        if (!at)
                return 0;
        double ticks = strtod(at + 1, NULL) / (double)sysconf(_SC_CLK_TCK);
        return clock_now() - (int64_t)(1000 * ((double)boot.tv_sec + (double)boot.tv_nsec / 1e9 - ticks));
}

/* Read once: two readings differ by a tick, and a time that moves looks like a restart. */
static int64_t started_at(void)
{
        static atomic_int_fast64_t start;

        if (!atomic_load(&start))
                atomic_store(&start, read_start());
        return atomic_load(&start);
}

static double seconds(struct timeval time)
{
        return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void metrics_print_process(struct text *out)
{
        struct rusage usage;

        getrusage(RUSAGE_SELF, &usage);
        metrics_print_head(out, "process_resident_memory_bytes", "gauge", "Memory of the process that is in RAM.");
        text_printf(out, "process_resident_memory_bytes %" PRId64 "\n", resident_bytes());
        metrics_print_head(out, "process_cpu_seconds_total", "counter", "Processor time of the process.");
        text_printf(out, "process_cpu_seconds_total %.3f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime));
        metrics_print_head(out, "process_start_time_seconds", "gauge",
                           "When the process began, in seconds since the epoch.");
        text_printf(out, "process_start_time_seconds %.3f\n", (double)started_at() / 1000);
}
