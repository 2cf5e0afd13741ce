/* Turns, their prompts' parts, replies and usage in the store. */
#ifndef STORE_TURN_H
#define STORE_TURN_H

#include "server/store/store.h"

/* Owns its strings. Times are ms since the epoch, 0 for none. */
struct store_turn {
        int64_t rid, task;
        char *task_id;
        int64_t ordinal;
        bool has_conversation_index; /* false on a discarded branch */
        int64_t conversation_index;
        char *kind, *origin, *state;
        int64_t sender;
        char *sender_id, *sender_name;
        char *agent, *shown, *given; /* given: NULL when it is the same as shown */
        int64_t submitted_at, started_at, ended_at;
        char *stop_kind, *stop_user;
        char *end_type;
        bool has_exit_code;
        int64_t exit_code, signal;
        char *failure_stage, *failure_category, *failure_message;
        char *stream_format; /* how its output is to be read, NULL before it was started */
        char *session;       /* the agent's own id of the conversation */
        char *agent_errors;  /* a JSON array, opaque here */
        int64_t limit_resets_at;
};
void store_turn_clear(struct store_turn *turn);
#define auto_store_turn CLEANUP(store_turn_clear) struct store_turn

struct store_turns {
        struct store_turn *items;
        size_t count;
};
void store_turns_clear(struct store_turns *turns);
#define auto_store_turns CLEANUP(store_turns_clear) struct store_turns

/* Borrowed strings. */
struct store_turn_new {
        int64_t task, sender;
        const char *kind, *origin, *state, *agent, *shown, *given;
        int64_t submitted_at;
};

/* How a turn ended. Borrowed strings; failure_stage is NULL when it did not fail. */
struct store_turn_end {
        int64_t ended_at;
        const char *type;
        const int64_t *exit_code;
        int64_t signal;
        const char *failure_stage, *failure_category, *failure_message;
        const char *session, *agent_errors;
        int64_t limit_resets_at;
        bool is_untold; /* its prompt has reached no agent: it has not started */
};

/* A reply: owns its body, which is the end of the whole reply of `characters` characters. */
struct store_reply {
        char *body;
        int64_t characters;
        int64_t replied_at;
        int64_t ordinal;
        bool has_conversation_index;
        int64_t conversation_index;
};
void store_reply_clear(struct store_reply *reply);
#define auto_store_reply CLEANUP(store_reply_clear) struct store_reply

struct store_usage {
        int64_t at;
        const char *task_id;
        int64_t turn_ordinal;
        const char *environment_id, *user_id, *agent, *model;
        int64_t duration_ms, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros;
};

/* Adds a turn with the next ordinal and conversation index of its task. */
MUST_CHECK bool store_turn_add(struct store_db *db, const struct store_turn_new *turn, int64_t *rid, int64_t *ordinal,
                               struct error *error);
/* The ordinal and the conversation index that the task's next turn gets. */
MUST_CHECK bool store_turn_next(struct store_db *db, int64_t task, int64_t *ordinal, int64_t *conversation_index,
                                struct error *error);
MUST_CHECK bool store_turn_find(struct store_db *db, int64_t rid, struct store_turn *turn, bool *is_found,
                                struct error *error);
/* The newest `limit` turns of a task, newest first, without their texts: `shown` is empty and `given` NULL. */
MUST_CHECK bool store_turn_list(struct store_db *db, int64_t task, int64_t limit, struct store_turns *turns,
                                struct error *error);
/* The rids of all turns that are launching or running; the caller frees *rids. */
MUST_CHECK bool store_turn_list_unfinished(struct store_db *db, int64_t **rids, size_t *count, struct error *error);
/* The same of all that wait for a slot, these first, or are launching or running. */
MUST_CHECK bool store_turn_list_open(struct store_db *db, int64_t **rids, size_t *count, struct error *error);
/* Compare-and-set of the state; started_at is written once and may be 0. */
MUST_CHECK bool store_turn_set_state(struct store_db *db, int64_t rid, const char *from, const char *to,
                                     int64_t started_at, bool *is_done, struct error *error);
/* Puts more text behind what a staged turn shows, an empty line between; `given` is what the agent gets instead, NULL
 * for the same. */
MUST_CHECK bool store_turn_append(struct store_db *db, int64_t rid, const char *shown, const char *given,
                                  struct error *error);
/* Records who asked for the end of an unfinished turn; a stop replaces an interrupt, nothing else is replaced. */
MUST_CHECK bool store_turn_stop(struct store_db *db, int64_t rid, const char *kind, const char *user, int64_t now,
                                struct error *error);
/* Ends an unfinished turn; *is_done is false when it had ended. */
MUST_CHECK bool store_turn_end(struct store_db *db, int64_t rid, const struct store_turn_end *end, bool *is_done,
                               struct error *error);
/* Puts a part behind those the turn has. */
MUST_CHECK bool store_prompt_part_add(struct store_db *db, int64_t turn, const char *kind, const char *body,
                                      struct error *error);
/* Calls `each` for the parts of a task's first turn, in their order. */
MUST_CHECK bool store_prompt_parts(struct store_db *db, int64_t task,
                                   void (*each)(const char *kind, const char *body, void *context), void *context,
                                   struct error *error);
/* What the first turn of a task showed; NULL when there is none. The caller frees it. */
MUST_CHECK bool store_task_first_text(struct store_db *db, int64_t task, char **text, struct error *error);
MUST_CHECK bool store_reply_put(struct store_db *db, int64_t turn, const char *body, int64_t characters,
                                int64_t replied_at, struct error *error);
MUST_CHECK bool store_reply_find(struct store_db *db, int64_t turn, struct store_reply *reply, bool *is_found,
                                 struct error *error);
/* Whether the turn has a reply, without reading it. */
MUST_CHECK bool store_reply_exists(struct store_db *db, int64_t turn, bool *exists, struct error *error);
MUST_CHECK bool store_turn_set_format(struct store_db *db, int64_t rid, const char *format, struct error *error);
/* The conversation that a turn of the agent goes on with: that of the newest turn before it. NULL in *session when
 * there is none; the caller frees it. */
MUST_CHECK bool store_turn_session(struct store_db *db, int64_t task, int64_t ordinal, const char *agent,
                                   char **session, struct error *error);
/* What the turns before this one have used in the conversation; numbers only. Its tokens are counted on where it was
 * rewound to, money also over what was rewound away. */
MUST_CHECK bool store_usage_of_session(struct store_db *db, int64_t task, int64_t ordinal, const char *session,
                                       struct store_usage *sum, struct error *error);
MUST_CHECK bool store_usage_add(struct store_db *db, const struct store_usage *usage, struct error *error);

#endif
