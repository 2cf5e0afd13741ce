/* What nobody uses any more goes after a time, is told before, and nothing else goes. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "git/repository.h"
#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/unused_version.h"
#include "server/services/usage.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

#define DAY_MS INT64_C(86400000)
#define DAYS 90

/* A mirror that was last used `days` before `now`; its folder, the caller's. */
static char *mirror(struct world *world, const char *url, int64_t now, int64_t days)
{
        auto_error error = {0};
        auto_free char *name = repository_mirror_name(url, &error);
        char *folder = text_format("%s/mirrors/%s", world->root, name);
        auto_free char *lock = text_format("%.*s.lock", (int)(strlen(folder) - 4), folder);
        struct timespec times[2] = {{.tv_sec = now / 1000 - days * 86400}, {.tv_sec = now / 1000 - days * 86400}};

        assert_true(path_make_folder(folder, 0700, &error));
        assert_true(path_write(lock, "", 0, 0600, &error));
        assert_int_equal(utimensat(AT_FDCWD, lock, times, 0), 0);
        return folder;
}

static json_t *preview(struct world *world, int64_t at)
{
        struct call call = world_call(world, world->admin);
        char when[CLOCK_ISO_SIZE];
        auto_error error = {0};
        json_t *result = NULL;

        clock_format(at, when);
        if (!retention_preview(&call, &(struct retention_preview_input){.at = when}, &result, &error))
                fail_msg("%s", error.message);
        return result;
}

/* How many things of the kind are told. */
static size_t count_of(const json_t *told, const char *kind)
{
        const json_t *measure;
        size_t i, count = 0;

        json_array_foreach(json_object_get(told, "measures"), i, measure)
        {
                count += !strcmp(member(measure, "kind"), kind);
                if (!strcmp(member(measure, "kind"), kind))
                        assert_string_equal(member(measure, "action"), "remove");
        }
        return count;
}

static void a_mirror_that_no_environment_names_goes_after_its_time(void **state)
{
        struct world *world = *state;
        int64_t now = clock_now();
        auto_free char *named = mirror(world, "https://host/app", now, 2 * DAYS),
                       *unused = mirror(world, "https://host/gone", now, DAYS + 1),
                       *recent = mirror(world, "https://host/recent", now, DAYS - 1);

        auto_json *told = preview(world, now);
        assert_int_equal(count_of(told, "mirror"), 1);
        runtime_retain(&world->runtime, world->db, now);
        assert_int_equal(access(named, F_OK), 0);
        assert_int_equal(access(unused, F_OK), -1);
        assert_int_equal(access(recent, F_OK), 0);
        auto_json *rest = preview(world, now);
        assert_int_equal(count_of(rest, "mirror"), 0);
}

/* With the columns `now`, and `old` for a time that is long ago, of a table `c`. */
static void run_sql(struct world *world, const char *sql, int64_t now)
{
        auto_free char *with = text_format("WITH c(now, old) AS (SELECT %lld, %lld) %s", (long long)now,
                                           (long long)(now - (DAYS + 1) * DAY_MS), sql);

        world_sql(world, with);
}

static void a_client_goes_when_its_grants_are_long_over(void **state)
{
        static const char clients[] =
                "INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, source, created_at, used_at) "
                "SELECT column1, '', '', 'none', '', 1, iif(column2 = 'old', old, iif(column2 = 'now', now, NULL)) "
                "FROM c, (VALUES ('gone', 'old'), ('granted', 'old'), ('fresh', 'now'), ('unused', 'never'), "
                "('revoked', 'old'))";
        static const char grants[] =
                "INSERT INTO oauth_grants (id, user, client, client_name, redirect_host, resource, scope, created_at, "
                "last_used_at, expires_at) SELECT column1, (SELECT min(rid) FROM users), column1, '', '', '', '', 1, "
                "1, "
                "iif(column1 = 'gone', old, now) FROM c, (VALUES ('gone'), ('granted'), ('revoked'))";
        struct world *world = *state;
        int64_t now = clock_now();

        run_sql(world, clients, now);
        run_sql(world, grants, now);
        /* It was in use until now. */
        world_sql(world, "DELETE FROM oauth_grants WHERE id = 'revoked'");
        auto_json *told = preview(world, now);
        assert_int_equal(count_of(told, "client"), 1);
        runtime_retain(&world->runtime, world->db, now);
        assert_int_equal(world_number(world, "SELECT count(*) FROM oauth_clients"), 4);
        assert_int_equal(world_number(world, "SELECT count(*) FROM oauth_clients WHERE id = 'gone'"), 0);
        runtime_retain(&world->runtime, world->db, now + (DAYS + 1) * DAY_MS);
        assert_int_equal(world_number(world, "SELECT count(*) FROM oauth_clients WHERE used_at IS NOT NULL"), 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM oauth_clients"), 1);
}

/* Of a task that ended long ago, of one that just did, and of one that is gone; each ended long ago. */
static void reviews_go_with_what_they_were_of(void **state)
{
        static const char requests[] =
                "INSERT INTO judge_requests (id, origin, requester, source, environment, task_id, group_id, state, "
                "created_at, ended_at) SELECT column1 || t.id, column1, (SELECT min(rid) FROM users), '', "
                "t.environment, "
                "t.id, '', 'launched', 1, old FROM c, (VALUES ('request'), ('verification')), "
                "(SELECT id, environment FROM tasks UNION ALL SELECT 'gone', min(rid) FROM environments) t";
        static const char of_tasks[] =
                "INSERT INTO judge_request_tasks (request, position, task, task_id) SELECT r.rid, 0, "
                "coalesce((SELECT t.rid FROM tasks t WHERE t.id = r.task_id), 9999), r.task_id FROM c, judge_requests "
                "r";
        static const char loops[] =
                "INSERT INTO review_loops (id, owner, source, environment, task, task_id, group_id, max_rounds, "
                "min_priority, pulls_latest, phase, round, attempt, created_at, changed_at, stopped_at) "
                "SELECT 'loop' || t.id, (SELECT min(rid) FROM users), '', t.environment, t.rid, t.id, '', 1, 'high', "
                "0, "
                "'stopped', 1, 1, 1, old, old FROM c, "
                "(SELECT rid, id, environment FROM tasks UNION ALL SELECT 9999, 'gone', min(rid) FROM environments) t";
        struct world *world = *state;
        int64_t now = clock_now();
        auto_free char *old = world_task(world, world->dev, "main", "one"),
                       *fresh = world_task(world, world->dev, "main", "two");

        world_end(world, old, "", RUNNER_EXITED, 0);
        world_end(world, fresh, "", RUNNER_EXITED, 0);
        auto_free char *age = text_format("UPDATE tasks SET active_at = iif(id = '%s', %lld, %lld)", old,
                                          (long long)(now - 2 * DAYS * DAY_MS), (long long)now);
        world_sql(world, age);
        run_sql(world, requests, now);
        run_sql(world, of_tasks, now);
        run_sql(world, loops, now);
        auto_json *told = preview(world, now);
        /* An automatic one stays with its task, that there is no second. */
        assert_int_equal(count_of(told, "review_request"), 3);
        assert_int_equal(count_of(told, "review_loop"), 2);
        runtime_retain(&world->runtime, world->db, now);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests"), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_requests WHERE task_id = 'gone'"), 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM judge_request_tasks"), 3);
        assert_int_equal(world_number(world, "SELECT count(*) FROM review_loops"), 1);
}

static void runs_of_tests_that_expire_are_told(void **state)
{
        struct world *world = *state;
        int64_t now = clock_now();
        auto_free char *task = world_task(world, world->dev, "main", "one");

        world_end(world, task, "", RUNNER_EXITED, 0);
        run_sql(world,
                "INSERT INTO task_runs (id, task, kind, name, state, requested_at, ended_at) "
                "SELECT column1, (SELECT rid FROM tasks), 'test', 't', 'ended', 1, iif(column1 = 'old', old, now) "
                "FROM c, (VALUES ('old'), ('fresh'))",
                now);
        auto_json *told = preview(world, now), *later = preview(world, now + 31 * DAY_MS);
        assert_int_equal(count_of(told, "run"), 1);
        assert_int_equal(count_of(later, "run"), 2);
        runtime_retain(&world->runtime, world->db, now);
        auto_json *rest = preview(world, now);
        assert_int_equal(count_of(rest, "run"), 0);
        assert_int_equal(world_number(world, "SELECT count(*) FROM task_runs"), 1);
}

/* Versions `new`, which is current since 2 * DAYS ago, and `old`. */
static void make_versions(struct world *world, const char *folder, int64_t now)
{
        auto_free char *path = text_format("%s/%s", world->root, folder), *newer = path_join(path, "new"),
                       *older = path_join(path, "old"), *current = path_join(path, "current");
        struct timespec times[2] = {{.tv_sec = now / 1000 - 2 * DAYS * 86400},
                                    {.tv_sec = now / 1000 - 2 * DAYS * 86400}};
        auto_error error = {0};

        assert_true(path_make_folder(newer, 0755, &error) && path_make_folder(older, 0755, &error));
        assert_true(version_set_current(path, "old", &error) && version_set_current(path, "new", &error));
        assert_int_equal(utimensat(AT_FDCWD, current, times, AT_SYMLINK_NOFOLLOW), 0);
        assert_true(version_set_current(path, "new", &error));
}

static bool has(struct world *world, const char *path)
{
        auto_free char *whole = path_join(world->root, path);

        return access(whole, F_OK) == 0;
}

static void old_versions_go_once_no_container_has_them(void **state)
{
        struct world *world = *state;
        int64_t now = clock_now();
        auto_free char *task = world_task(world, world->dev, "main", "one");

        make_versions(world, "runners", now);
        make_versions(world, "agents/claude", now);
        world_end(world, task, "", RUNNER_EXITED, 0);
        world_sql(world, "UPDATE tasks SET active_at = 9000000000000");
        world_sql(world, "INSERT INTO resources (kind, handle, task, created_at, program) "
                         "SELECT 'container', 'c', rid, 1, 'old' FROM tasks");
        auto_json *kept = preview(world, now);
        assert_int_equal(count_of(kept, "runner") + count_of(kept, "agent_program"), 0);
        runtime_retain(&world->runtime, world->db, now);
        assert_true(has(world, "runners/old") && has(world, "agents/claude/old"));
        world_sql(world, "UPDATE resources SET created_at = 9000000000000, program = 'new'");
        auto_json *told = preview(world, now);
        assert_int_equal(count_of(told, "runner"), 1);
        assert_int_equal(count_of(told, "agent_program"), 1);
        /* A new version was current a short time ago. */
        runtime_retain(&world->runtime, world->db, now - DAYS * DAY_MS - DAY_MS);
        assert_true(has(world, "runners/old"));
        runtime_retain(&world->runtime, world->db, now);
        assert_false(has(world, "runners/old") || has(world, "agents/claude/old"));
        assert_true(has(world, "runners/new") && has(world, "agents/claude/new"));
        assert_true(has(world, "runners/current"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_unused_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_mirror_that_no_environment_names_goes_after_its_time),
                TEST(a_client_goes_when_its_grants_are_long_over),
                TEST(reviews_go_with_what_they_were_of),
                TEST(old_versions_go_once_no_container_has_them),
                TEST(runs_of_tests_that_expire_are_told),
        };

        return cmocka_run_group_tests_name("what nobody uses", tests, NULL, NULL);
}
