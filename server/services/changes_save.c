#include "server/services/changes_save.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "docker/runner/control.h"
#include "git/change.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/changes_parts.h"
#include "server/services/reader.h"
#include "server/services/changes_script.h"
#include "server/services/metrics.h"
#include "server/services/task_paths.h"

#define RUN_PREFIX "changes-"
/* Beside the records that can be read. */
#define OUTPUT_PATH "changes.out"
#define FACTS_PATH "changes.err"
#define FACTS_MAXIMUM (4 * 1024 * 1024)
#define GRACE_MS 2000
/* A person who stopped the turn waits for its end. */
#define STOPPED_LIMIT_MS 15000
/* What is changed may have so many bytes altogether, before it is packed. */
#define MEGABYTE (1024 * 1024)
#define CHANGED_MAXIMUM (1024LL * MEGABYTE)
/* Looks at the run become rarer. */
#define LOOK_FIRST_MS 4
#define LOOK_LAST_MS 50
/* A runner that lives has taken up the run by then. */
#define CONTAINER_LOOK_MS 300
#define WORDS_BEFORE 8

struct saving {
        struct runtime *runtime;
        const struct store_turn *turn;
        struct changes_set *set;
        const struct environment_repository *repositories;
        char *control, *output, *facts;
        char run[RUNNER_RUN_SIZE];
        int64_t limit_ms;
};

/* What is known before: the beginning, and what was saved last where that began alike. */
static bool prepare_item(struct store_db *db, int64_t task, struct store_saved_changes *earlier, const char *name,
                         struct store_saved_change *change, struct error *error)
{
        auto_free char *base = NULL;

        if (!store_saved_change_base_find(db, task, name, &base, error))
                return false;
        for (size_t i = 0; i < earlier->count; i++) {
                struct store_saved_change *known = &earlier->items[i];
                if (strcmp(known->repository, name) || strcmp(known->state, "saved") ||
                    (base && (!known->base || strcmp(base, known->base))))
                        continue;
                *change = *known;
                *known = (struct store_saved_change){.repository = text_copy(""), .state = text_copy("")};
                free(take(change->left_out));
                return true;
        }
        *change = (struct store_saved_change){
                .repository = text_copy(name), .state = text_copy("saved"), .base = take(base), .is_whole = true};
        return true;
}

static bool prepare(struct saving *saving, const struct environment *environment, struct error *error)
{
        struct store_db *db = services_reader(saving->runtime->services, error);
        size_t count = environment->file.repositories.count;
        auto_store_saved_changes earlier = {0};

        if (!db || !store_saved_change_list(db, saving->turn->task, &earlier, error))
                return false;
        saving->repositories = environment->file.repositories.items;
        for (size_t i = 0; i < count && i < CHANGES_REPOSITORIES_MAXIMUM; i++) {
                if (!prepare_item(db, saving->turn->task, &earlier, saving->repositories[i].name,
                                  &saving->set->items[i], error))
                        return false;
                saving->set->count = i + 1;
        }
        return true;
}

static bool start(const struct saving *saving, struct error *error)
{
        const struct settings *settings = settings_current();
        const struct changes_set *set = saving->set;
        auto_free char *files = text_format("%" PRId64, settings->changes_files),
                       *one = text_format("%" PRId64, settings->changes_file_megabytes * MEGABYTE),
                       *all = text_format("%lld", CHANGED_MAXIMUM),
                       *pack = text_format("%" PRId64, settings->changes_megabytes * MEGABYTE);
        const char *words[WORDS_BEFORE + 3 * CHANGES_REPOSITORIES_MAXIMUM + 1] = {
                "/bin/sh", "-c", changes_script, "changes", files, one, all, pack};
        static const struct runner_variable variables[] = {{"HOME", AGENT_HOME}, {"USER", "agent"}};
        bool was_there;

        for (size_t i = 0; i < set->count; i++) {
                const struct store_saved_change *change = &set->items[i];
                words[WORDS_BEFORE + 3 * i] = change->repository;
                words[WORDS_BEFORE + 3 * i + 1] = !change->base ? "-" : *change->base ? change->base : "none";
                words[WORDS_BEFORE + 3 * i + 2] = change->tree ? change->tree : "-";
        }
        struct runner_start request = {.kind = "changes",
                                       .command = words,
                                       .environment = variables,
                                       .environment_count = COUNT_OF(variables),
                                       .workdir = CONTAINER_WORKSPACE,
                                       .uid = settings->agent_uid,
                                       .gid = settings->agent_uid,
                                       .output = OUTPUT_PATH,
                                       .errors = FACTS_PATH,
                                       .time_limit = saving->limit_ms,
                                       .grace = GRACE_MS};
        snprintf(request.run, sizeof request.run, "%s", saving->run);
        return control_start(saving->control, &request, NULL, 0, &was_there, error);
}

/* Whether the container can still take the run up; one that cannot be asked about may. */
static bool is_alive(const struct saving *saving)
{
        auto_docker_container_state container = {0};
        auto_error ignored = {0};
        bool is_there = false;

        return !container_look(saving->runtime, saving->turn->task_id, &container, &is_there, &ignored) ||
               (is_there && container.is_running);
}

/* Waits for the run's end; *reason says why it is not waited for any more. */
static bool wait_for(const struct saving *saving, struct runner_exit *exit, const char **reason, struct error *error)
{
        int64_t began = clock_monotonic(), looked = began;
        enum control_state state;

        for (int pause = LOOK_FIRST_MS;; pause = pause < LOOK_LAST_MS ? pause + LOOK_FIRST_MS : LOOK_LAST_MS) {
                if (!control_state(saving->control, saving->run, &state, exit, error))
                        return false;
                int64_t now = clock_monotonic();
                if (state == CONTROL_ENDED)
                        return true;
                *reason = "not_finished";
                if (now - began > saving->limit_ms + 2 * GRACE_MS ||
                    (state == CONTROL_REQUESTED && now - began > saving->runtime->times.claim))
                        return true;
                if (now - looked > (looked == began ? CONTAINER_LOOK_MS : 10 * CONTAINER_LOOK_MS)) {
                        looked = now;
                        *reason = "container_not_running";
                        if (!is_alive(saving))
                                return true;
                }
                *reason = NULL;
                if (atomic_load(&saving->runtime->is_stopping))
                        return error_set(error, ERROR_CANCELLED, "the server is stopping");
                poll(&(struct pollfd){saving->runtime->stop_event, POLLIN, 0}, 1, pause);
        }
}

static int64_t size_of(const char *path)
{
        struct stat info;

        return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

static void end_run(const struct saving *saving)
{
        struct runner_stop stop = {.reason = RUNNER_STOP, .grace = GRACE_MS};
        auto_error ignored = {0};
        bool is_withdrawn = false;

        snprintf(stop.run, sizeof stop.run, "%s", saving->run);
        if (!control_withdraw(saving->control, saving->run, &is_withdrawn, &ignored) ||
            (!is_withdrawn && !control_stop(saving->control, &stop, &ignored)))
                log_warning("saving changes could not be ended", "task", saving->turn->task_id, "reason",
                            ignored.message);
}

static void remove_output(const struct saving *saving)
{
        auto_error ignored = {0};

        if (!path_remove_tree(saving->output, &ignored) || !path_remove_tree(saving->facts, &ignored))
                log_warning("what saving changes left could not be removed", "reason", ignored.message);
}

static bool run(const struct saving *saving, struct error *error)
{
        auto_text facts = TEXT_WITH_MAXIMUM(FACTS_MAXIMUM);
        struct runner_exit exit = {0};
        const char *reason = NULL;
        auto_error reading = {0};

        if (!start(saving, error) || !wait_for(saving, &exit, &reason, error))
                return false;
        if (reason)
                end_run(saving);
        else if (path_read(saving->facts, FACTS_MAXIMUM, &facts, NULL, &reading) && facts.length)
                changes_facts_read(saving->set, facts.data, size_of(saving->output));
        for (size_t i = 0; i < saving->set->count; i++)
                if (!saving->set->is_told[i])
                        changes_set_gone(&saving->set->items[i], reason ? reason : "not_finished");
        control_forget(saving->control, RUN_PREFIX, "");
        return true;
}

static const char *reason_of(const struct error *error)
{
        switch (error->code) {
        case ERROR_GIT_TIMEOUT:
                return "not_finished";
        case ERROR_GIT_REF_NOT_FOUND:
                return "beginning_unknown";
        case ERROR_STORE_FULL:
                return "disk_full";
        default:
                return "refused";
        }
}

static void import(const struct saving *saving, size_t at)
{
        const struct services *services = saving->runtime->services;
        struct repository_limits limits = changes_limits();
        struct store_saved_change *change = &saving->set->items[at];
        auto_free char *mirrors = task_path_mirrors(services->data_folder),
                       *path = changes_path_repository(services->data_folder, saving->turn->task_id,
                                                       change->repository);
        struct repository_change_pack pack = {.repository = path,
                                              .mirrors = mirrors,
                                              .url = saving->repositories[at].url,
                                              .file = saving->output,
                                              .offset = saving->set->offsets[at],
                                              .length = saving->set->sizes[at],
                                              .base = change->base ? change->base : "",
                                              .tree = change->tree};
        struct repository_change found;
        auto_error error = {0};

        metrics_count(METRIC_CHANGE_IMPORTS, 1);
        if (!repository_change_import(&pack, &limits, &found, &error)) {
                log_warning("what a turn changed could not be saved", "task", saving->turn->task_id, "repository",
                            change->repository, "reason", error.message);
                changes_set_gone(change, reason_of(&error));
                return;
        }
        change->from = text_copy(found.from);
        change->to = text_copy(found.to);
        change->files = found.files;
        change->additions = found.additions;
        change->deletions = found.deletions;
        change->is_whole = change->is_whole && found.is_whole;
}

static void finish(const struct saving *saving)
{
        struct changes_set *set = saving->set;

        for (size_t i = 0; i < set->count; i++) {
                if (set->sizes[i])
                        import(saving, i);
                if (set->left_out[i])
                        set->items[i].left_out = document_print(set->left_out[i]);
        }
}

static bool save(struct saving *saving, const struct environment *environment, struct error *error)
{
        struct services *services = saving->runtime->services;
        auto_free char *records = task_path_records(services->data_folder, saving->turn->task_id);

        saving->control = task_path_control(services->data_folder, saving->turn->task_id);
        saving->output = path_join(records, OUTPUT_PATH);
        saving->facts = path_join(records, FACTS_PATH);
        /* An earlier try of the same turn may have been cut off. */
        id_new("changes", saving->run);
        remove_output(saving);
        if (!prepare(saving, environment, error) || !run(saving, error))
                return false;
        finish(saving);
        remove_output(saving);
        return true;
}

bool changes_save(struct runtime *runtime, const struct store_turn *turn, const struct turn_outcome *outcome,
                  struct changes_set *set, struct error *error)
{
        struct saving saving = {.runtime = runtime, .turn = turn, .set = set};
        struct store_db *db = services_reader(runtime->services, error);
        auto_store_task task = {0};
        bool is_found;

        if (!db || !store_task_find_rid(db, turn->task, 0, &task, &is_found, error))
                return false;
        auto_environment *environment =
                is_found ? environment_find_rid(runtime->services->environments, task.environment) : NULL;
        if (!environment || !environment->file.repositories.count)
                return true;
        saving.limit_ms = settings_current()->changes_seconds * 1000;
        if (!strcmp(outcome->task_status, "interrupted") && saving.limit_ms > STOPPED_LIMIT_MS)
                saving.limit_ms = STOPPED_LIMIT_MS;
        int64_t began = clock_monotonic();
        auto_error failure = {0};
        bool is_done = save(&saving, environment, &failure);
        free(saving.control);
        free(saving.output);
        free(saving.facts);
        if (!is_done && failure.code == ERROR_CANCELLED)
                return error_move(error, &failure);
        for (size_t i = 0; !is_done && i < set->count; i++)
                changes_set_gone(&set->items[i], "not_finished");
        if (!is_done)
                log_warning("what a turn changed could not be saved", "task", turn->task_id, "reason", failure.message);
        metrics_observe(METRIC_CHANGE_SECONDS, clock_monotonic() - began);
        return true;
}

bool changes_record(struct store_db *db, int64_t turn, const struct changes_set *set, struct error *error)
{
        for (size_t i = 0; i < set->count; i++)
                if (!store_saved_change_add(db, turn, &set->items[i], error))
                        return false;
        return true;
}
