#include "tests/services/reviewing.h"

#include "server/services/reader.h"
#include "server/services/review_watch.h"

const struct review_loop_options reviewing_usual = {.maxRounds = 3, .minFeedbackPriority = "medium"};

char *reviewing_task(struct world *world, const char *environment)
{
        char *task = world_task(world, world->dev, environment, "true");

        world_end(world, task, "done", RUNNER_EXITED, 0);
        return task;
}

struct judge_order reviewing_order(const char *task)
{
        return (struct judge_order){.task_id = task, .reviewers = {{.agent = "shell"}}, .reviewer_count = 1};
}

char *reviewing_begin(struct world *world, const char *task, struct review_loop_options options)
{
        struct call call = world_call(world, world->dev);
        struct judge_order order = reviewing_order(task);
        char id[ID_SIZE];
        struct review_loop_start start = {&order, options, id};
        struct judge_launched launched;
        auto_error error = {0};

        review_loop_new_id(id);
        order.recorded = review_loop_recorded;
        order.context = &start;
        if (!judge_launch(&call, &order, &launched, &error))
                fail_msg("%s: %s", error_kind(error.code)->code, error.message);
        return text_copy(id);
}

json_t *reviewing_loop(struct world *world, const char *task)
{
        struct call call = world_call(world, world->dev);
        auto_error error = {0};
        json_t *view = NULL;

        assert_true(review_loop_get(&call, &(struct review_loop_get_input){task}, &view, &error));
        return view;
}

void assert_loop(struct world *world, const char *task, const char *phase, const char *reason)
{
        auto_json *view = reviewing_loop(world, task);
        const char *stopped = document_get_string(view, "stopReason");

        assert_string_equal(member(view, "phase"), phase);
        assert_string_equal(stopped ? stopped : "", reason);
        assert_int_equal(json_is_true(json_object_get(view, "holdsNotifications")), !*reason);
}

char *reviewing_judge(struct world *world, const char *task)
{
        auto_json *view = reviewing_loop(world, task);
        const json_t *reviews = json_object_get(view, "reviews");

        return text_copy(member(json_array_get(reviews, json_array_size(reviews) - 1), "taskId"));
}

void reviewing_advance(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};
        bool is_again = false;

        if (!judge_pending_advance(&world->services, world->db, stored.rid, &is_again, &error) ||
            !review_loop_advance(&world->services, world->db, stored.rid, &is_again, &error))
                fail_msg("%s: %s", error_kind(error.code)->code, error.message);
        assert_false(is_again);
}

int64_t reviewing_jobs(struct world *world, const char *task)
{
        auto_store_task stored = world_stored(world, task);
        auto_free char *sql =
                text_format("SELECT count(*) FROM jobs WHERE kind = 'review' AND task = %lld", (long long)stored.rid);

        return world_number(world, sql);
}

void reviewing_forget_jobs(struct world *world)
{
        world_sql(world, "DELETE FROM jobs WHERE kind = 'review'");
}

void reviewing_end(struct world *world, const char *task)
{
        reviewing_forget_jobs(world);
        world_end(world, task, "better", RUNNER_EXITED, 0);
        assert_int_equal(reviewing_jobs(world, task), 1);
        reviewing_advance(world, task);
}

void reviewing_restart(struct world *world)
{
        auto_error error = {0};

        services_reader_close();
        store_reader_close(world->db);
        environments_close(world->services.environments);
        store_close(world->services.store);
        assert_non_null(world->services.store = store_open(world->root, &error));
        assert_non_null(world->services.environments = environments_open(world->services.store, world->setup, &error));
        assert_non_null(world->db = store_reader_open(world->services.store, &error));
        review_take_up(&world->services, world->db);
}

char *reviewing_variant(struct world *world, const char *task)
{
        auto_error error = {0};
        auto_json *made = must(world_create(world, world->dev, NEW_TASK(.sourceTaskId = task), &error));

        return text_copy(member(made, "taskId"));
}
