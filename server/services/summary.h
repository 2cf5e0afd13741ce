/* The summary of a task: what the agent wrote to summary.md, or the best that stands in for it, and how old it is. */
#ifndef SERVICES_SUMMARY_H
#define SERVICES_SUMMARY_H

#include "server/services/redact.h"
#include "server/store/turn.h"

#define SUMMARY_PATH "summary.md"
#define SUMMARY_MAXIMUM 24000

/* Owns its members. */
struct summary {
        char *content;      /* redacted and cut; NULL when there is nothing at all */
        const char *source; /* summary, recommendation, agent_response or placeholder */
        const char *path;   /* where the whole text is, NULL for a placeholder */
        bool is_cut;
        int64_t characters; /* of the whole; -1: it is too long to be counted */
        json_t *provenance; /* JSON null when there is no summary */
};
void summary_clear(struct summary *summary);
#define auto_summary CLEANUP(summary_clear) struct summary

/* `turns` are the task's turns, newest first. */
MUST_CHECK bool summary_read(const struct call *call, const struct store_task *task, const struct store_turns *turns,
                             const struct redactor *redactor, struct summary *summary, struct error *error);

#endif
