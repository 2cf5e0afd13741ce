#include "server/services/pull.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "docker/runner/control.h"
#include "git/repository.h"
#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/base/log.h"
#include "server/base/path.h"
#include "server/services/credential.h"
#include "server/services/environment.h"
#include "server/services/progress.h"
#include "server/services/pull_script.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"
#include "server/services/vault.h"
#include "server/store/saved_change.h"

#define PULL_RUN_PREFIX "pull-"
#define PULL_FOLDER "pull"
#define REPOSITORIES_MAXIMUM 60
#define LIMIT_MS 600000
#define GRACE_MS 5000
/* A pull that an earlier process began is waited for so long. */
#define SETTLE_MS 60000
#define LOOK_MS 50
#define LOOKS_BETWEEN_CONTAINERS 40
#define OUTPUT_MAXIMUM (1024 * 1024)
#define WORDS_PER_REPOSITORY 4
#define WORDS_BEFORE 4

/* One repository of a pull. */
struct part {
        const struct environment_repository *repository;
        char *bundle, *branch; /* bundle: as the container sees it, or "-" */
        char head[REPOSITORY_HEAD_SIZE];
        bool is_wanted, is_whole;
        json_t *result; /* NULL until it is known */
};

struct pull {
        const struct services *services;
        const struct store_task *task;
        const struct call *call; /* NULL: nobody is told of the progress */
        int64_t steps;
        json_t *chosen; /* branches of the task */
        char *control, *folder;
        struct part parts[REPOSITORIES_MAXIMUM];
        size_t count;
};

static void pull_clear(struct pull *pull)
{
        for (size_t i = 0; i < pull->count; i++) {
                free(pull->parts[i].bundle);
                free(pull->parts[i].branch);
                json_decref(pull->parts[i].result);
        }
        json_decref(pull->chosen);
        free(pull->control);
        free(pull->folder);
}

void pull_report_clear(struct pull_report *report)
{
        json_decref(report->repos);
        *report = (struct pull_report){0};
}

static void set_result(struct part *part, const char *status, const char *message)
{
        json_decref(part->result);
        part->result =
                json_pack("{s:o, s:s, s:o, s:o}", "repository", document_string(part->repository->name), "status",
                          status, "branch", document_string(part->branch), "message", document_string(message));
}

/* What the workspace says its copy of the upstream branch is at: a hint that keeps the bundle small. */
static char *read_basis(const struct pull *pull, const char *name, const char *branch)
{
        auto_free char *workspace = task_path_workspace(pull->services->data_folder, pull->task->id),
                       *reference = text_format("%s/.git/refs/remotes/origin/%s", name, branch);
        auto_fd root = open(workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        auto_text content = TEXT_WITH_MAXIMUM(100);
        auto_error ignored = {0};
        auto_fd file = root < 0 ? -1 : path_open_beneath(root, reference, &ignored);

        if (file < 0 || !path_read_open(file, "a reference", 100, &content, &ignored))
                return NULL;
        const char *hex = text_string(&content);
        return strspn(hex, "0123456789abcdef") == 40 ? text_format("%.40s", hex) : NULL;
}

static bool bundle(struct pull *pull, struct part *part, struct error *error)
{
        const struct settings *settings = settings_current();
        struct repository_limits limits = {settings->git_timeout_seconds * 1000,
                                           settings->git_memory_megabytes * 1024 * 1024};
        const char *url = part->repository->url, *name = part->repository->name;
        const char *wanted = workspace_branch(pull->chosen, part->repository);
        auto_free char *mirrors = task_path_mirrors(pull->services->data_folder),
                       *path = text_format("%s/%s.bundle", pull->folder, name),
                       *basis = part->is_whole || !wanted ? NULL : read_basis(pull, name, wanted);
        auto_git_login login = {0};
        bool is_written;

        if (!credential_find(pull->services, url, &login, error))
                return false;
        struct repository_remote remote = {url, login.username, login.password};
        free(take(part->branch));
        free(take(part->bundle));
        if (!path_remove_tree(path, error) || !repository_mirror_update(mirrors, &remote, &limits, error) ||
            !repository_bundle_make(mirrors, url, wanted, basis, path, &limits, &part->branch, part->head, &is_written,
                                    error))
                return false;
        part->bundle = is_written ? text_format(CONTAINER_SECRETS "/" PULL_FOLDER "/%s.bundle", name) : text_copy("-");
        return true;
}

/* A remote that cannot be read is that repository's failure alone. */
static void gather(struct pull *pull, struct part *part)
{
        auto_error error = {0};

        part->is_wanted = bundle(pull, part, &error);
        /* A mirror that turned out to be damaged is made anew at the second try. */
        if (error.code == ERROR_GIT_MIRROR_DAMAGED) {
                log_warning("a damaged mirror is made anew", "reason", error.message);
                error_clear(&error);
                part->is_wanted = bundle(pull, part, &error);
        }
        part->is_wanted = part->is_wanted && part->branch;
        if (error.code)
                set_result(part, "failed", error.message);
        else if (!part->is_wanted)
                set_result(part, "up_to_date", NULL);
}

static bool start(const struct pull *pull, const char *run, const char *output, const char *errors, struct error *error)
{
        const char *words[WORDS_BEFORE + REPOSITORIES_MAXIMUM * WORDS_PER_REPOSITORY + 1] = {"/bin/sh", "-c",
                                                                                             pull_script, "pull"};
        static const struct runner_variable variables[] = {
                {"HOME", AGENT_HOME},
                {"USER", "agent"},
                {"GIT_AUTHOR_NAME", "Longshore"},
                {"GIT_AUTHOR_EMAIL", "agent@longshore.invalid"},
                {"GIT_COMMITTER_NAME", "Longshore"},
                {"GIT_COMMITTER_EMAIL", "agent@longshore.invalid"},
        };
        int64_t uid = settings_current()->agent_uid;
        size_t count = WORDS_BEFORE;
        bool was_there;

        for (size_t i = 0; i < pull->count; i++) {
                const struct part *part = &pull->parts[i];
                const char *own[WORDS_PER_REPOSITORY] = {part->repository->name, part->bundle, part->branch,
                                                         part->head};
                for (size_t j = 0; part->is_wanted && j < WORDS_PER_REPOSITORY; j++)
                        words[count++] = own[j];
        }
        struct runner_start request = {.kind = "pull",
                                       .command = words,
                                       .environment = variables,
                                       .environment_count = COUNT_OF(variables),
                                       .workdir = CONTAINER_WORKSPACE,
                                       .uid = uid,
                                       .gid = uid,
                                       .output = output,
                                       .errors = errors,
                                       .time_limit = LIMIT_MS,
                                       .grace = GRACE_MS};
        snprintf(request.run, sizeof request.run, "%s", run);
        return control_start(pull->control, &request, NULL, 0, &was_there, error);
}

/* Waits for the end of a run, as long as its container lives. */
static bool wait_for(const struct services *services, const char *task_id, const char *control, const char *run,
                     int64_t until, struct runner_exit *exit, bool *is_over, struct error *error)
{
        struct runtime *runtime = services->runtime;

        for (int looks = 1;; looks++) {
                auto_docker_container_state container = {0};
                enum control_state state;
                bool is_there;
                if (!control_state(control, run, &state, exit, error))
                        return false;
                *is_over = state == CONTROL_ENDED;
                if (*is_over || clock_monotonic() >= until)
                        return true;
                if (atomic_load(&runtime->is_stopping))
                        return error_set(error, ERROR_CANCELLED, "the server is stopping");
                if (looks % LOOKS_BETWEEN_CONTAINERS == 0) {
                        if (!container_look(runtime, task_id, &container, &is_there, error))
                                return false;
                        if (!is_there || !container.is_running)
                                return error_set(error, ERROR_CONTAINER_NOT_RUNNING, "the container ended meanwhile");
                }
                poll(&(struct pollfd){runtime->stop_event, POLLIN, 0}, 1, LOOK_MS);
        }
}

static struct part *find_part(struct pull *pull, const char *name)
{
        for (size_t i = 0; i < pull->count; i++)
                if (!strcmp(pull->parts[i].repository->name, name) && pull->parts[i].is_wanted)
                        return &pull->parts[i];
        return NULL;
}

/* A commit's id, null for anything else. */
static json_t *commit_of(const char *text)
{
        bool is_id = strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;

        return is_id ? json_string(text) : json_null();
}

static void take_result(struct pull *pull, char *fields[7], json_t *files)
{
        static const char *const statuses[] = {"updated", "up_to_date", "conflict", "missing", "failed"};
        struct part *part = find_part(pull, fields[1]);
        const char *status = NULL;

        for (size_t i = 0; i < COUNT_OF(statuses); i++)
                if (!strcmp(statuses[i], fields[2]))
                        status = statuses[i];
        if (!part || !status)
                return;
        set_result(part, status, *fields[6] ? fields[6] : NULL);
        json_object_set_new(part->result, "before", commit_of(fields[3]));
        json_object_set_new(part->result, "after", commit_of(fields[4]));
        bool is_method = !strcmp(fields[5], "rebase") || !strcmp(fields[5], "merge");
        json_object_set_new(part->result, "method", is_method ? json_string(fields[5]) : json_null());
        if (json_array_size(json_object_get(files, part->repository->name)))
                json_object_set(part->result, "files", json_object_get(files, part->repository->name));
}

/* What the script printed, which programs of the agent's making may have a part in: anything else is left out. */
static void read_results(struct pull *pull, char *text)
{
        auto_json *files = json_object();
        char *rest;

        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                char *fields[7] = {0}, *next = line;
                size_t count = 0;
                while (count < COUNT_OF(fields) && (fields[count] = strsep(&next, "\t")))
                        count++;
                if (count == 7 && !strcmp(fields[0], "result"))
                        take_result(pull, fields, files);
                if (count != 3 || strcmp(fields[0], "file") || !find_part(pull, fields[1]))
                        continue;
                if (!json_object_get(files, fields[1]))
                        json_object_set_new(files, fields[1], json_array());
                json_array_append_new(json_object_get(files, fields[1]), document_text(fields[2], strlen(fields[2])));
        }
}

static void explain_rest(struct pull *pull, const struct runner_exit *exit)
{
        for (size_t i = 0; i < pull->count; i++) {
                auto_free char *message =
                        text_format("The pull did not come to its end: %s.",
                                    *exit->message ? exit->message : runner_reason_name(exit->reason));
                if (!pull->parts[i].result)
                        set_result(&pull->parts[i], "failed", message);
        }
}

static bool run(struct pull *pull, struct error *error)
{
        auto_free char *records = task_path_records(pull->services->data_folder, pull->task->id);
        char id[ID_SIZE];
        struct runner_exit exit = {0};
        auto_text printed = TEXT_WITH_MAXIMUM(OUTPUT_MAXIMUM);
        auto_error reading = {0};
        bool is_over = false;

        id_new("pull", id);
        auto_free char *output = text_format("raw/%s.out", id), *errors = text_format("raw/%s.err", id),
                       *output_path = path_join(records, output), *errors_path = path_join(records, errors);
        bool is_done = start(pull, id, output, errors, error) &&
                       wait_for(pull->services, pull->task->id, pull->control, id, clock_monotonic() + LIMIT_MS * 2,
                                &exit, &is_over, error);
        if (is_done && path_read(output_path, OUTPUT_MAXIMUM, &printed, NULL, &reading) && printed.length)
                read_results(pull, printed.data);
        auto_error ignored = {0};
        if (!path_remove_tree(output_path, &ignored) || !path_remove_tree(errors_path, &ignored))
                log_warning("the output of a pull could not be removed", "reason", ignored.message);
        if (is_done && is_over)
                control_forget(pull->control, PULL_RUN_PREFIX, "");
        if (is_done)
                explain_rest(pull, &exit);
        return is_done;
}

/* Those whose bundle built on what the workspace does not have, once more with everything. */
static bool is_any_missing(struct pull *pull)
{
        bool is_any = false;

        for (size_t i = 0; i < pull->count; i++) {
                struct part *part = &pull->parts[i];
                const char *status = document_get_string(part->result, "status");
                bool is_missing = status && !strcmp(status, "missing");
                if (is_missing && part->is_whole)
                        set_result(part, "failed", "The workspace's repository is not whole.");
                part->is_wanted = is_missing && !part->is_whole;
                part->is_whole = part->is_whole || is_missing;
                is_any = is_any || part->is_wanted;
        }
        return is_any;
}

static void report(struct pull *pull, const char *what, const char *which)
{
        auto_free char *message = text_format("%s%s", what, which);

        if (pull->call)
                call_report(pull->call, ++pull->steps, 0, message);
}

static bool run_all(struct pull *pull, struct error *error)
{
        bool is_any = pull->count > 0;

        for (size_t i = 0; i < pull->count; i++)
                pull->parts[i].is_wanted = true;
        while (is_any) {
                bool is_needed = false;
                for (size_t i = 0; i < pull->count; i++) {
                        if (!pull->parts[i].is_wanted)
                                continue;
                        json_decref(take(pull->parts[i].result));
                        report(pull, "The remote is asked: ", pull->parts[i].repository->name);
                        gather(pull, &pull->parts[i]);
                        is_needed = is_needed || pull->parts[i].is_wanted;
                }
                report(pull, "The workspace is brought up to date", "");
                if (is_needed && !run(pull, error))
                        return false;
                is_any = is_any_missing(pull);
        }
        return true;
}

/* A task's work in a repository that was brought up to date begins there from now on. */
static bool begin_work(struct store_db *db, void *context, struct error *error)
{
        const struct pull *pull = context;

        for (size_t i = 0; i < pull->count; i++) {
                const struct part *part = &pull->parts[i];
                if (!strcmp(document_get_string(part->result, "status"), "updated") && *part->head &&
                    !store_saved_change_base_set(db, pull->task->rid, part->repository->name, part->head, error))
                        return false;
        }
        return true;
}

static void fill_report(struct pull *pull, struct pull_report *report)
{
        report->repos = json_array();
        for (size_t i = 0; i < pull->count; i++) {
                const char *status = document_get_string(pull->parts[i].result, "status");
                report->is_conflict = report->is_conflict || !strcmp(status, "conflict");
                report->is_failed = report->is_failed || !strcmp(status, "failed");
                json_array_append(report->repos, pull->parts[i].result);
        }
}

bool pull_repositories(const struct services *services, const struct store_task *task,
                       const struct environment *environment, const struct call *call, struct pull_report *report,
                       struct error *error)
{
        auto_free char *secrets = task_path_secrets(services->data_folder, task->id);
        auto_error ignored = {0};
        CLEANUP(pull_clear)
        struct pull pull = {.services = services,
                            .task = task,
                            .call = call,
                            .chosen = document_parse(task->branches, strlen(task->branches), &ignored),
                            .control = task_path_control(services->data_folder, task->id),
                            .folder = path_join(secrets, PULL_FOLDER),
                            .count = environment->file.repositories.count};

        if (pull.count > REPOSITORIES_MAXIMUM)
                return error_set(error, ERROR_INVALID_INPUT, "The environment has more than %d repositories.",
                                 REPOSITORIES_MAXIMUM);
        for (size_t i = 0; i < pull.count; i++)
                pull.parts[i].repository =
                        &((const struct environment_repository *)environment->file.repositories.items)[i];
        if (!path_make_folder(pull.folder, 0755, error) || !pull_settle(services, task->id, error))
                return false;
        bool is_done = run_all(&pull, error) && store_write(services->store, begin_work, &pull, error);
        if (!path_remove_tree(pull.folder, &ignored))
                log_warning("the bundles of a pull could not be removed", "reason", ignored.message);
        if (is_done)
                fill_report(&pull, report);
        return is_done;
}

static bool settle_one(const struct services *services, const char *task_id, const char *control, const char *run,
                       struct error *error)
{
        struct runner_stop stop = {.reason = RUNNER_STOP, .grace = GRACE_MS};
        struct runner_exit exit;
        bool is_over = false, is_withdrawn;

        if (!control_withdraw(control, run, &is_withdrawn, error) || is_withdrawn)
                return !error->code;
        if (!wait_for(services, task_id, control, run, clock_monotonic() + SETTLE_MS, &exit, &is_over, error))
                return false;
        if (is_over)
                return true;
        snprintf(stop.run, sizeof stop.run, "%s", run);
        return control_stop(control, &stop, error) &&
               wait_for(services, task_id, control, run, clock_monotonic() + 4 * GRACE_MS, &exit, &is_over, error);
}

/* The names of files of pulls in a folder begin with `before`, then the run, a dot. */
static bool settle_folder(const struct services *services, const char *task_id, const char *control, const char *folder,
                          const char *before, struct error *error)
{
        DIR *listing = opendir(folder);
        struct dirent *entry;
        bool is_good = true;

        while (listing && is_good && (entry = readdir(listing))) {
                size_t length = strlen(before);
                const char *name = entry->d_name;
                if (strncmp(name, before, length) || strncmp(name + length, PULL_RUN_PREFIX, strlen(PULL_RUN_PREFIX)) ||
                    strstr(name, ".exit."))
                        continue;
                auto_free char *run = text_format("%.*s", (int)strcspn(name + length, "."), name + length);
                is_good = !runner_run_is_valid(run) || settle_one(services, task_id, control, run, error);
        }
        if (listing)
                closedir(listing);
        return is_good;
}

bool pull_settle(const struct services *services, const char *task_id, struct error *error)
{
        auto_free char *control = task_path_control(services->data_folder, task_id),
                       *requests = control_path_requests(control), *runs = control_path_runs(control);

        if (!settle_folder(services, task_id, control, requests, "start-", error) ||
            !settle_folder(services, task_id, control, runs, "", error))
                return false;
        /* What is over, or cannot be ended, is not waited for again. */
        control_forget(control, PULL_RUN_PREFIX, "");
        return true;
}
