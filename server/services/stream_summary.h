/* What the events of a turn come to: the visible reply, what was used, the conversation's id, and what went wrong. */
#ifndef SERVICES_STREAM_SUMMARY_H
#define SERVICES_STREAM_SUMMARY_H

#include "server/services/stream.h"

#define STREAM_FAILURES_MAXIMUM 20

struct stream_failure {
        char *message, *type; /* type: the provider's word, or NULL */
        const char *category;
};

/* Owns what it holds; stream_summary_init before, stream_summary_clear after. */
struct stream_summary {
        struct text reply; /* its end */
        int64_t reply_characters;
        size_t reply_keep; /* bytes of the end that are certainly kept */
        bool is_run;       /* the reply goes on with the next text */
        char *session;
        bool has_usage;
        struct stream_usage usage;
        struct stream_failure failures[STREAM_FAILURES_MAXIMUM]; /* the newest */
        size_t failure_count;
        bool is_failed; /* the last failure ended the turn, whatever the exit code says */
        bool is_over;   /* the program said that the turn is over, or may have */
        int64_t resets_at;
};

/* The last `reply_characters` of the reply are kept at least. */
void stream_summary_init(struct stream_summary *summary, int64_t reply_characters);
void stream_summary_clear(struct stream_summary *summary);
#define auto_stream_summary CLEANUP(stream_summary_clear) struct stream_summary
/* Takes up the next event. A stream_sink whose context is the summary. */
void stream_summary_take(const struct stream_event *event, void *summary);
/* The failure that explains a failed turn: the last one whose category is known, else the last; NULL when none was
 * told. */
const struct stream_failure *stream_summary_cause(const struct stream_summary *summary);

#endif
