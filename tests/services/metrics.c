#include "tests/services/suites.h"
#include "tests/cmocka.h"

#include <time.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/engine.h"
#include "server/services/health.h"
#include "server/services/metrics.h"
#include "server/store/environment.h"
#include "server/store/task.h"

struct fixture {
        char root[64];
        struct services services;
        struct store_db *db;
};

static int set_up(void **state)
{
        struct fixture *fixture = memory_new(sizeof *fixture);
        auto_error error = {0};

        strcpy(fixture->root, "/tmp/longshore-metrics-XXXXXX");
        assert_non_null(mkdtemp(fixture->root));
        fixture->services.store = store_open(fixture->root, &error);
        assert_non_null(fixture->services.store);
        fixture->db = store_reader_open(fixture->services.store, &error);
        assert_non_null(fixture->db);
        *state = fixture;
        return 0;
}

static int tear_down(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        store_reader_close(fixture->db);
        store_close(fixture->services.store);
        assert_true(path_remove_tree(fixture->root, &error));
        free(fixture);
        return 0;
}

/* The value of the sample whose line begins with the text. */
static double sample(struct fixture *fixture, const char *series)
{
        auto_text out = TEXT_WITH_MAXIMUM(1 << 20);
        auto_error error = {0};

        assert_true(metrics_print(&fixture->services, fixture->db, &out, &error));
        auto_free char *wanted = text_format("\n%s ", series);
        const char *found = strstr(text_string(&out), wanted);
        return found ? strtod(found + strlen(wanted), NULL) : -1;
}

static bool add_task(struct store_db *db, void *context, struct error *error)
{
        auto_store_environment environment = {0};
        int64_t rid;

        (void)context;
        if (!store_environment_ensure(db, "demo", 1, &environment, error))
                return false;
        struct store_task_new task = {.id = "1-aaaaaaaaa",
                                      .status = "queued",
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "mcp",
                                      .branches = "{}",
                                      .environment = environment.rid,
                                      .created_at = 1};
        return store_task_add(db, &task, &rid, error);
}

static void tasks_are_counted_by_status_and_every_status_is_there(void **state)
{
        struct fixture *fixture = *state;
        auto_error error = {0};

        assert_int_equal(sample(fixture, "longshore_tasks{status=\"queued\"}"), 0);
        assert_true(store_write(fixture->services.store, add_task, NULL, &error));
        assert_int_equal(sample(fixture, "longshore_tasks{status=\"queued\"}"), 1);
        assert_int_equal(sample(fixture, "longshore_tasks{status=\"running\"}"), 0);
        assert_int_equal(sample(fixture, "longshore_queue_length"), 1);
        assert_int_equal(sample(fixture, "longshore_commits_total"), 1);
        assert_int_equal(sample(fixture, "longshore_commit_works_total"), 1);
        assert_true(sample(fixture, "longshore_store_bytes{file=\"database\"}") > 0);
}

static void an_observation_is_in_every_bucket_that_reaches_it(void **state)
{
        struct fixture *fixture = *state;
        double before = sample(fixture, "longshore_launch_seconds_count");
        double sum = sample(fixture, "longshore_launch_seconds_sum");
        double small = sample(fixture, "longshore_launch_seconds_bucket{le=\"0.025\"}");
        double exact = sample(fixture, "longshore_launch_seconds_bucket{le=\"0.05\"}");
        double largest = sample(fixture, "longshore_launch_seconds_bucket{le=\"60\"}");

        metrics_observe(METRIC_LAUNCH_SECONDS, 50);
        metrics_observe(METRIC_LAUNCH_SECONDS, 60001);
        assert_int_equal(sample(fixture, "longshore_launch_seconds_bucket{le=\"0.025\"}"), small);
        assert_int_equal(sample(fixture, "longshore_launch_seconds_bucket{le=\"0.05\"}"), exact + 1);
        assert_int_equal(sample(fixture, "longshore_launch_seconds_bucket{le=\"60\"}"), largest + 1);
        assert_int_equal(sample(fixture, "longshore_launch_seconds_bucket{le=\"+Inf\"}"), before + 2);
        assert_int_equal(sample(fixture, "longshore_launch_seconds_count"), before + 2);
        assert_int_equal(1000 * (sample(fixture, "longshore_launch_seconds_sum") - sum) + 0.5, 60051);
}

static void counters_grow(void **state)
{
        struct fixture *fixture = *state;
        double before = sample(fixture, "longshore_engine_errors_total");

        metrics_count(METRIC_ENGINE_ERRORS, 2);
        assert_int_equal(sample(fixture, "longshore_engine_errors_total"), before + 2);
}

static void requests_are_counted_by_route_and_status(void **state)
{
        struct fixture *fixture = *state;
        static const char pattern[] = "/tasks/:id", same[] = "/tasks/:id";

        metrics_http(pattern, 200);
        metrics_http(same, 200);
        metrics_http(pattern, 404);
        metrics_http(NULL, 404);
        metrics_http(pattern, 0);
        metrics_http(pattern, 7000);
        assert_int_equal(sample(fixture, "longshore_http_requests_total{route=\"/tasks/:id\",status=\"200\"}"), 2);
        assert_int_equal(sample(fixture, "longshore_http_requests_total{route=\"/tasks/:id\",status=\"404\"}"), 1);
        assert_int_equal(sample(fixture, "longshore_http_requests_total{route=\"/tasks/:id\",status=\"aborted\"}"), 1);
        assert_true(sample(fixture, "longshore_http_requests_total{route=\"none\",status=\"404\"}") >= 1);
}

static void the_process_tells_its_memory_and_start(void **state)
{
        struct fixture *fixture = *state;
        double start = sample(fixture, "process_start_time_seconds");

        assert_true(sample(fixture, "process_resident_memory_bytes") > 100000);
        assert_true(start > 1e9 && start <= (double)time(NULL) + 1);
        assert_true(start > (double)time(NULL) - 3600);
        assert_true(sample(fixture, "process_start_time_seconds") == start);
}

static void every_sample_stands_under_its_type(void **state)
{
        struct fixture *fixture = *state;
        auto_text out = TEXT_WITH_MAXIMUM(1 << 20);
        auto_error error = {0};
        char name[128] = "";
        char *rest;

        assert_true(metrics_print(&fixture->services, fixture->db, &out, &error));
        auto_free char *copy = text_take(&out);
        assert_int_equal(copy[strlen(copy) - 1], '\n');
        for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
                if (sscanf(line, "# TYPE %100s", name) == 1 || !strncmp(line, "# HELP ", 7))
                        continue;
                assert_int_equal(strncmp(line, name, strlen(name)), 0);
                assert_non_null(strrchr(line, ' '));
        }
}

static void the_server_is_healthy_only_with_its_engine(void **state)
{
        struct fixture *fixture = *state;

        engine_state_set(false, NULL, "no answer on /var/run/docker.sock");
        auto_json *down = health_report(&fixture->services);
        assert_string_equal(document_get_string(down, "status"), "degraded");
        assert_string_equal(document_get_string(down, "version"), LONGSHORE_VERSION);
        json_t *engine = json_object_get(down, "engine");
        assert_true(json_is_false(json_object_get(engine, "reachable")));
        assert_string_equal(document_get_string(engine, "message"), "no answer on /var/run/docker.sock");
        assert_null(json_object_get(engine, "version"));

        engine_state_set(true, "20.10.24", "left over");
        auto_json *up = health_report(&fixture->services);
        json_t *store = json_object_get(up, "store");
        bool is_low = json_is_true(json_object_get(store, "diskLow"));
        assert_true(json_is_true(json_object_get(store, "writable")));
        assert_string_equal(document_get_string(up, "status"), is_low ? "degraded" : "ok");
        engine = json_object_get(up, "engine");
        assert_string_equal(document_get_string(engine, "version"), "20.10.24");
        assert_null(json_object_get(engine, "message"));
}

static void an_engine_message_is_cut_at_a_character(void **state)
{
        char message[400];
        struct engine_state got;

        (void)state;
        for (size_t i = 0; i + 2 < sizeof message; i += 2)
                memcpy(message + i, "\xc3\xa9", 2);
        message[sizeof message - 2] = '\0';
        engine_state_set(false, NULL, message);
        engine_state_get(&got);
        assert_true(utf8_is_valid(got.message, strlen(got.message)));
        assert_true(strlen(got.message) >= sizeof got.message - 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int run_metrics_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(tasks_are_counted_by_status_and_every_status_is_there),
                TEST(an_observation_is_in_every_bucket_that_reaches_it),
                TEST(counters_grow),
                TEST(requests_are_counted_by_route_and_status),
                TEST(the_process_tells_its_memory_and_start),
                TEST(every_sample_stands_under_its_type),
                TEST(the_server_is_healthy_only_with_its_engine),
                cmocka_unit_test(an_engine_message_is_cut_at_a_character),
        };

        return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
