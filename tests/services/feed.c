/* Listeners are told everything once, in order, and only what they may see. */
#include "server/services/feed.h"

#include <pthread.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/services/follow_up.h"
#include "server/services/write.h"
#include "server/store/pin.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

#define WAIT_SECONDS 20
#define TOLD_MAXIMUM 256

struct told {
        char id[48], name[16];
        json_t *data;
};

/* What one listener was told. `room` is how many more events it takes; negative for any number. */
struct listener {
        struct told told[TOLD_MAXIMUM];
        size_t count;
        int room;
        bool was_refused, is_ended, is_released;
        struct feed_subscription *subscription;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static bool take_event(void *to, const char *id, const char *name, const char *data, size_t length)
{
        struct listener *listener = to;
        auto_error error = {0};

        pthread_mutex_lock(&lock);
        bool has_room = listener->room && listener->count < TOLD_MAXIMUM;
        if (has_room) {
                struct told *told = &listener->told[listener->count++];
                snprintf(told->id, sizeof told->id, "%s", id ? id : "");
                snprintf(told->name, sizeof told->name, "%s", name);
                told->data = document_parse(data, length, &error);
                listener->room--;
        }
        listener->was_refused = listener->was_refused || !has_room;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        return has_room;
}

static void mark(bool *flag)
{
        pthread_mutex_lock(&lock);
        *flag = true;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
}

static void end(void *to)
{
        mark(&((struct listener *)to)->is_ended);
}

static void release(void *to)
{
        mark(&((struct listener *)to)->is_released);
}

static const struct feed_sink sink = {take_event, end, release};

/* Waits for the condition, under the lock. */
#define AWAIT(condition)                                                                                               \
        do {                                                                                                           \
                struct timespec limit;                                                                                 \
                int failure = 0;                                                                                       \
                clock_gettime(CLOCK_REALTIME, &limit);                                                                 \
                limit.tv_sec += WAIT_SECONDS;                                                                          \
                pthread_mutex_lock(&lock);                                                                             \
                while (!(condition) && !failure)                                                                       \
                        failure = pthread_cond_timedwait(&changed, &lock, &limit);                                     \
                pthread_mutex_unlock(&lock);                                                                           \
                assert_int_equal(failure, 0);                                                                          \
        } while (0)

static struct listener *begin(struct listener *listener, struct feed_subscription *subscription)
{
        assert_non_null(subscription);
        listener->subscription = subscription;
        feed_begin(subscription);
        return listener;
}

static struct listener *listen_to_changes(struct world *world, const struct actor *actor, const char *after, int room)
{
        struct listener *listener = memory_new(sizeof *listener);
        auto_error error = {0};

        listener->room = room;
        return begin(listener, feed_subscribe_changes(world->services.feed, actor, after, &sink, listener, &error));
}

static struct listener *listen_to_task(struct world *world, const struct actor *actor, const char *task_id,
                                       const char *after, int room)
{
        struct listener *listener = memory_new(sizeof *listener);
        auto_error error = {0};

        listener->room = room;
        return begin(listener, feed_subscribe_task(world->services.feed, world->db, actor, task_id, after, &sink,
                                                   listener, &error));
}

static void leave(struct listener *listener)
{
        feed_unsubscribe(listener->subscription);
        AWAIT(listener->is_released);
        for (size_t i = 0; i < listener->count; i++)
                json_decref(listener->told[i].data);
        free(listener);
}

static int open_with_feed(void **state)
{
        auto_error error = {0};

        world_open(state);
        assert_non_null(feed_start(&((struct world *)*state)->services, &error));
        return 0;
}

static int close_with_feed(void **state)
{
        struct world *world = *state;

        feed_stop(world->services.feed);
        return world_close(state);
}

static const char *kind_of(const struct listener *listener, size_t i)
{
        return document_get_string(listener->told[i].data, "kind");
}

static const char *task_of(const struct listener *listener, size_t i)
{
        const json_t *task = json_object_get(listener->told[i].data, "task");

        return document_get_string(task ? task : listener->told[i].data, "taskId");
}

static void each_change_is_told_once_and_in_order(void **state)
{
        struct world *world = *state;
        struct listener *listener = listen_to_changes(world, world->dev, NULL, -1);

        AWAIT(listener->count == 1);
        assert_string_equal(listener->told[0].name, "ready");
        auto_free char *first = world_task(world, world->dev, "main", "one");
        AWAIT(listener->count == 4);
        world_end(world, first, "done", RUNNER_EXITED, 0);
        AWAIT(listener->count == 5);
        static const char *const kinds[] = {"created", "queued", "started", "ended"};
        for (size_t i = 0; i < COUNT_OF(kinds); i++) {
                assert_string_equal(kind_of(listener, i + 1), kinds[i]);
                assert_string_equal(task_of(listener, i + 1), first);
                assert_int_equal(atoll(listener->told[i + 1].id), atoll(listener->told[0].id) + (int)i + 1);
        }
        assert_string_equal(member(json_object_get(listener->told[4].data, "task"), "status"), "completed");
        leave(listener);
}

struct pinning {
        int64_t user, task;
};

static bool pin(struct store_db *db, void *context, struct error *error)
{
        const struct pinning *pinning = context;
        int64_t version;

        return store_pin_put(db, pinning->user, pinning->task, true, 0, &version, error);
}

static void a_pin_is_told_to_whom_it_is_a_matter_of(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "one");
        auto_store_task task = world_stored(world, id);
        struct listener *dev = listen_to_changes(world, world->dev, NULL, -1),
                        *viewer = listen_to_changes(world, world->viewer, NULL, -1);
        struct pinning own = {world->dev->user, task.rid}, others = {world->viewer->user, task.rid};
        auto_error error = {0};

        AWAIT(dev->count == 1 && viewer->count == 1);
        assert_true(store_write(world->services.store, pin, &others, &error));
        AWAIT(viewer->count == 2);
        assert_true(store_write(world->services.store, pin, &own, &error));
        AWAIT(viewer->count == 3 && dev->count == 2);
        assert_string_equal(kind_of(viewer, 1), "pinned");
        const json_t *seen = json_object_get(viewer->told[1].data, "task"),
                     *told = json_object_get(dev->told[1].data, "task");
        assert_true(json_is_true(json_object_get(seen, "pinnedForMe")));
        assert_true(json_is_true(json_object_get(told, "isPinned")));
        leave(dev);
        leave(viewer);
}

static bool resume_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return queue_resume(call, input, result, error);
}

static void what_waits_for_a_task_is_told_to_those_who_may_see_it(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "one");
        struct listener *dev = listen_to_changes(world, world->dev, NULL, -1),
                        *outsider = listen_to_changes(world, world->outsider, NULL, -1);
        struct task_follow_up_input input = {.taskId = id, .instructions = "two", .queueIfBusy = true};
        struct queue_resume_input resuming = {id};
        auto_error error = {0};
        json_t *resumed = NULL;

        AWAIT(dev->count == 1 && outsider->count == 1);
        auto_json *queued = must(world_follow_up(world, world->dev, input, &error));
        AWAIT(dev->count == 2);
        assert_string_equal(kind_of(dev, 1), "follow_ups");
        assert_string_equal(task_of(dev, 1), id);
        world_end(world, id, "failed", RUNNER_EXITED, 1);
        AWAIT(dev->count >= 4);
        assert_string_equal(kind_of(dev, 2), "ended");
        assert_string_equal(kind_of(dev, 3), "follow_ups");
        struct call call = world_call(world, world->dev);
        assert_true(call_write(&call, resume_work, &resuming, &resumed, &error));
        json_decref(resumed);
        AWAIT(dev->count >= 7);
        assert_string_equal(kind_of(dev, 4), "follow_ups");
        leave(dev);
        assert_int_equal(outsider->count, 1);
        leave(outsider);
}

static void one_that_comes_back_is_told_what_it_missed(void **state)
{
        struct world *world = *state;
        auto_free char *first = world_task(world, world->dev, "main", "one");
        auto_free char *second = world_task(world, world->dev, "main", "two");
        struct listener *all = listen_to_changes(world, world->dev, "0", -1);

        AWAIT(all->count == 6);
        struct listener *rest = listen_to_changes(world, world->dev, all->told[3].id, -1);
        AWAIT(rest->count == 2);
        assert_string_equal(rest->told[0].id, all->told[4].id);
        auto_free char *third = world_task(world, world->dev, "main", "three");
        AWAIT(rest->count == 5 && all->count == 9);
        assert_string_equal(task_of(rest, 4), third);
        leave(all);
        leave(rest);
}

static void a_number_that_is_not_kept_is_told_as_a_reset(void **state)
{
        static const char *const numbers[] = {"0", "3", "1000", "x", "", "-1", "12345678901234567890"};
        struct world *world = *state;

        for (int i = 0; i < 3; i++) {
                auto_free char *task = world_task(world, world->dev, "main", "one");
        }
        world_sql(world, "DELETE FROM task_changes WHERE seq < 6");
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
                struct listener *listener = listen_to_changes(world, world->dev, numbers[i], -1);
                AWAIT(listener->count == 1);
                assert_string_equal(listener->told[0].name, "reset");
                assert_string_equal(listener->told[0].id, "9");
                leave(listener);
        }
        struct listener *kept = listen_to_changes(world, world->dev, "5", -1);
        AWAIT(kept->count == 4);
        assert_string_equal(kept->told[0].id, "6");
        leave(kept);
}

/* Rows that another connection writes wake nobody: the feed learns of them only when somebody comes. */
static void changes_that_went_before_the_feed_saw_them_are_told_as_a_reset(void **state)
{
        struct world *world = *state;
        struct listener *first = listen_to_changes(world, world->dev, NULL, -1);

        AWAIT(first->count == 1);
        assert_string_equal(first->told[0].id, "0");
        world_sql(world, "INSERT INTO task_changes (seq, at, kind, task_id, environment, is_shared) "
                         "VALUES (7, 0, 'started', 'x', 1, 1), (8, 0, 'ended', 'x', 1, 1)");
        struct listener *late = listen_to_changes(world, world->dev, "0", -1);
        AWAIT(late->count == 1);
        assert_string_equal(late->told[0].name, "reset");
        assert_string_equal(late->told[0].id, "8");
        leave(late);
        leave(first);
}

static void nobody_is_told_of_what_they_may_not_see(void **state)
{
        struct world *world = *state;
        struct listener *outsider = listen_to_changes(world, world->outsider, NULL, -1),
                        *viewer = listen_to_changes(world, world->viewer, NULL, -1);
        auto_error error = {0};

        AWAIT(outsider->count == 1 && viewer->count == 1);
        auto_free char *hidden = world_task(world, world->dev, "main", "hidden");
        auto_free char *private = world_task(world, world->dev, "closed", "private");
        auto_free char *seen = world_task(world, world->dev, "other", "seen");
        AWAIT(outsider->count == 4 && viewer->count == 4);
        for (size_t i = 1; i < 4; i++) {
                assert_string_equal(task_of(outsider, i), seen);
                assert_string_equal(task_of(viewer, i), hidden);
        }
        assert_null(feed_subscribe_task(world->services.feed, world->db, world->outsider, private, NULL, &sink, NULL,
                                        &error));
        assert_code(error, "task_not_found");
        leave(outsider);
        leave(viewer);
}

static void those_who_saw_a_task_are_told_when_it_is_gone(void **state)
{
        struct world *world = *state;
        auto_free char *unshared = world_task(world, world->dev, "main", "unshared");
        auto_free char *deleted = world_task(world, world->dev, "main", "deleted");
        auto_free char *sql = text_format(
                "UPDATE tasks SET is_shared = 0 WHERE id = '%s'; DELETE FROM tasks WHERE id = '%s'", unshared, deleted);
        struct listener *viewer = listen_to_changes(world, world->viewer, NULL, -1),
                        *owner = listen_to_changes(world, world->dev, NULL, -1),
                        *outsider = listen_to_changes(world, world->outsider, NULL, -1),
                        *stream = listen_to_task(world, world->viewer, unshared, NULL, -1);

        AWAIT(viewer->count == 1 && owner->count == 1 && outsider->count == 1 && stream->count == 1);
        world_sql(world, sql);
        auto_free char *last = world_task(world, world->dev, "other", "tells of all");
        AWAIT(viewer->count == 3 && owner->count == 6 && outsider->count == 4 && stream->is_ended);
        assert_string_equal(viewer->told[1].name, "gone");
        assert_string_equal(task_of(viewer, 1), unshared);
        assert_string_equal(viewer->told[2].name, "gone");
        assert_string_equal(task_of(viewer, 2), deleted);
        assert_string_equal(owner->told[1].name, "task");
        assert_string_equal(kind_of(owner, 1), "unshared");
        assert_string_equal(owner->told[2].name, "gone");
        assert_string_equal(task_of(outsider, 1), last);
        leave(viewer);
        leave(owner);
        leave(outsider);
        leave(stream);
}

static void make_room(struct listener *listener, int room)
{
        pthread_mutex_lock(&lock);
        listener->room = room;
        listener->was_refused = false;
        pthread_mutex_unlock(&lock);
        feed_drained(listener->subscription);
}

static void one_that_is_slow_loses_nothing_and_holds_nobody_up(void **state)
{
        struct world *world = *state;
        struct listener *slow = listen_to_changes(world, world->dev, NULL, 2),
                        *quick = listen_to_changes(world, world->dev, NULL, -1);

        AWAIT(slow->count == 1 && quick->count == 1);
        for (int i = 0; i < 5; i++) {
                auto_free char *task = world_task(world, world->dev, "main", "one");
        }
        AWAIT(quick->count == 16 && slow->was_refused);
        for (size_t taken = 2; taken < 16; taken += 2) {
                assert_int_equal(slow->count, taken);
                make_room(slow, 2);
                AWAIT(slow->count == taken + 2);
                AWAIT(slow->was_refused || slow->count == 16);
        }
        for (size_t i = 1; i < 16; i++)
                assert_string_equal(slow->told[i].id, quick->told[i].id);
        leave(slow);
        leave(quick);
}

static void a_person_has_so_many_listeners_at_most(void **state)
{
        struct world *world = *state;
        struct listener *listeners[FEED_PERSON_MAXIMUM];
        auto_error error = {0};

        for (size_t i = 0; i < COUNT_OF(listeners); i++)
                listeners[i] = listen_to_changes(world, world->dev, NULL, -1);
        assert_null(feed_subscribe_changes(world->services.feed, world->dev, NULL, &sink, NULL, &error));
        assert_code(error, "too_many_requests");
        leave(listen_to_changes(world, world->viewer, NULL, -1));
        leave(listeners[0]);
        leave(listen_to_changes(world, world->dev, NULL, -1));
        for (size_t i = 1; i < COUNT_OF(listeners); i++)
                leave(listeners[i]);
}

static void a_listener_ends_with_its_key(void **state)
{
        struct world *world = *state;
        auto_free char *sql = text_format("UPDATE api_keys SET expires_at = %lld WHERE id = '%s'",
                                          (long long)clock_now() + 300, world->dev->credential_id);

        world_sql(world, sql);
        struct listener *expiring = listen_to_changes(world, world->dev, NULL, -1),
                        *other = listen_to_changes(world, world->viewer, NULL, -1);
        AWAIT(expiring->is_ended);
        assert_int_equal(expiring->count, 1);
        AWAIT(other->count == 1);
        assert_false(other->is_ended);
        leave(expiring);
        leave(other);
}

static void write_events(struct world *world, const char *task_id, int first, int last, bool has_rest)
{
        auto_text lines = TEXT_WITH_MAXIMUM(100000);

        for (int i = first; i <= last; i++)
                text_printf(&lines, "{\"t\":null,\"turn\":%d,\"seq\":%d,\"type\":\"text\",\"text\":\"event %d\"}\n",
                            i > 3 ? 2 : 1, i > 3 ? i - 3 : i, i);
        if (has_rest)
                text_append_string(&lines, "{\"t\":null,\"turn\":2,\"se");
        world_record_file(world, task_id, "debug-stream.jsonl", text_string(&lines), lines.length);
}

static void the_events_of_a_task_go_on_behind_the_last_that_was_told(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "one");

        write_events(world, task, 1, 5, true);
        struct listener *all = listen_to_task(world, world->viewer, task, NULL, -1),
                        *rest = listen_to_task(world, world->viewer, task, "1.2", -1),
                        *wrong = listen_to_task(world, world->viewer, task, "1", -1);
        AWAIT(all->count == 6 && rest->count == 4 && wrong->count == 7);
        assert_string_equal(all->told[0].id, "1.1");
        assert_string_equal(all->told[4].id, "2.2");
        assert_string_equal(all->told[5].name, "state");
        assert_string_equal(rest->told[0].id, "1.3");
        assert_string_equal(member(rest->told[0].data, "text"), "event 3");
        assert_string_equal(wrong->told[0].name, "reset");
        write_events(world, task, 1, 7, false);
        feed_events_grown(world->services.feed, task);
        AWAIT(all->count == 8 && rest->count == 6);
        assert_string_equal(all->told[7].id, "2.4");
        /* A log that was mended and is shorter now. */
        write_events(world, task, 1, 3, false);
        feed_events_grown(world->services.feed, task);
        leave(listen_to_changes(world, world->dev, NULL, -1));
        write_events(world, task, 1, 8, false);
        feed_events_grown(world->services.feed, task);
        AWAIT(all->count == 9);
        assert_string_equal(all->told[8].id, "2.5");
        leave(all);
        leave(rest);
        leave(wrong);
}

/* Whether the last that was told is that the task has completed. */
static bool is_completed(const struct listener *listener)
{
        const struct told *last = &listener->told[listener->count - 1];

        return !strcmp(last->name, "state") &&
               !strcmp(member(json_object_get(last->data, "task"), "status"), "completed");
}

static void the_state_of_a_task_is_told_after_its_events(void **state)
{
        struct world *world = *state;
        auto_free char *task = world_task(world, world->dev, "main", "one");
        struct listener *listener = listen_to_task(world, world->dev, task, NULL, -1);

        AWAIT(listener->count == 1);
        world_end(world, task, "the reply", RUNNER_EXITED, 0);
        AWAIT(is_completed(listener));
        bool has_reply = false;
        for (size_t i = 1; i < listener->count - 1; i++) {
                const char *text = document_get_string(listener->told[i].data, "text");
                has_reply = has_reply || (text && !strcmp(text, "the reply"));
        }
        assert_true(has_reply);
        leave(listener);
}

#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, open_with_feed, close_with_feed)

int run_feed_tests(void)
{
        const struct CMUnitTest tests[] = {
                IN_A_WORLD(each_change_is_told_once_and_in_order),
                IN_A_WORLD(a_pin_is_told_to_whom_it_is_a_matter_of),
                IN_A_WORLD(what_waits_for_a_task_is_told_to_those_who_may_see_it),
                IN_A_WORLD(one_that_comes_back_is_told_what_it_missed),
                IN_A_WORLD(a_number_that_is_not_kept_is_told_as_a_reset),
                IN_A_WORLD(changes_that_went_before_the_feed_saw_them_are_told_as_a_reset),
                IN_A_WORLD(nobody_is_told_of_what_they_may_not_see),
                IN_A_WORLD(those_who_saw_a_task_are_told_when_it_is_gone),
                IN_A_WORLD(one_that_is_slow_loses_nothing_and_holds_nobody_up),
                IN_A_WORLD(a_person_has_so_many_listeners_at_most),
                IN_A_WORLD(a_listener_ends_with_its_key),
                IN_A_WORLD(the_events_of_a_task_go_on_behind_the_last_that_was_told),
                IN_A_WORLD(the_state_of_a_task_is_told_after_its_events),
        };

        return cmocka_run_group_tests_name("the feed", tests, NULL, NULL);
}
