/* A tool of the MCP door: what a client is told about it, and what runs when it is called.
 *
 * Each file in mcp/tools/ ends in one constant `struct tool`; mcp/tools.c lists them. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include "mcp/envelope.h"
#include "server/base/bound.h"
#include "server/base/field.h"
#include "server/services/services.h"

/* The struct that a tool's input table fills is at most this large. */
#define TOOL_INPUT_SIZE 256

enum tool_mode {
        /* Runs on the HTTP thread with its reader. The answer, refusals included, is checked again just before it is
         * sent, and errors are told by fixed sentences only. */
        TOOL_READS,
        /* Runs as a piece of work on the store's writer thread; answered when that is durable. */
        TOOL_WRITES,
        /* Runs on the worker pool, with a reader of that thread. */
        TOOL_BLOCKS,
};

/* What clients may assume of a call (MCP, tool annotations). Nothing that a tool does now is for a client to ask about
 * again: destructiveHint is false of them all. */
struct tool_hints {
        bool reads_only, is_idempotent, is_open_world;
};

/* Whom a tool is for: people with whatever credential, and tasks with their own token. */
enum tool_audience { TOOL_FOR_ALL, TOOL_FOR_PEOPLE, TOOL_FOR_TASKS };

struct tool {
        const char *name, *title, *description;
        const struct field_table *input, *output;
        struct tool_hints hints;
        const char *toolset; /* of server/services/toolset.c */
        uint64_t needs;      /* PERMISSION_BIT()s: listed for who has one of them anywhere; 0: for everybody */
        enum tool_audience audience;
        enum tool_mode mode;
        bool is_slow;          /* of a tool that reads: on the worker pool all the same */
        bool reports_progress; /* its services call call_report: an event stream for who gave a progress token */
        /* `input` is the struct that the input table filled. The result is an object that the caller owns. */
        bool (*run)(struct call *call, const void *input, json_t **result, struct error *error);
        /* For a tool that writes and whose input may need slow work first (files written, folders read); NULL when none
         * does. `is_prepared_first` decides, `prepare` runs on the worker pool with a reader, `release` afterwards
         * whatever came of the call: `is_kept` says that the piece of work took over what was prepared. */
        bool (*is_prepared_first)(const void *input);
        bool (*prepare)(struct call *call, void *input, struct error *error);
        void (*release)(const struct services *services, void *input, bool is_kept);
        struct bound_rules bounds;
        bool takes_files; /* a request that calls it may be as large as ATTACHMENT_BODY_MEGABYTES says */

        /* Instead of `run`, for what says itself what the protocol's result is: the result's members, all of them. It
         * gets the whole request. ERROR_INVALID_INPUT is answered as a protocol error. */
        bool (*run_whole)(struct call *call, const struct message *message, json_t **result, struct error *error);
        bool is_method;                /* a method of the protocol of its own: every error is a protocol error */
        const struct cache_hint *hint; /* of a method */
        const char *capability;        /* that a client has to declare (2026-07-28); NULL: none */
};

/* All tools of the product, in the order in which they are listed. */
extern const struct tool *const mcp_tools[];
extern const size_t mcp_tool_count;

/* The same and, in a build for the conformance suite, its fixtures (mcp/more.h). */
size_t tool_count(void);
const struct tool *tool_at(size_t index);
/* NULL when there is no such tool. */
const struct tool *tool_find(const char *name);

#endif
