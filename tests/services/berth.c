#include "tests/services/berth.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "docker/client.h"
#include "git/worker.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/runtime_parts.h"
#include "server/services/task_paths.h"

static void expect(bool is_good, const struct error *error)
{
        if (!is_good)
                fail_msg("%s: %s", error_kind(error->code)->code, error->message);
}

static void moment(void)
{
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

/* A worker that never answers, until the test is over. */
static void write_worker(struct berth *berth)
{
        auto_free char *script =
                text_format("#!/bin/sh\nuntil [ -e %s/over ]; do sleep 0.05; done\nexit 1\n", berth->world->root);
        auto_error error = {0};

        berth->worker = path_join(berth->world->root, "worker");
        expect(path_write(berth->worker, script, strlen(script), 0755, &error), &error);
        repository_worker_configure(berth->worker, NULL);
}

static char *find_runner(void)
{
        char self[PATH_MAX] = "";

        if (getenv("LONGSHORE_RUNNER") && *getenv("LONGSHORE_RUNNER"))
                return text_copy(getenv("LONGSHORE_RUNNER"));
        assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
        for (int i = 0; i < 3; i++)
                *strrchr(self, '/') = '\0';
        return path_join(self, "longshore-runner");
}

int berth_open(void **state)
{
        static const char *const environments[][2] = {
                {"box", "{\"network\": \"none\", \"limits\": {\"memoryMb\": 128, \"pids\": 64}}"},
                {"small", "{\"network\": \"none\", \"limits\": {\"memoryMb\": 64, \"pids\": 64}}"},
                {"brief", "{\"network\": \"none\", \"limits\": {\"memoryMb\": 128, \"turnMinutes\": 1}}"},
                {"bare", "{\"network\": \"none\", \"image\": \"longshore/nothing:1\"}"},
                {"stuck", "{\"network\": \"none\", \"repositories\": [{\"url\": \"http://127.0.0.1:9/app\"}]}"},
        };
        struct berth *berth = memory_new(sizeof *berth);
        auto_json *flags = json_pack("{s:i}", "STOP_GRACE_SECONDS", 1);
        auto_error error = {0};

        if (world_open((void **)&berth->world))
                return -1;
        *state = berth;
        expect(settings_load(NULL, NULL, flags, &error), &error);
        for (size_t i = 0; i < COUNT_OF(environments); i++)
                world_environment(berth->world, environments[i][0], environments[i][1]);
        expect(environments_reload(berth->world->services.environments, &error), &error);
        berth->world->services.docker = docker_new(getenv("LONGSHORE_TEST_DOCKER_HOST"), &error);
        expect(berth->world->services.docker, &error);
        berth->claim = 1000;
        berth->runner = find_runner();
        write_worker(berth);
        berth_start(berth);
        return 0;
}

void berth_start(struct berth *berth)
{
        auto_error error = {0};

        runtime_times = (struct runtime_times){
                .minute = 200, .retry = 5, .claim = berth->claim, .overdue = 500, .given_up = 500, .earlier = 5};
        berth->runtime = runtime_start(&berth->world->services, berth->runner, &error);
        expect(berth->runtime, &error);
        berth->runtime->times = (struct runtime_times){
                .minute = 200, .retry = 5, .claim = 1000, .overdue = 500, .given_up = 500, .earlier = 5};
}

void berth_patient(struct berth *berth)
{
        berth_stop(berth);
        berth->claim = 100000;
        berth_start(berth);
}

void berth_stop(struct berth *berth)
{
        if (berth->runtime)
                runtime_stop(take(berth->runtime));
}

static void sweep(struct berth *berth, const char *label)
{
        struct docker *docker = berth->world->services.docker;
        auto_docker_container_list list = {0};
        auto_error error = {0};

        expect(docker_container_find(docker, label, &list, &error), &error);
        for (size_t i = 0; i < list.count; i++)
                expect(docker_container_remove(docker, list.entries[i].id, true, &error), &error);
}

int berth_close(void **state)
{
        struct berth *berth = *state;
        auto_free char *over = path_join(berth->world->root, "over");
        auto_error error = {0};

        expect(path_write(over, "", 0, 0600, &error), &error);
        auto_free char *label = text_format("%s=%s", LABEL_SERVER, berth->runtime ? berth->runtime->server_id : "-");
        berth_stop(berth);
        sweep(berth, label);
        sweep(berth, "longshore.stranger");
        docker_free(berth->world->services.docker);
        repository_worker_configure(NULL, NULL);
        free(berth->runner);
        free(berth->worker);
        struct world *world = berth->world;
        free(berth);
        return world_close((void **)&world);
}

char *berth_task(struct berth *berth, const char *environment, const char *script)
{
        return world_task(berth->world, berth->world->admin, environment, script);
}

void berth_follow_up(struct berth *berth, const char *task_id, const char *script)
{
        auto_error error = {0};
        auto_json *result =
                world_follow_up(berth->world, berth->world->admin,
                                (struct task_follow_up_input){.taskId = task_id, .instructions = script}, &error);

        expect(result, &error);
}

struct store_turn berth_ended(struct berth *berth, const char *task_id)
{
        auto_store_turn turn = world_turn(berth->world, task_id);

        if (!runtime_wait_turn(berth->runtime, berth->world->db, turn.rid, clock_monotonic() + PATIENCE_MS))
                fail_msg("the turn does not end; it is %s", turn.state);
        return world_turn(berth->world, task_id);
}

void berth_wait_state(struct berth *berth, const char *task_id, const char *state)
{
        for (int64_t deadline = clock_monotonic() + PATIENCE_MS;; moment()) {
                auto_store_turn turn = world_turn(berth->world, task_id);
                if (!strcmp(turn.state, state))
                        return;
                if (clock_monotonic() > deadline)
                        fail_msg("the turn does not become %s, it is %s", state, turn.state);
        }
}

static char *file_of(struct berth *berth, const char *task_id, const char *name)
{
        auto_free char *workspace = task_path_workspace(berth->world->root, task_id);

        return path_join(workspace, name);
}

bool berth_has_file(struct berth *berth, const char *task_id, const char *name)
{
        auto_free char *path = file_of(berth, task_id, name);

        return access(path, F_OK) == 0;
}

void berth_wait_file(struct berth *berth, const char *task_id, const char *name)
{
        for (int64_t deadline = clock_monotonic() + PATIENCE_MS; !berth_has_file(berth, task_id, name); moment())
                if (clock_monotonic() > deadline)
                        fail_msg("%s does not appear", name);
}

void berth_make_file(struct berth *berth, const char *task_id, const char *name)
{
        auto_free char *path = file_of(berth, task_id, name);
        auto_fd file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

        assert_true(file >= 0);
}

bool berth_end(struct berth *berth, const char *task_id, const char *kind)
{
        struct call call = {.services = &berth->world->services,
                            .db = berth->world->db,
                            .actor = berth->world->admin,
                            .source = "mcp",
                            .now = clock_now()};
        auto_json *result = NULL;
        auto_error error = {0};
        bool is_stop = !strcmp(kind, "stop");

        expect(is_stop ? task_stop(&call, &(struct task_stop_input){task_id}, &result, &error)
                       : task_interrupt(&call, &(struct task_interrupt_input){.taskId = task_id}, &result, &error),
               &error);
        return json_is_true(json_object_get(result, is_stop ? "stopped" : "interrupted"));
}

void berth_container(struct berth *berth, const char *task_id, struct docker_container_state *state)
{
        auto_free char *name = text_format("longshore-%s", task_id);
        auto_error error = {0};

        if (docker_container_inspect(berth->world->services.docker, name, state, &error))
                return;
        if (error.code != ERROR_CONTAINER_NOT_FOUND)
                fail_msg("%s", error.message);
        strcpy(state->status, "gone");
}

/* Halts the children of a process, except for the leaders of runs (which are in a session of their own). */
static void halt_children(int pid, int depth)
{
        auto_free char *path = text_format("/proc/%d/task/%d/children", pid, pid);
        FILE *list = fopen(path, "re");
        int child;

        assert_non_null(list);
        while (depth > 0 && fscanf(list, "%d", &child) == 1) {
                assert_int_equal(kill(child, SIGSTOP), 0);
                halt_children(child, depth - 1);
        }
        fclose(list);
}

void berth_halt(struct berth *berth, const char *task_id, bool is_deep)
{
        auto_docker_container_state state = {0};

        berth_container(berth, task_id, &state);
        assert_true(state.pid > 0);
        halt_children(state.pid, is_deep ? 2 : 1);
}

void berth_stranger(struct berth *berth, const char *name, const char *server, const char *task_id)
{
        const char *const command[] = {"sleep", "1000", NULL};
        const struct docker_pair labels[] = {
                {"longshore.stranger", "yes"}, {LABEL_SERVER, server}, {LABEL_TASK, task_id}};
        struct docker_container_spec spec = {.name = name,
                                             .image = "longshore/task:1",
                                             .command = command,
                                             .labels = labels,
                                             .label_count = server ? 3 : 1};
        struct docker *docker = berth->world->services.docker;
        char id[DOCKER_ID_SIZE];
        auto_error error = {0};

        expect(docker_container_create(docker, &spec, id, &error) && docker_container_start(docker, id, &error),
               &error);
}

void berth_retain(struct berth *berth, int64_t hours)
{
        runtime_retain(berth->runtime, berth->world->db, clock_now() + hours * 3600000 + 1000);
}

char *berth_reply(struct berth *berth, const char *task_id)
{
        struct world *world = berth->world;
        auto_json *view = GET(world->admin, .taskId = task_id);

        return text_copy(member(json_object_get(view, "latestResponse"), "content"));
}

void berth_expect(struct berth *berth, const char *task_id, const char *status, const char *type, const char *stage)
{
        auto_store_turn turn = berth_ended(berth, task_id);
        auto_store_task task = world_stored(berth->world, task_id);

        if (strcmp(turn.end_type, type) || strcmp(task.status, status) ||
            strcmp(turn.failure_stage ? turn.failure_stage : "", stage))
                fail_msg("the turn ended as %s %s at %s: %s", task.status, turn.end_type,
                         turn.failure_stage ? turn.failure_stage : "-",
                         turn.failure_message ? turn.failure_message : "");
}
