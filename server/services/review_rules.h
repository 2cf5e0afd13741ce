/* The rules of reviews that come over time, as functions of what is seen: nothing is read or written here. */
#ifndef SERVICES_REVIEW_RULES_H
#define SERVICES_REVIEW_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A task that a request waits for. */
struct review_source {
        bool is_gone;
        bool is_excluded; /* a loser, or what is not reviewed */
        const char *status;
        bool is_queue_active; /* follow-ups are queued and will be delivered */
};

enum request_step { REQUEST_WAIT, REQUEST_LAUNCH, REQUEST_CANCEL };
/* What becomes of a request now; *reason is why it is cancelled. */
enum request_step review_request_step(const struct review_source *sources, size_t count, const char **reason);

/* The phases of a loop, in the words of the store. A step from one to the next is one transaction. */
#define LOOP_LAUNCHING "launching" /* the ids of the round's reviews are reserved; they are being made */
#define LOOP_REVIEWING "reviewing" /* they work */
#define LOOP_FEEDBACK "feedback"   /* what they say is to be sent */
#define LOOP_IMPROVING "improving" /* the variant works on it */
#define LOOP_POLISH "polish"       /* all pass; the rest of what they say is to be sent */
#define LOOP_POLISHING "polishing" /* the variant works on that */
#define LOOP_STOPPED "stopped"

/* Why a loop has stopped. */
#define STOP_PASSED "passed"
#define STOP_PASSED_AFTER_POLISH "passed_after_polish"
#define STOP_POLISH_FAILED "polish_failed"
#define STOP_POLISH_INTERRUPTED "polish_interrupted"
#define STOP_MAX_ROUNDS "max_rounds"
#define STOP_NO_CHANGES "no_changes"
#define STOP_NO_FEEDBACK "no_feedback" /* not all pass, and nothing that they say has the priority to be sent */
#define STOP_JUDGES_FAILED "judges_failed"
#define STOP_JUDGE_CANCELLED "judge_cancelled"
#define STOP_FOLLOW_UP_FAILED "follow_up_failed"
#define STOP_PULL_CONFLICT "pull_conflict"
#define STOP_BY_PERSON "stopped"
#define SOURCE_FAILED "source_failed"
#define SOURCE_INTERRUPTED "source_interrupted"
#define SOURCE_DELETED "source_deleted"
#define SOURCE_INELIGIBLE "source_ineligible"
/* All of a loop's, NULL-ended. */
extern const char *const loop_stop_reasons[];
extern const char *const loop_phases[];

/* The latest review of one reviewer in the round. */
struct loop_review {
        bool is_open;      /* it is not over */
        bool is_cancelled; /* a person ended or deleted it */
        bool is_usable;    /* it gave a verdict */
        bool is_pass;
        int64_t qualifying; /* improvements that have the priority to be sent */
};

enum loop_turn { TURN_OPEN, TURN_GOOD, TURN_FAILED, TURN_INTERRUPTED };

struct loop_sight {
        const char *phase;
        int64_t round, max_rounds;
        int64_t attempt; /* 2: a reviewer without a verdict has been tried again in this round */
        const struct loop_review *reviews;
        size_t review_count;
        bool is_source_gone;
        const char *source_status;
        enum loop_turn turn; /* of the feedback, while improving or polishing */
        bool is_unchanged;   /* the turn is known to have changed nothing */
};

enum loop_action {
        LOOP_WAIT,
        LOOP_LAUNCH, /* make the reviews of the round */
        LOOP_AGAIN,  /* reserve new reviews for those without a verdict */
        LOOP_GO_ON,  /* to the phase `next`, with the feedback of the round */
        LOOP_SEND,   /* send the feedback, then to `next` */
        LOOP_ROUND,  /* reserve the reviews of the next round */
        LOOP_STOP,   /* for `reason` */
};
struct loop_step {
        enum loop_action action;
        const char *next, *reason;
};
struct loop_step review_loop_step(const struct loop_sight *sight);

/* Whether a loop that stopped for the reason may be continued with more rounds. */
bool review_loop_may_continue(const char *phase, const char *reason);

#endif
