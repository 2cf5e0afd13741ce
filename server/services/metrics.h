/* Counters and histograms of the process, and their rendering for Prometheus.
 *
 * Counting takes an atomic addition or two and may happen on any thread. The numbers begin at zero with the process. */
#ifndef SERVICES_METRICS_H
#define SERVICES_METRICS_H

#include "server/services/services.h"

enum metric {
#define METRIC(constant, kind, name, sentence) METRIC_##constant,
#include "server/services/metric.def"
#undef METRIC
        METRIC_COUNT
};

/* Adds to a counter. */
void metrics_count(enum metric metric, uint64_t number);
/* Adds one observation, in milliseconds, to a histogram. */
void metrics_observe(enum metric metric, int64_t ms);
/* Counts an answered HTTP request: the row's pattern (which must live for ever), NULL when none matched; status 0 when
 * the client went away before there was an answer. */
void metrics_http(const char *route, unsigned status);

/* Appends everything in the Prometheus text format, version 0.0.4. Reads the index of tasks. */
MUST_CHECK bool metrics_print(const struct services *services, struct store_db *db, struct text *out,
                              struct error *error);

/* Internal to the metrics. */
void metrics_print_counted(struct text *out);
void metrics_print_http(struct text *out);
void metrics_print_process(struct text *out);
/* The two lines before a metric's samples. */
void metrics_print_head(struct text *out, const char *name, const char *type, const char *sentence);

#endif
