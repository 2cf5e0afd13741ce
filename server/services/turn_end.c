#include "server/services/runtime_parts.h"

#include <string.h>

#include "docker/runner/control.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/account_limit.h"
#include "server/services/agent_configuration.h"
#include "server/services/changes_save.h"
#include "server/services/conversation_files.h"
#include "server/services/event_log.h"
#include "server/services/feed.h"
#include "server/services/follow_up.h"
#include "server/services/metrics.h"
#include "server/services/reader.h"
#include "server/services/review_watch.h"
#include "server/services/slot.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"
#include "server/services/task_view.h"
#include "server/store/rewind.h"

struct ending {
        const struct services *services;
        const struct store_turn *turn;
        const struct turn_outcome *outcome;
        const struct stream_summary *summary;
        const char *reply, *agent_errors, *conversation_files;
        const struct changes_set *changes;
        int64_t replied_at;
};

/* What the turn itself has used: a count over the conversation less what earlier turns of it have. A conversation that
 * begins anew counts from nothing. */
static int64_t share(int64_t counted, int64_t earlier, bool is_conversation)
{
        return is_conversation && counted >= earlier ? counted - earlier : counted;
}

static bool fill_usage(struct store_db *db, const struct ending *ending, struct store_usage *usage, struct error *error)
{
        const struct stream_usage *counted = &ending->summary->usage;
        const char *session = ending->summary->session;
        struct store_usage earlier = {0};

        if (!ending->summary->has_usage)
                return true;
        if (session && !store_usage_of_session(db, ending->turn->task, ending->turn->ordinal, session, &earlier, error))
                return false;
        usage->input_tokens = share(counted->input, earlier.input_tokens, counted->is_conversation);
        usage->output_tokens = share(counted->output, earlier.output_tokens, counted->is_conversation);
        usage->cache_read_tokens = share(counted->cache_read, earlier.cache_read_tokens, counted->is_conversation);
        usage->cache_write_tokens = share(counted->cache_write, earlier.cache_write_tokens, counted->is_conversation);
        usage->cost_micros = share(counted->cost_micros, earlier.cost_micros, counted->is_cost_of_conversation);
        return true;
}

/* Not less than nothing, whatever was done to the clock. */
static int64_t duration_of(const struct store_turn *turn, const struct turn_outcome *outcome)
{
        return turn->started_at && outcome->ended_at > turn->started_at ? outcome->ended_at - turn->started_at : 0;
}

static bool add_usage(struct store_db *db, const struct ending *ending, const struct store_task *task,
                      struct error *error)
{
        const struct store_turn *turn = ending->turn;
        struct store_usage usage = {.at = ending->outcome->ended_at,
                                    .task_id = task->id,
                                    .turn_ordinal = turn->ordinal,
                                    .environment_id = task->environment_id,
                                    .user_id = turn->sender_id,
                                    .agent = turn->agent,
                                    .model = task->model,
                                    .duration_ms = duration_of(turn, ending->outcome)};

        return fill_usage(db, ending, &usage, error) && store_usage_add(db, &usage, error) &&
               store_task_add_usage(db, task->rid, usage.input_tokens, usage.output_tokens, usage.cache_read_tokens,
                                    usage.cache_write_tokens, usage.cost_micros, error);
}

static bool drop_jobs(struct store_db *db, const struct store_turn *turn, struct error *error)
{
        static const char *const kinds[] = {"launch", "check", "deadline"};

        for (size_t i = 0; i < COUNT_OF(kinds); i++)
                if (!store_job_delete_of_turn(db, kinds[i], turn->rid, error))
                        return false;
        return true;
}

/* Whoever stopped the task asked for the end of its container too; that must happen whether or not they wait for it. */
static bool add_stop(struct store_db *db, const struct store_turn *turn, struct error *error)
{
        auto_store_turn now = {0};
        bool is_found;

        if (!store_turn_find(db, turn->rid, &now, &is_found, error))
                return false;
        return !is_found || !now.stop_kind || strcmp(now.stop_kind, "stop") ||
               store_job_add(db, "stop", turn->task, turn->rid, 0, error);
}

/* An account at its provider's limit starts nothing until that is over; a turn that ended well shows that it is. */
static bool note_limit(struct store_db *db, const struct ending *ending, const struct store_task *task,
                       struct error *error)
{
        const struct turn_outcome *outcome = ending->outcome;
        bool is_limit = outcome->stage && !strcmp(outcome->stage, "agent") && !strcmp(outcome->category, "rate_limit");
        bool is_good = !strcmp(outcome->task_status, "completed"), exists = false;
        auto_environment *environment = environment_find_rid(ending->services->environments, task->environment);
        auto_free char *name = NULL;

        if (!account_limit_exists(db, &exists, error))
                return false;
        if (!is_limit && !(is_good && exists))
                return true;
        if (!account_limit_name(db, environment, task->creator, ending->turn->agent, &name, error))
                return false;
        if (!name)
                return true;
        return is_limit ? account_limit_reached(db, name, ending->summary->resets_at, outcome->ended_at, error)
                        : account_limit_over(db, name, error);
}

static bool end_work(struct store_db *db, void *context, struct error *error)
{
        const struct ending *ending = context;
        const struct turn_outcome *outcome = ending->outcome;
        const int64_t *exit_code = outcome->has_exit_code ? &outcome->exit_code : NULL;
        auto_store_task task = {0};
        struct store_turn_end end = {.ended_at = outcome->ended_at,
                                     .type = outcome->type,
                                     .exit_code = exit_code,
                                     .signal = outcome->signal,
                                     .failure_stage = outcome->stage,
                                     .failure_category = outcome->category,
                                     .failure_message = turn_outcome_message(outcome),
                                     .session = ending->summary->session,
                                     .agent_errors = ending->agent_errors,
                                     .limit_resets_at = ending->summary->resets_at,
                                     .is_untold = outcome->is_untold};
        bool is_done, is_found;

        if (!store_turn_end(db, ending->turn->rid, &end, &is_done, error))
                return false;
        if (!is_done)
                return true;
        if (!store_turn_set_conversation(db, ending->turn->rid, ending->conversation_files, error) ||
            !changes_record(db, ending->turn->rid, ending->changes, error) ||
            !store_task_find_rid(db, ending->turn->task, 0, &task, &is_found, error))
                return false;
        if (!is_found)
                return error_set(error, ERROR_TASK_NOT_FOUND, NULL);
        if (ending->reply && (!store_reply_put(db, ending->turn->rid, ending->reply, ending->summary->reply_characters,
                                               ending->replied_at, error) ||
                              !store_task_set_reply(db, task.rid, ending->turn->rid, error)))
                return false;
        /* An account that its provider refuses is not tried again until it is replaced. */
        bool is_refused = outcome->stage && !strcmp(outcome->stage, "agent") && !strcmp(outcome->category, "auth");
        if (is_refused &&
            !vault_account_refused(db, ending->turn, "The provider refused it.", outcome->ended_at, error))
                return false;
        return store_task_finish(db, task.rid, ending->turn->rid, outcome->task_status, outcome->ended_at, exit_code,
                                 &is_done, error) &&
               add_usage(db, ending, &task, error) && note_limit(db, ending, &task, error) &&
               drop_jobs(db, ending->turn, error) && add_stop(db, ending->turn, error) &&
               follow_up_after_turn(ending->services, db, task.rid, ending->turn->rid, outcome->task_status,
                                    clock_now(), error) &&
               review_after_turn(ending->services, db, &task, error) &&
               slot_fill(ending->services, db, clock_now(), error);
}

/* The output may grow long after the last words; words that it was not read for at once are as old as its end. */
static void set_replied_at(struct ending *ending, const struct event_log *log)
{
        int64_t said_at = event_log_said_at(log);

        if (said_at && said_at < ending->replied_at)
                ending->replied_at = said_at;
}

/* What the raw files still hold becomes events; a failure to write them loses nothing of the raw output. */
static void close_events(struct ending *ending, const char *records)
{
        const struct store_turn *turn = ending->turn;
        const struct turn_outcome *outcome = ending->outcome;
        auto_error error = {0};
        struct event_log *log = event_log_open(records, turn->ordinal, stream_format_find(turn->stream_format), &error);
        bool is_whole =
                log && event_log_user(log, turn->shown, turn->submitted_at, &error) && event_log_finish(log, &error) &&
                (!outcome->stage || event_log_failure(log, turn_outcome_message(outcome), outcome->category, &error));

        if (log)
                set_replied_at(ending, log);
        event_log_close(log);
        if (!is_whole)
                log_warning("the events of a turn are not whole; its raw output is", "task", turn->task_id, "reason",
                            error.message);
}

static bool is_ended(struct runtime *runtime, int64_t rid, bool *result, struct error *error)
{
        struct store_db *db = services_reader(runtime->services, error);
        auto_store_turn turn = {0};
        bool is_found = false;

        if (!db || !store_turn_find(db, rid, &turn, &is_found, error))
                return false;
        *result = !is_found || !strcmp(turn.state, "ended");
        return true;
}

static char *print_errors(const struct stream_summary *summary)
{
        auto_json *list = json_array();

        for (size_t i = 0; i < summary->failure_count; i++) {
                const struct stream_failure *failure = &summary->failures[i];
                json_array_append_new(list, json_pack("{s:s, s:s?, s:s}", "message", failure->message, "type",
                                                      failure->type, "category", failure->category));
        }
        return summary->failure_count ? document_print(list) : NULL;
}

static char *measure_conversation(const struct services *services, const struct store_turn *turn)
{
        const struct agent *agent = agent_find_known(turn->agent);

        return agent ? conversation_files_measure(services, turn->task_id, agent) : NULL;
}

/* Whether the turn's output is read as what its agent prints, and ends as that does. */
static bool tells_end(const struct store_turn *turn)
{
        const struct agent *agent = agent_find_known(turn->agent);

        return agent && agent->tells_end && stream_format_find(turn->stream_format) == agent->format;
}

/* The records' folder is made for a turn that never came to have one; where it cannot be, nothing is read from it. A
 * reply that cannot be read must not keep the turn from ending. */
static bool record(struct runtime *runtime, const struct store_turn *turn, struct turn_outcome *outcome,
                   const struct changes_set *changes, struct error *error)
{
        auto_free char *records = task_path_records(runtime->services->data_folder, turn->task_id);
        auto_stream_summary summary = {0};
        struct ending ending = {.services = runtime->services,
                                .turn = turn,
                                .outcome = outcome,
                                .summary = &summary,
                                .changes = changes};
        auto_error failure = {0};

        stream_summary_init(&summary, REPLY_KEPT_CHARACTERS);
        bool is_read = path_make_folder(records, 0700, &failure) &&
                       event_log_summary(records, turn->ordinal, stream_format_find(turn->stream_format), &summary,
                                         &ending.replied_at, &failure);
        turn_outcome_of_stream(outcome, &summary, tells_end(turn));
        if (is_read) {
                close_events(&ending, records);
                feed_events_grown(runtime->services->feed, turn->task_id);
        }
        if (failure.code)
                log_error("the output of a turn could not be read", "task", turn->task_id, "reason", failure.message);
        auto_free char *errors = outcome->stage ? print_errors(&summary) : NULL;
        ending.agent_errors = errors;
        if (summary.reply_characters) {
                const struct text *reply = &summary.reply;
                ending.reply =
                        reply->data + utf8_tail_offset(reply->data, reply->length, (size_t)REPLY_KEPT_CHARACTERS);
        }
        auto_free char *files = measure_conversation(runtime->services, turn);
        ending.conversation_files = files;
        if (!RUNTIME_WRITE(runtime, end_work, &ending, error))
                return false;
        log_info("turn ended", "task", turn->task_id, "type", outcome->type, "status", outcome->task_status);
        return true;
}

void turn_remove_secrets(const struct services *services, const struct store_turn *turn)
{
        auto_free char *control = task_path_control(services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        auto_error error = {0};

        agent_configuration_remove(services, turn->task_id, turn->ordinal);
        if (!secret_files_remove(services, turn->task_id, &error) || !control_forget_request(control, run, &error))
                log_warning("the secrets of a turn could not be removed", "task", turn->task_id, "reason",
                            error.message);
}

/* Whether the agent was started, or may have been: a turn that was not has changed nothing. */
static bool has_begun(const struct services *services, const struct store_turn *turn)
{
        auto_free char *control = task_path_control(services->data_folder, turn->task_id),
                       *run = turn_run_id(turn->ordinal);
        enum control_state state;
        struct runner_exit exit;
        auto_error ignored = {0};

        return !control_state(control, run, &state, &exit, &ignored) || state == CONTROL_CLAIMED ||
               state == CONTROL_ENDED;
}

bool turn_end(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *found,
              struct error *error)
{
        CLEANUP(changes_set_clear) struct changes_set changes = {0};
        struct turn_outcome copy = *found, *outcome = &copy;
        bool is_over = false, is_good;

        /* Whoever comes second finds it ended, and its events are written once. */
        number_set_lock(runtime, &runtime->turns_ending, turn->rid);
        is_good = is_ended(runtime, turn->rid, &is_over, error);
        bool is_begun = is_good && !is_over && has_begun(runtime->services, turn);
        /* Before the record, which lets the next turn begin. */
        if (is_good && !is_over)
                turn_remove_secrets(runtime->services, turn);
        is_good = is_good && (is_over || ((!is_begun || changes_save(runtime, turn, outcome, &changes, error)) &&
                                          record(runtime, turn, outcome, &changes, error)));
        number_set_unlock(runtime, &runtime->turns_ending, turn->rid);
        if (!is_good || is_over)
                return is_good;
        if (turn->started_at)
                metrics_observe(METRIC_TURN_SECONDS, outcome->ended_at - turn->started_at);
        return true;
}
