#include "server/services/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "server/services/engine.h"
#include "server/services/task.h"

#define STATUS_MAXIMUM 16

/* Counts in the order of task_statuses. */
struct counts {
        int64_t of[STATUS_MAXIMUM];
};

static void note_count(const char *status, int64_t count, void *context)
{
        struct counts *counts = context;

        for (size_t i = 0; task_statuses[i] && i < STATUS_MAXIMUM; i++)
                if (!strcmp(task_statuses[i], status))
                        counts->of[i] = count;
}

/* Every status has a sample, also without a task: a series that comes and goes is hard to watch. */
static void print_tasks(struct text *out, const struct counts *counts)
{
        int64_t queued = 0;

        metrics_print_head(out, "longshore_tasks", "gauge", "Tasks by status.");
        for (size_t i = 0; task_statuses[i] && i < STATUS_MAXIMUM; i++) {
                text_printf(out, "longshore_tasks{status=\"%s\"} %" PRId64 "\n", task_statuses[i], counts->of[i]);
                if (!strcmp(task_statuses[i], "queued"))
                        queued = counts->of[i];
        }
        metrics_print_head(out, "longshore_queue_length", "gauge", "Tasks that wait for a slot.");
        text_printf(out, "longshore_queue_length %" PRId64 "\n", queued);
}

static void print_store(struct text *out, struct store *store)
{
        struct store_counters counters = store_counters(store);

        metrics_print_head(out, "longshore_commits_total", "counter", "Transactions committed by the store.");
        text_printf(out, "longshore_commits_total %" PRIu64 "\n", counters.commits);
        metrics_print_head(out, "longshore_commit_works_total", "counter",
                           "Pieces of work in these transactions; their ratio is the size of a group commit.");
        text_printf(out, "longshore_commit_works_total %" PRIu64 "\n", counters.works);
        metrics_print_head(out, "longshore_commit_failures_total", "counter",
                           "Transactions that could not be committed.");
        text_printf(out, "longshore_commit_failures_total %" PRIu64 "\n", counters.failures);
        metrics_print_head(out, "longshore_store_bytes", "gauge", "Size of the store's files.");
        text_printf(out, "longshore_store_bytes{file=\"database\"} %" PRId64 "\n", counters.database_bytes);
        text_printf(out, "longshore_store_bytes{file=\"log\"} %" PRId64 "\n", counters.log_bytes);
        metrics_print_head(out, "longshore_disk_low", "gauge", "1 while the disk is so full that nothing new begins.");
        text_printf(out, "longshore_disk_low %d\n", store_is_low(store));
}

static void print_engine(struct text *out)
{
        struct engine_state state;

        engine_state_get(&state);
        metrics_print_head(out, "longshore_engine_reachable", "gauge", "1 while the Docker engine answers.");
        text_printf(out, "longshore_engine_reachable %d\n", state.is_reachable);
}

bool metrics_print(const struct services *services, struct store_db *db, struct text *out, struct error *error)
{
        struct counts counts = {0};

        if (!store_task_counts(db, note_count, &counts, error))
                return false;
        metrics_print_head(out, "longshore_build_info", "gauge", "Always 1; the label is the version.");
        text_printf(out, "longshore_build_info{version=\"%s\"} 1\n", LONGSHORE_VERSION);
        print_tasks(out, &counts);
        print_engine(out);
        print_store(out, services->store);
        metrics_print_counted(out);
        metrics_print_http(out);
        metrics_print_process(out);
        return true;
}
