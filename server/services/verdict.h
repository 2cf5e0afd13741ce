/* Verdicts: what a judge has written to recommendation.json, read by a closed schema. It is read from the judge's own
 * output folder and from nowhere else: what the judged work says is never a verdict. */
#ifndef SERVICES_VERDICT_H
#define SERVICES_VERDICT_H

#include "server/store/task.h"

struct services;

#define VERDICT_FILE "recommendation.json"
#define VERDICT_TEXT_FILE "recommendation.md"
#define VERDICT_BYTES_MAXIMUM (4 * 1024 * 1024)

/* How much of the file could be used. */
enum verdict_parse {
        VERDICT_MISSING,   /* there is no file */
        VERDICT_INVALID,   /* nothing */
        VERDICT_PARTIAL,   /* some members are missing or make no sense */
        VERDICT_SANITIZED, /* all, once what was around it or in another form was put right */
        VERDICT_STRICT,    /* all, as it stands */
};
/* As results have it; NULL for VERDICT_MISSING. */
const char *verdict_parse_name(enum verdict_parse parse);

#define VERDICT_PASS "pass"
#define VERDICT_NEEDS_IMPROVEMENT "needs-improvement"
#define VERDICT_FAIL "fail"

struct verdict_improvement {
        char *text;
        const char *priority; /* high, medium or low */
};
/* What is said of one variant. */
struct verdict_feedback {
        char label;
        const char *status; /* as a verdict; NULL */
        struct verdict_improvement *improvements;
        size_t count;
};
struct verdict_rank {
        char label;
        int64_t rank;
};

/* Owns what it points to; words are constants. NULL, 0 and -1 are what the file does not tell. */
struct verdict {
        enum verdict_parse parse;
        const char *mode;       /* review or comparison: the judge's own, whatever the file says */
        const char *verdict;    /* VERDICT_PASS ... */
        const char *confidence; /* high, medium or low */
        char winner;            /* a label */
        const char *winner_confidence;
        int all_correct; /* -1: not told */
        char *notes;
        struct verdict_rank *rankings;
        size_t ranking_count;
        struct verdict_feedback *feedback; /* by label */
        size_t feedback_count;
};
void verdict_clear(struct verdict *verdict);
#define auto_verdict CLEANUP(verdict_clear) struct verdict

/* Reads the bytes of a file for a judge of so many variants, which are labelled from A on. Never fails: what cannot be
 * used is VERDICT_INVALID. */
void verdict_of_bytes(const char *bytes, size_t length, bool is_comparison, size_t variants, struct verdict *verdict);
/* The verdict that the judge has written so far. A file that is absent, or no regular file, is VERDICT_MISSING. */
MUST_CHECK bool verdict_read(const struct services *services, struct store_db *db, const struct store_task *judge,
                             struct verdict *verdict, struct error *error);
/* Whether it decides something: a review whether the work passes, a comparison which variant is the best. */
bool verdict_is_usable(const struct verdict *verdict);
/* What is said of the variant, NULL for nothing. */
const struct verdict_feedback *verdict_feedback_of(const struct verdict *verdict, char label);
/* How much a priority counts: low 0, medium 1, high 2. */
int verdict_priority(const char *priority);

#endif
