#include "tests/services/suites.h"
#include "tests/services/world.h"

#include <sys/stat.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/follow_up.h"
#include "server/services/pull.h"
#include "server/services/task_paths.h"
#include "server/services/write.h"

/* What is sent to a task that is busy, or for later. The turns themselves are ended by hand. */

#define SEND(...) ((struct task_follow_up_input){__VA_ARGS__})

static json_t *send(struct world *world, struct task_follow_up_input input)
{
        auto_error error = {0};
        json_t *result = world_follow_up(world, world->dev, input, &error);

        if (!result)
                fail_msg("%s: %s", error_kind(error.code)->code, error.message);
        return result;
}

/* Queues a text behind the turn that runs; the id of its entry, on the heap. */
static char *queue(struct world *world, const char *task, const char *text)
{
        auto_json *result = send(world, SEND(.taskId = task, .instructions = text, .queueIfBusy = true));

        assert_true(json_is_true(json_object_get(result, "queued")));
        return text_copy(member(result, "queuedFollowUpId"));
}

static json_t *listed(struct world *world, const struct actor *actor, const char *task)
{
        struct call call = world_call(world, actor);
        auto_error error = {0};
        json_t *result = NULL;

        assert_true(queue_list(&call, &(struct queue_list_input){.taskId = task, .limit = 25}, &result, &error));
        return result;
}

static json_t *entry(const json_t *list, size_t at)
{
        return must(json_array_get(json_object_get(list, "entries"), at));
}

static bool resume_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return queue_resume(call, input, result, error);
}

static json_t *resume(struct world *world, const char *task)
{
        struct call call = world_call(world, world->dev);
        struct queue_resume_input input = {task};
        auto_error error = {0};
        json_t *result = NULL;

        assert_true(call_write(&call, resume_work, &input, &result, &error));
        return result;
}

static bool edit_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return queue_entry_edit(call, input, result, error);
}

static bool send_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return queue_entry_send(call, input, result, error);
}

static json_t *change(struct world *world, const struct actor *actor, call_work *work, struct queue_entry_input input,
                      struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        input.pullLatest = -1;
        return call_write(&call, work, &input, &result, error) ? result : NULL;
}

struct due {
        const struct world *world;
        int64_t now, task;
};

static bool deliver_work(struct store_db *db, void *context, struct error *error)
{
        bool is_more;
        const struct due *due = context;

        return follow_up_deliver_due(&due->world->services, db, due->now, &is_more, error);
}

/* As the scheduler does when its time has come. */
static void deliver_due(struct world *world, int64_t now)
{
        struct due due = {world, now, 0};
        auto_error error = {0};

        assert_true(store_write(world->services.store, deliver_work, &due, &error));
}

static void assert_status(struct world *world, const char *id, const char *status)
{
        auto_store_task task = world_stored(world, id);

        assert_string_equal(task.status, status);
}

static void a_busy_task_queues_only_what_may_be_queued(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        auto_error error = {0};

        assert_null(world_follow_up(world, world->dev, SEND(.taskId = task, .instructions = "x"), &error));
        assert_code(error, "task_busy");
        auto_json *result = send(world, SEND(.taskId = task, .instructions = "second", .queueIfBusy = true));
        assert_int_equal(document_get_integer(result, "position", 0), 1);
        assert_true(json_is_null(json_object_get(result, "turnIndex")));
        assert_int_equal(document_get_integer(json_object_get(result, "task"), "queuedFollowUps", 0), 1);
        auto_json *list = listed(world, world->viewer, task);
        assert_string_equal(member(entry(list, 0), "preview"), "second");
        assert_int_equal(document_get_integer(entry(list, 0), "turn", 0), 2);
        assert_false(json_is_true(json_object_get(entry(list, 0), "removable")));
        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "second");
        assert_string_equal(turn.state, "launching");
        auto_json *empty = listed(world, world->dev, task);
        assert_string_equal(member(empty, "status"), "empty");
}

static void what_is_queued_by_one_person_becomes_one_turn(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first"), *one = queue(world, task, "one"),
                       *two = queue(world, task, "two");
        auto_error error = {0};

        json_decref(must(world_follow_up(world, world->admin,
                                         SEND(.taskId = task, .instructions = "other", .queueIfBusy = true), &error)));
        auto_free char *four = queue(world, task, "four");
        auto_json *list = listed(world, world->dev, task);
        static const int64_t turns[] = {2, 2, 3, 4};
        for (size_t i = 0; i < COUNT_OF(turns); i++)
                assert_int_equal(document_get_integer(entry(list, i), "turn", 0), turns[i]);
        assert_true(json_is_true(json_object_get(entry(list, 0), "editable")));
        assert_false(json_is_true(json_object_get(entry(list, 2), "editable")));
        static const char *const texts[] = {"one\n\ntwo", "other", "four"};
        for (size_t i = 0; i < COUNT_OF(texts); i++) {
                world_end(world, task, "", RUNNER_EXITED, 0);
                auto_store_turn turn = world_turn(world, task);
                assert_string_equal(turn.shown, texts[i]);
                assert_int_equal(turn.ordinal, i + 2);
        }
        assert_int_equal(world_number(world, "SELECT count(*) FROM follow_ups WHERE state = 'delivered'"), 4);
        assert_int_equal(world_number(world, "SELECT count(DISTINCT turn) FROM follow_ups"), 3);
        assert_int_equal(world_number(world, "SELECT follow_up_count FROM tasks"), 3);
}

static void a_turn_that_fails_pauses_the_queue_until_it_is_resumed(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first"), *one = queue(world, task, "one");

        world_end(world, task, "", RUNNER_EXITED, 3);
        assert_status(world, task, "failed");
        auto_json *list = listed(world, world->dev, task);
        assert_true(json_is_true(json_object_get(list, "paused")));
        assert_string_equal(member(list, "pauseReason"), "turn_failed");
        assert_true(json_is_true(json_object_get(entry(list, 0), "paused")));
        /* What is sent to the idle task goes past the paused queue. */
        json_decref(send(world, SEND(.taskId = task, .instructions = "now", .queueIfBusy = true)));
        auto_store_turn now = world_turn(world, task);
        assert_string_equal(now.shown, "now");
        world_end(world, task, "", RUNNER_EXITED, 0);
        assert_status(world, task, "completed");
        auto_json *resumed = resume(world, task);
        assert_true(json_is_true(json_object_get(resumed, "resumed")));
        assert_string_equal(member(resumed, "status"), "running");
        auto_store_turn next = world_turn(world, task);
        assert_string_equal(next.shown, "one");
        auto_json *again = resume(world, task);
        assert_false(json_is_true(json_object_get(again, "resumed")));
}

static void an_interrupt_pauses_the_queue_or_sends_it(void **state)
{
        struct world *world = *state;
        auto_free char *paused = world_task(world, world->dev, "main", "first"), *one = queue(world, paused, "one"),
                       *sent = world_task(world, world->dev, "main", "first"), *two = queue(world, sent, "two");

        world_sql(world, "UPDATE turns SET stop_kind = 'interrupt', stop_user = 'dev'");
        auto_free char *sql = text_format("UPDATE turns SET stop_queue = 'send_queued' WHERE task = "
                                          "(SELECT rid FROM tasks WHERE id = '%s')",
                                          sent);
        world_sql(world, sql);
        world_end(world, paused, "", RUNNER_INTERRUPTED, -1);
        world_end(world, sent, "", RUNNER_INTERRUPTED, -1);
        assert_status(world, paused, "interrupted");
        assert_status(world, sent, "running");
        auto_json *list = listed(world, world->dev, paused);
        assert_string_equal(member(list, "pauseReason"), "interrupted");
        assert_string_equal(member(list, "pausedBy"), "dev");
        auto_store_turn turn = world_turn(world, sent);
        assert_string_equal(turn.shown, "two");
}

static void an_interrupted_task_that_waits_for_a_slot_goes_on_with_its_queue_if_wanted(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        world_concurrency(1);
        auto_free char *running = world_task(world, world->dev, "main", "x"),
                       *task = world_task(world, world->dev, "main", "first"), *one = queue(world, task, "one");
        struct call call = world_call(world, world->dev);
        json_t *result = NULL;
        assert_true(task_interrupt(&call, &(struct task_interrupt_input){task, "send_queued"}, &result, &error));
        json_decref(result);
        assert_status(world, task, "queued");
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "one");
        call = world_call(world, world->dev);
        assert_true(task_interrupt(&call, &(struct task_interrupt_input){task, NULL}, &result, &error));
        json_decref(result);
        assert_status(world, task, "interrupted");
}

static void a_retry_is_told_what_became_of_the_first(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        struct task_follow_up_input input =
                SEND(.taskId = task, .instructions = "one", .queueIfBusy = true, .idempotencyKey = "k");
        auto_error error = {0};

        auto_json *first = send(world, input), *second = send(world, input);
        assert_string_equal(member(first, "queuedFollowUpId"), member(second, "queuedFollowUpId"));
        assert_int_equal(world_number(world, "SELECT count(*) FROM follow_ups"), 1);
        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_json *third = send(world, input);
        assert_null(json_object_get(third, "queued"));
        assert_int_equal(document_get_integer(third, "turnIndex", 0), 2);
        input.instructions = "two";
        assert_null(world_follow_up(world, world->dev, input, &error));
        assert_code(error, "idempotency_conflict");
        input.idempotencyKey = "l";
        auto_json *fourth = send(world, input);
        struct queue_entry_input entry = {.taskId = task, .entryId = member(fourth, "queuedFollowUpId"), .version = 1};
        struct call call = world_call(world, world->dev);
        auto_json *removed = NULL;
        error_clear(&error);
        assert_true(queue_entry_remove(&call, &entry, &removed, &error));
        auto_json *fifth = send(world, input);
        assert_null(json_object_get(fifth, "queued"));
        assert_true(json_is_null(json_object_get(fifth, "turnIndex")));
        assert_string_equal(member(fifth, "followUpState"), "removed");
}

static void an_entry_is_changed_only_by_its_version_and_its_sender(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first"), *one = queue(world, task, "one"),
                       *two = queue(world, task, "two");
        struct queue_entry_input input = {.taskId = task, .entryId = one, .version = 1, .instructions = "better"};
        auto_error error = {0};

        assert_null(change(world, world->admin, edit_work, input, &error));
        assert_code(error, "permission_denied");
        error_clear(&error);
        auto_json *edited = must(change(world, world->dev, edit_work, input, &error));
        assert_string_equal(member(edited, "preview"), "better");
        assert_int_equal(document_get_integer(edited, "version", 0), 2);
        assert_null(change(world, world->dev, edit_work, input, &error));
        assert_code(error, "version_conflict");
        error_clear(&error);
        struct call call = world_call(world, world->admin);
        json_t *removed = NULL;
        assert_true(queue_entry_remove(&call, &(struct queue_entry_input){.taskId = task, .entryId = two, .version = 1},
                                       &removed, &error));
        json_decref(removed);
        assert_false(queue_entry_remove(
                &call, &(struct queue_entry_input){.taskId = task, .entryId = two, .version = 2}, &removed, &error));
        assert_code(error, "follow_up_not_found");
        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "better");
}

static void files_wait_with_their_follow_up_and_are_the_turns_then(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        struct attachment_input files[] = {{"a.txt", "A", "utf8", NULL}}, others[] = {{"b.txt", "B", "utf8", NULL}};
        struct task_follow_up_input input =
                SEND(.taskId = task, .instructions = "one", .queueIfBusy = true, .attachments = {files, 1});

        json_decref(send(world, input));
        input.attachments.items = others;
        input.instructions = "two";
        json_decref(send(world, input));
        json_decref(send(world, input)); /* a second b.txt needs a turn of its own */
        upload_sweep(&world->services, world->db);
        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_store_turn turn = world_turn(world, task);
        assert_non_null(strstr(turn.shown, "attachments/a.txt"));
        assert_non_null(strstr(turn.shown, "attachments/b.txt"));
        auto_store_attachments attached = {0};
        auto_error error = {0};
        assert_true(store_attachment_list(world->db, turn.rid, &attached, &error));
        assert_int_equal(attached.count, 2);
        auto_free char *output = task_path_output(world->root, task), *file = path_join(output, "attachments/b.txt");
        auto_text content = TEXT_WITH_MAXIMUM(100);
        assert_true(path_make_folder(output, 0755, &error));
        assert_true(upload_deliver(&world->services, task, &attached, &error));
        assert_true(path_read(file, 100, &content, NULL, &error));
        assert_string_equal(text_string(&content), "B");
        assert_int_equal(world_number(world, "SELECT count(*) FROM follow_up_attachments"), 1);
}

static void a_time_is_taken_only_with_its_offset_and_within_thirty_days(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        static const struct {
                const char *at;
                int64_t minutes;
                const char *code;
        } cases[] = {
                {"2026-10-28T12:00:00", 0, "invalid_deliver_at"},
                {"2026-10-28", 0, "invalid_deliver_at"},
                {"tomorrow", 0, "invalid_deliver_at"},
                {"2001-10-28T12:00:00-04:00", 0, "deliver_at_in_past"},
                {"2999-10-28T12:00:00Z", 0, "deliver_at_too_far"},
                {NULL, 43201, "deliver_at_too_far"},
                {"2999-10-28T12:00:00Z", 5, "invalid_deliver_at"},
        };

        for (size_t i = 0; i < COUNT_OF(cases); i++) {
                auto_error error = {0};
                assert_null(world_follow_up(world, world->dev,
                                            SEND(.taskId = task, .instructions = "x", .deliverAt = cases[i].at,
                                                 .deliverInMinutes = cases[i].minutes),
                                            &error));
                assert_code(error, cases[i].code);
        }
        for (int i = 0; i < SCHEDULE_MAXIMUM; i++)
                json_decref(send(world, SEND(.taskId = task, .instructions = "x", .deliverInMinutes = 43200)));
        auto_error error = {0};
        assert_null(world_follow_up(world, world->dev, SEND(.taskId = task, .instructions = "x", .deliverInMinutes = 1),
                                    &error));
        assert_code(error, "schedule_full");
}

static void what_is_scheduled_is_delivered_once_by_the_rules_of_the_queue(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        struct task_follow_up_input input =
                SEND(.taskId = task, .instructions = "later", .deliverInMinutes = 30, .idempotencyKey = "k");
        auto_json *result = send(world, input);

        assert_true(json_is_true(json_object_get(result, "scheduled")));
        assert_int_equal(document_get_integer(json_object_get(result, "task"), "scheduledFollowUps", 0), 1);
        assert_string_equal(member(json_object_get(result, "task"), "nextScheduledFollowUpAt"),
                            member(result, "deliverAt"));
        deliver_due(world, world->now + 60000);
        auto_json *list = listed(world, world->dev, task);
        assert_string_equal(member(entry(list, 0), "state"), "scheduled");
        deliver_due(world, world->now + 31 * 60000);
        auto_json *queued = listed(world, world->dev, task);
        assert_string_equal(member(entry(queued, 0), "state"), "queued");
        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "later");
        assert_string_equal(turn.kind, "scheduled");
        world_end(world, task, "", RUNNER_EXITED, 0);
        deliver_due(world, world->now + 365 * INT64_C(86400000));
        assert_status(world, task, "completed");
        auto_json *again = send(world, input);
        assert_string_equal(member(again, "scheduledFollowUpId"), member(result, "scheduledFollowUpId"));
        assert_string_equal(member(again, "followUpState"), "delivered");
}

static void a_scheduled_one_is_sent_early_or_moved(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        auto_error error = {0};

        world_end(world, task, "", RUNNER_EXITED, 0);
        auto_json *one = send(world, SEND(.taskId = task, .instructions = "one", .deliverInMinutes = 30)),
                  *two = send(world, SEND(.taskId = task, .instructions = "two", .deliverInMinutes = 30));
        struct queue_entry_input input = {
                .taskId = task, .entryId = member(one, "scheduledFollowUpId"), .version = 1, .deliverInMinutes = 60};
        auto_json *moved = must(change(world, world->dev, edit_work, input, &error));
        assert_string_not_equal(member(moved, "deliverAt"), member(one, "deliverAt"));
        auto_json *list = listed(world, world->dev, task);
        assert_string_equal(member(entry(list, 0), "preview"), "two");
        input = (struct queue_entry_input){.taskId = task, .entryId = member(one, "scheduledFollowUpId"), .version = 2};
        auto_json *sent = must(change(world, world->dev, send_work, input, &error));
        assert_string_equal(member(sent, "state"), "delivered");
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "one");
        assert_status(world, task, "running");
}

static void who_lost_access_does_not_send_any_more(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");

        json_decref(send(world, SEND(.taskId = task, .instructions = "later", .deliverInMinutes = 30)));
        world_end(world, task, "", RUNNER_EXITED, 0);
        world_sql(world, "DELETE FROM bindings WHERE user = (SELECT rid FROM users WHERE name = 'dev')");
        deliver_due(world, world->now + 31 * 60000);
        assert_status(world, task, "completed");
        auto_json *list = listed(world, world->admin, task);
        assert_string_equal(member(list, "pauseReason"), "sender_denied");
        assert_string_equal(member(entry(list, 0), "state"), "queued");
}

static void a_task_wakes_itself_with_a_heading_that_only_its_agent_reads(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        struct actor self = *world->dev;
        auto_error error = {0};

        snprintf(self.task_id, sizeof self.task_id, "%s", task);
        assert_null(
                world_follow_up(world, &self, SEND(.taskId = task, .instructions = "x", .queueIfBusy = true), &error));
        assert_code(error, "invalid_input");
        error_clear(&error);
        json_decref(must(world_follow_up(
                world, &self, SEND(.taskId = task, .instructions = "look again", .deliverInMinutes = 5), &error)));
        world_end(world, task, "", RUNNER_EXITED, 0);
        deliver_due(world, world->now + 6 * 60000);
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "look again");
        assert_non_null(strstr(turn.given, "Scheduled wake-up you set at 20"));
        assert_non_null(strstr(turn.given, "\n\nlook again"));
}

static bool pulled_work(struct store_db *db, void *context, struct error *error)
{
        const struct due *due = context;

        return follow_up_next_pulled(&due->world->services, db, due->task, due->now, error);
}

static void what_wants_upstream_changes_waits_for_their_pull(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first"), *plain = queue(world, task, "one");
        struct due due = {world, world->now, world_number(world, "SELECT rid FROM tasks")};
        auto_error error = {0};

        json_decref(send(world, SEND(.taskId = task, .instructions = "two", .queueIfBusy = true, .pullLatest = true)));
        auto_json *list = listed(world, world->dev, task);
        assert_true(json_is_true(json_object_get(entry(list, 1), "pullLatest")));
        world_end(world, task, "", RUNNER_EXITED, 0);
        assert_status(world, task, "completed");
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs WHERE kind = 'pull'"), 1);
        json_decref(resume(world, task));
        assert_int_equal(world_number(world, "SELECT count(*) FROM jobs WHERE kind = 'pull'"), 1);
        assert_true(store_write(world->services.store, pulled_work, &due, &error));
        auto_store_turn turn = world_turn(world, task);
        assert_string_equal(turn.shown, "one\n\ntwo");
        assert_status(world, task, "running");
}

/* It was idle when the follow-up came; another one was quicker. */
static void a_task_that_has_begun_to_work_is_not_pulled_under_its_turn(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        auto_store_task stored = world_stored(world, task);
        auto_error error = {0};
        bool is_pulled = true;

        assert_true(pull_before_turn(&world->services, world->db, stored.rid, &is_pulled, &error));
        assert_false(is_pulled);
        assert_true(runtime_try_lock_task(&world->runtime, stored.rid));
        assert_false(pull_before_turn(&world->services, world->db, stored.rid, &is_pulled, &error));
        assert_code(error, "task_source_busy");
        runtime_unlock_task(&world->runtime, stored.rid);
}

static bool shift_work(struct store_db *db, void *context, struct error *error)
{
        return store_follow_up_shift(db, *(int64_t *)context, error);
}

static void a_delay_moves_with_the_clock_and_a_time_of_day_does_not(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        char at[CLOCK_ISO_SIZE];
        int64_t step = 3600000;
        auto_error error = {0};

        clock_format(world->now + 1800000, at);
        json_decref(send(world, SEND(.taskId = task, .instructions = "delay", .deliverInMinutes = 30)));
        json_decref(send(world, SEND(.taskId = task, .instructions = "time", .deliverAt = at)));
        int64_t before = world_number(world, "SELECT deliver_at FROM follow_ups WHERE instructions = 'delay'");
        assert_true(store_write(world->services.store, shift_work, &step, &error));
        assert_int_equal(world_number(world, "SELECT deliver_at FROM follow_ups WHERE instructions = 'delay'"),
                         before + step);
        auto_json *list = listed(world, world->dev, task);
        assert_string_equal(member(entry(list, 0), "deliverAt"), at);
}

static void a_container_with_scheduled_follow_ups_is_stopped_but_not_removed(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first");
        auto_error error = {0};

        world_end(world, task, "", RUNNER_EXITED, 0);
        world_sql(world, "INSERT INTO resources (kind, handle, task, created_at, stopped_at) "
                         "SELECT 'container', 'c', rid, 1, 1 FROM tasks");
        json_decref(send(world, SEND(.taskId = task, .instructions = "later", .deliverInMinutes = 30)));
        runtime_retain(&world->runtime, world->db, world->now + 365 * INT64_C(86400000));
        assert_int_equal(world_number(world, "SELECT count(*) FROM resources"), 1);
        number_set_lock(&world->runtime, &world->runtime.tasks_put_away, world_number(world, "SELECT rid FROM tasks"));
        assert_null(world_follow_up(world, world->dev,
                                    SEND(.taskId = task, .instructions = "more", .deliverInMinutes = 30), &error));
        assert_code(error, "task_source_busy");
        number_set_unlock(&world->runtime, &world->runtime.tasks_put_away,
                          world_number(world, "SELECT rid FROM tasks"));
}

static void a_queue_is_told_without_secret_values_or_not_at_all(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "first"), *plain = NULL, *leaky = NULL;
        auto_error error = {0};

        world_credentials(world, "https://a:hunter-22@host\n");
        plain = queue(world, task, "look");
        leaky = queue(world, task, "use hunter-22");
        auto_json *list = listed(world, world->dev, task);
        assert_true(json_is_false(json_object_get(entry(list, 0), "redacted")));
        assert_string_equal(member(entry(list, 1), "preview"), "use [redacted]");
        assert_true(json_is_true(json_object_get(entry(list, 1), "redacted")));
        assert_int_equal(unlink(world->credentials), 0);
        assert_int_equal(mkdir(world->credentials, 0700), 0);
        auto_json *unreadable = listed(world, world->dev, task);
        assert_string_equal(member(unreadable, "status"), "unavailable");
        assert_string_equal(member(unreadable, "reason"), "secret_values_unavailable");
        assert_int_equal(json_array_size(json_object_get(unreadable, "entries")), 0);
        assert_true(json_is_false(json_object_get(unreadable, "paused")));
        assert_true(path_remove_tree(world->credentials, &error));
}

int run_follow_up_tests(void)
{
        const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)
                TEST(a_queue_is_told_without_secret_values_or_not_at_all),
                TEST(a_busy_task_queues_only_what_may_be_queued),
                TEST(what_is_queued_by_one_person_becomes_one_turn),
                TEST(a_turn_that_fails_pauses_the_queue_until_it_is_resumed),
                TEST(an_interrupt_pauses_the_queue_or_sends_it),
                TEST(an_interrupted_task_that_waits_for_a_slot_goes_on_with_its_queue_if_wanted),
                TEST(a_retry_is_told_what_became_of_the_first),
                TEST(an_entry_is_changed_only_by_its_version_and_its_sender),
                TEST(files_wait_with_their_follow_up_and_are_the_turns_then),
                TEST(a_time_is_taken_only_with_its_offset_and_within_thirty_days),
                TEST(what_is_scheduled_is_delivered_once_by_the_rules_of_the_queue),
                TEST(a_scheduled_one_is_sent_early_or_moved),
                TEST(who_lost_access_does_not_send_any_more),
                TEST(a_task_wakes_itself_with_a_heading_that_only_its_agent_reads),
                TEST(what_wants_upstream_changes_waits_for_their_pull),
                TEST(a_task_that_has_begun_to_work_is_not_pulled_under_its_turn),
                TEST(a_delay_moves_with_the_clock_and_a_time_of_day_does_not),
                TEST(a_container_with_scheduled_follow_ups_is_stopped_but_not_removed),
#undef TEST
        };

        return cmocka_run_group_tests_name("follow-ups", tests, NULL, NULL);
}
