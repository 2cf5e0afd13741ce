#include "server/services/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* Every pattern of the table of routes has a row of its own; more than this would share the last one. */
#define ROUTE_COUNT 256
#define STATUS_COUNT 600

/* Rows are taken in order and never given back, so that a reader may stop at the first free one. */
static struct {
        _Atomic(const char *) route;
        atomic_uint_fast64_t answered[STATUS_COUNT];
} rows[ROUTE_COUNT];

static size_t row_of(const char *route)
{
        for (size_t i = 0; i < ROUTE_COUNT - 1; i++) {
                const char *taken = atomic_load_explicit(&rows[i].route, memory_order_acquire);
                if (!taken && atomic_compare_exchange_strong(&rows[i].route, &taken, route))
                        return i;
                if (taken == route || !strcmp(taken, route))
                        return i;
        }
        atomic_store(&rows[ROUTE_COUNT - 1].route, "other");
        return ROUTE_COUNT - 1;
}

void metrics_http(const char *route, unsigned status)
{
        size_t row = row_of(route ? route : "none");

        atomic_fetch_add_explicit(&rows[row].answered[status < STATUS_COUNT ? status : STATUS_COUNT - 1], 1,
                                  memory_order_relaxed);
}

static void print_row(struct text *out, const char *route, const atomic_uint_fast64_t *answered)
{
        for (unsigned status = 0; status < STATUS_COUNT; status++) {
                uint64_t count = atomic_load_explicit(&answered[status], memory_order_relaxed);
                char code[16] = "aborted";
                if (!count)
                        continue;
                if (status)
                        snprintf(code, sizeof code, "%u", status);
                text_printf(out, "longshore_http_requests_total{route=\"%s\",status=\"%s\"} %" PRIu64 "\n", route, code,
                            count);
        }
}

void metrics_print_http(struct text *out)
{
        metrics_print_head(out, "longshore_http_requests_total", "counter",
                           "Answered HTTP requests by route and status; route none is a path without a route, status "
                           "aborted a client that left first.");
        for (size_t i = 0; i < ROUTE_COUNT; i++) {
                const char *route = atomic_load_explicit(&rows[i].route, memory_order_acquire);
                if (route)
                        print_row(out, route, rows[i].answered);
        }
}
