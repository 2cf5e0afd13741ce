#include "server/services/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>

#define BUCKET_COUNT 12

enum kind { COUNTER, HISTOGRAM_SHORT, HISTOGRAM_LONG };

static const struct {
        enum kind kind;
        const char *name, *sentence;
} rows[] = {
#define METRIC(constant, kind, name, sentence) {kind, name, sentence},
#include "server/services/metric.def"
#undef METRIC
};

/* Upper bounds of the buckets in milliseconds. */
static const int64_t bounds[][BUCKET_COUNT] = {
        [HISTOGRAM_SHORT] = {10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000},
        [HISTOGRAM_LONG] = {1000, 5000, 15000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000, 7200000,
                            14400000},
};

/* A counter uses only `total`. The last bucket holds what exceeds every bound. */
static struct {
        atomic_uint_fast64_t total;
        atomic_uint_fast64_t buckets[BUCKET_COUNT + 1];
} values[METRIC_COUNT];

void metrics_count(enum metric metric, uint64_t number)
{
        atomic_fetch_add_explicit(&values[metric].total, number, memory_order_relaxed);
}

void metrics_observe(enum metric metric, int64_t ms)
{
        const int64_t *bound = bounds[rows[metric].kind];
        size_t bucket = 0;

        ms = ms < 0 ? 0 : ms;
        while (bucket < BUCKET_COUNT && ms > bound[bucket])
                bucket++;
        atomic_fetch_add_explicit(&values[metric].buckets[bucket], 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&values[metric].total, (uint64_t)ms, memory_order_relaxed);
}

static void print_histogram(struct text *out, enum metric metric)
{
        const int64_t *bound = bounds[rows[metric].kind];
        const char *name = rows[metric].name;
        uint64_t total = atomic_load(&values[metric].total), count = 0;

        for (size_t i = 0; i < BUCKET_COUNT; i++) {
                count += atomic_load(&values[metric].buckets[i]);
                text_printf(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, (double)bound[i] / 1000, count);
        }
        count += atomic_load(&values[metric].buckets[BUCKET_COUNT]);
        text_printf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, count);
        text_printf(out, "%s_sum %" PRIu64 ".%03d\n", name, total / 1000, (int)(total % 1000));
        text_printf(out, "%s_count %" PRIu64 "\n", name, count);
}

void metrics_print_head(struct text *out, const char *name, const char *type, const char *sentence)
{
        text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, sentence, name, type);
}

void metrics_print_counted(struct text *out)
{
        for (size_t i = 0; i < METRIC_COUNT; i++) {
                bool is_counter = rows[i].kind == COUNTER;
                metrics_print_head(out, rows[i].name, is_counter ? "counter" : "histogram", rows[i].sentence);
                if (is_counter)
                        text_printf(out, "%s %" PRIu64 "\n", rows[i].name, (uint64_t)atomic_load(&values[i].total));
                else
                        print_histogram(out, (enum metric)i);
        }
}
