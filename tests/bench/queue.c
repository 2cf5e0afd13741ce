/* queue FOLDER: what it takes to give a slot to one of a thousand tasks that wait, on a folder that bench_seed filled.
 *
 * One person's five hundred tasks wait before those of thirty-nine others, all in several environments. Each decision
 * is one piece of work as the end of a turn makes it: a task finishes, and what is free goes to whose turn it is.
 * Beside it the same rows are written for a task that is known, which is what SQLite and the disk take in any case.
 *
 * Prints {"enqueue": [...], "decide": [...], "write": [...], "people": [...]}: microseconds of each, and whose task
 * each decision started. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/setting.h"
#include "server/services/slot.h"
#include "server/store/environment.h"
#include "server/store/store.h"
#include "server/store/turn.h"
#include "server/store/user.h"
#include "server/store/work.h"

#define USERS 40
#define ENVIRONMENTS 8
#define TASKS 1000
#define OF_THE_FIRST (TASKS / 2)
#define SLOTS 10
#define START INT64_C(1800000000000)

struct bench {
        struct services services;
        int64_t users[USERS], environments[ENVIRONMENTS];
        int64_t tasks[TASKS], turns[TASKS];
        int people[TASKS]; /* whose each task is */
        int running[SLOTS];
        int64_t now;
        int at; /* the task or slot that the piece of work is about */
};

static double microseconds(void)
{
        struct timespec time;

        clock_gettime(CLOCK_MONOTONIC, &time);
        return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static bool find_names(struct store_db *db, void *context, struct error *error)
{
        struct bench *bench = context;

        for (int i = 0; i < USERS; i++) {
                auto_store_user user = {0};
                char name[32];
                snprintf(name, sizeof name, "user-%d", i);
                if (!store_user_find(db, name, &user, error))
                        return false;
                bench->users[i] = user.rid;
        }
        for (int i = 0; i < ENVIRONMENTS; i++) {
                auto_store_environment environment = {0};
                char name[32];
                snprintf(name, sizeof name, "environment-%d", i);
                if (!store_environment_ensure(db, name, START, &environment, error))
                        return false;
                bench->environments[i] = environment.rid;
        }
        return true;
}

/* The task of this number, which waits for a slot from now on, or has one. */
static bool enqueue(struct store_db *db, void *context, struct error *error)
{
        struct bench *bench = context;
        int index = bench->at, person = index < OF_THE_FIRST ? 0 : 1 + index % (USERS - 1);
        auto_free char *id = text_format("%" PRId64 "-queued", START + index);
        struct store_task_new task = {.id = id,
                                      .status = "staged",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "mcp",
                                      .branches = "{}",
                                      .environment = bench->environments[index / 3 % ENVIRONMENTS],
                                      .creator = bench->users[person],
                                      .is_shared = true,
                                      .created_at = bench->now};
        struct store_turn_new turn = {.sender = task.creator,
                                      .kind = "initial",
                                      .origin = "mcp",
                                      .state = "staged",
                                      .agent = "shell",
                                      .shown = "x",
                                      .submitted_at = bench->now};
        const char *status;
        int64_t ordinal;

        bench->people[index] = person;
        if (!store_task_add(db, &task, &turn.task, error) ||
            !store_turn_add(db, &turn, &bench->turns[index], &ordinal, error) ||
            !store_task_set_turn(db, turn.task, bench->turns[index], error))
                return false;
        bench->tasks[index] = turn.task;
        return slot_start(&bench->services, db, turn.task, bench->turns[index], 0, bench->now, &status, error);
}

static bool finish(struct bench *bench, struct store_db *db, struct error *error)
{
        int64_t exit_code = 0;
        int index = bench->running[bench->at];
        bool is_done;

        return store_task_finish(db, bench->tasks[index], bench->turns[index], "completed", bench->now, &exit_code,
                                 &is_done, error);
}

static bool decide(struct store_db *db, void *context, struct error *error)
{
        struct bench *bench = context;

        return finish(bench, db, error) && slot_fill(&bench->services, db, bench->now, error);
}

/* As much is written, and nothing decided: the slot's task is taken back to begin once more. */
static bool write_as_much(struct store_db *db, void *context, struct error *error)
{
        struct bench *bench = context;
        int index = bench->running[bench->at];
        int64_t task = bench->tasks[index], turn = bench->turns[index];
        bool is_done;

        return finish(bench, db, error) &&
               store_task_begin(db, task, "running", turn, bench->now, 0, bench->now, &is_done, error) &&
               store_turn_set_state(db, turn, "launching", "launching", 0, &is_done, error) &&
               store_job_add(db, "launch", task, turn, 0, error);
}

/* Runs the piece of work and adds what it took, its commit included, to `times`. */
static bool time_work(struct bench *bench, store_work *work, json_t *times, struct error *error)
{
        double start = microseconds();

        bench->now++;
        if (!store_write(bench->services.store, work, bench, error))
                return false;
        json_array_append_new(times, json_real(microseconds() - start));
        return true;
}

/* The task that runs now and did not before. */
static bool find_started(struct bench *bench, struct store_db *db, const bool *was_started, int *started,
                         struct error *error)
{
        for (int i = 0; i < TASKS; i++) {
                auto_store_task task = {0};
                bool is_found;
                if (was_started[i])
                        continue;
                if (!store_task_find_rid(db, bench->tasks[i], 0, &task, &is_found, error))
                        return false;
                if (!strcmp(task.status, "running")) {
                        *started = i;
                        return true;
                }
        }
        return error_set(error, ERROR_INTERNAL, "no task was started");
}

static bool measure(struct bench *bench, struct store_db *db, json_t *found, struct error *error)
{
        json_t *enqueued = json_object_get(found, "enqueue"), *decided = json_object_get(found, "decide");
        json_t *written = json_object_get(found, "write"), *people = json_object_get(found, "people");
        bool was_started[TASKS] = {false};

        for (bench->at = 0; bench->at < TASKS; bench->at++)
                if (!time_work(bench, enqueue, enqueued, error))
                        return false;
        for (int i = 0; i < SLOTS; i++) {
                bench->running[i] = i;
                was_started[i] = true;
        }
        for (int i = SLOTS; i < TASKS; i++) {
                int started = 0;
                bench->at = i % SLOTS;
                if (!time_work(bench, write_as_much, written, error) || !time_work(bench, decide, decided, error) ||
                    !find_started(bench, db, was_started, &started, error))
                        return false;
                bench->running[bench->at] = started;
                was_started[started] = true;
                json_array_append_new(people, json_integer(bench->people[started]));
        }
        return true;
}

static bool run(const char *folder, json_t *found, struct error *error)
{
        struct bench bench = {.now = START};
        auto_free char *setup = path_join(folder, "setup");
        auto_json *flags = json_pack("{s:i}", "TASK_CONCURRENCY", SLOTS);
        struct store_db *db = NULL;
        bool is_good = false;

        if (!settings_load(NULL, NULL, flags, error) || !(bench.services.store = store_open(folder, error)))
                return false;
        bench.services.environments = environments_open(bench.services.store, setup, error);
        if (bench.services.environments)
                db = store_reader_open(bench.services.store, error);
        if (db)
                is_good = store_write(bench.services.store, find_names, &bench, error) &&
                          measure(&bench, db, found, error);
        store_reader_close(db);
        environments_close(bench.services.environments);
        store_close(bench.services.store);
        return is_good;
}

int main(int argc, char **argv)
{
        auto_error error = {0};
        auto_json *found = json_pack("{s:[], s:[], s:[], s:[]}", "enqueue", "decide", "write", "people");

        if (argc != 2) {
                fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
                return 2;
        }
        if (!run(argv[1], found, &error)) {
                fprintf(stderr, "%s\n", error.message);
                return 1;
        }
        auto_free char *printed = json_dumps(found, JSON_COMPACT | JSON_REAL_PRECISION(6));
        puts(printed);
        return 0;
}
