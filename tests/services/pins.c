/* Pins and snoozes: each person's own list, its cascades and versions. */
#include "server/services/pin.h"

#include "server/base/clock.h"
#include "server/services/group.h"
#include "server/services/me.h"
#include "server/services/write.h"
#include "tests/services/suites.h"
#include "tests/services/world.h"

typedef bool service(struct call *call, const void *input, json_t **result, struct error *error);

#define SERVICE(name, type)                                                                                            \
        static bool run_##name(struct call *call, const void *input, json_t **result, struct error *error)             \
        {                                                                                                              \
                return name(call, (const struct type *)input, result, error);                                          \
        }
SERVICE(task_set_pinned, task_pin_input)
SERVICE(group_set_pinned, group_pin_input)
SERVICE(task_set_snooze, snooze_input)
SERVICE(group_set_snooze, snooze_input)
SERVICE(group_get, group_get_input)
SERVICE(me_change, me_change_input)

static json_t *write_as(struct world *world, const struct actor *actor, service *run, const void *input,
                        json_t *arguments, struct error *error)
{
        auto_json *sent = arguments;
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = sent;
        return call_write(&call, run, input, &result, error) ? result : NULL;
}

#define DO(actor, service, type, ...)                                                                                  \
        write_as(world, actor, run_##service, &(struct type){__VA_ARGS__}, json_object(), &(struct error){0})

static json_t *snooze(struct world *world, const struct actor *actor, const char *task, const char *group,
                      const char *until, int64_t minutes, struct error *error)
{
        struct snooze_input input = {task, group, until, minutes};
        json_t *sent = json_object();

        if (!minutes)
                json_object_set_new(sent, "until", document_string(until));
        return write_as(world, actor, task ? run_task_set_snooze : run_group_set_snooze, &input, sent, error);
}

static json_t *pin(struct world *world, const struct actor *actor, const char *task, bool pinned)
{
        return must(DO(actor, task_set_pinned, task_pin_input, task, pinned));
}

/* The group of two variants of dev's and a review of the administrator's. */
struct family {
        char *variants[2], *judge, *group;
};

static void family_clear(struct family *family)
{
        free(family->variants[0]);
        free(family->variants[1]);
        free(family->judge);
        free(family->group);
}
#define auto_family CLEANUP(family_clear) struct family

static bool bring_together(struct store_db *db, void *context, struct error *error)
{
        struct family *family = context;
        struct store_group_new group = {.id = "g-1-family", .source = "mcp", .creator = 0, .created_at = 1};
        const char *ids[] = {family->variants[0], family->variants[1], family->judge};

        for (size_t i = 0; i < COUNT_OF(ids); i++) {
                auto_store_task task = {0};
                bool is_found;
                int64_t index;
                if (!store_task_find(db, ids[i], 0, &task, &is_found, error))
                        return false;
                group.environment = task.environment;
                group.creator = task.creator;
                if (!i && !store_group_add(db, &group, error))
                        return false;
                if (i < 2 ? !store_group_add_variant(db, group.id, task.rid, &index, error)
                          : !store_group_add_judge(db, group.id, task.rid, "review", error))
                        return false;
        }
        family->group = text_copy(group.id);
        return true;
}

static struct family family_of(struct world *world)
{
        struct family family = {
                .variants = {world_task(world, world->dev, "main", "a"), world_task(world, world->dev, "main", "b")},
                .judge = world_task(world, world->admin, "main", "j")};
        auto_error error = {0};

        assert_true(store_write(world->services.store, bring_together, &family, &error));
        return family;
}

static bool is_true(const json_t *object, const char *name)
{
        return json_is_true(json_object_get(object, name));
}

static void a_pin_is_of_ones_own_list_and_ones_own_task_shows_it(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        auto_json *first = pin(world, world->viewer, id, true);

        assert_int_equal(document_get_integer(json_object_get(first, "pinSnoozeVersionByTaskId"), id, -1), 1);
        assert_true(json_is_false(json_object_get(json_object_get(first, "previousPinStates"), id)));
        assert_int_equal(json_array_size(json_object_get(first, "orphanedObjectives")), 0);
        json_t *theirs = json_object_get(first, "task");
        assert_false(is_true(theirs, "isPinned"));
        assert_true(is_true(theirs, "pinnedForMe"));
        assert_true(is_true(theirs, "pinFollowedByMe"));
        assert_int_equal(document_get_integer(theirs, "pinFollowVersionForMe", -1), 1);
        auto_json *own = pin(world, world->dev, id, true);
        assert_true(is_true(json_object_get(own, "task"), "isPinned"));
        assert_false(is_true(json_object_get(own, "task"), "pinFollowedByMe"));
        auto_json *seen = GET(world->viewer, .taskId = id);
        assert_true(is_true(seen, "isPinned"));
        /* Nothing changed, nothing written; the version only grows. */
        auto_json *again = pin(world, world->viewer, id, true), *off = pin(world, world->viewer, id, false),
                  *on = pin(world, world->viewer, id, true);
        assert_int_equal(document_get_integer(json_object_get(again, "pinSnoozeVersionByTaskId"), id, -1), 1);
        assert_int_equal(document_get_integer(json_object_get(off, "pinSnoozeVersionByTaskId"), id, -1), 2);
        assert_int_equal(document_get_integer(json_object_get(on, "pinSnoozeVersionByTaskId"), id, -1), 3);
        auto_error error = {0};
        assert_null(write_as(world, world->outsider, run_task_set_pinned, &(struct task_pin_input){id, true},
                             json_object(), &error));
        assert_code(error, "task_not_found");
}

static void unpinning_a_variant_unpins_the_reviews(void **state)
{
        struct world *world = *state;
        auto_family family = family_of(world);
        const char *ids[] = {family.group};
        auto_json *all = must(DO(world->dev, group_set_pinned, group_pin_input, {ids, 1}, true));
        json_t *one = json_array_get(json_object_get(all, "groups"), 0);

        assert_int_equal(json_array_size(json_object_get(one, "taskIds")), 3);
        auto_json *off = pin(world, world->dev, family.variants[0], false);
        assert_int_equal(json_array_size(json_object_get(off, "affectedTaskIds")), 2);
        assert_true(is_true(json_object_get(off, "previousPinStates"), family.judge));
        auto_json *variant = GET(world->dev, .taskId = family.variants[1]),
                  *judge = GET(world->dev, .taskId = family.judge);
        assert_true(is_true(variant, "pinnedForMe"));
        assert_false(is_true(judge, "pinnedForMe"));
        /* One that was moved to another group too. */
        world_sql(world, "UPDATE pins SET is_pinned = 1");
        world_sql(world, "UPDATE tasks SET group_id = 'g-2-other' WHERE is_judge");
        auto_json *moved = pin(world, world->dev, family.variants[1], false);
        assert_int_equal(json_array_size(json_object_get(moved, "affectedTaskIds")), 2);
}

static void a_group_is_pinned_as_a_whole_or_not_at_all(void **state)
{
        struct world *world = *state;
        auto_family family = family_of(world);
        const char *bad[] = {family.group, "g-1-none"}, *good[] = {family.group, family.group};
        auto_error error = {0}, denied = {0};

        assert_null(write_as(world, world->viewer, run_group_set_pinned, &(struct group_pin_input){{bad, 2}, true},
                             json_object(), &error));
        assert_code(error, "group_not_found");
        assert_int_equal(world_number(world, "SELECT count(*) FROM pins"), 0);
        auto_json *pinned = must(DO(world->viewer, group_set_pinned, group_pin_input, {good, 2}, true));
        assert_int_equal(json_array_size(json_object_get(pinned, "groups")), 1);
        auto_json *group = must(DO(world->viewer, group_get, group_get_input, family.group));
        assert_true(is_true(group, "isPinned"));
        assert_int_equal(document_get_integer(group, "pinnedTaskCount", -1), 3);
        /* Members that one created oneself must be one's own to change. */
        world_sql(world, "UPDATE tasks SET created_by = (SELECT rid FROM users WHERE name = 'viewer') WHERE "
                         "group_index = 0");
        assert_null(write_as(world, world->viewer, run_group_set_pinned, &(struct group_pin_input){{good, 1}, false},
                             json_object(), &denied));
        assert_code(denied, "permission_denied");
        assert_non_null(strstr(denied.message, family.variants[0]));
        assert_int_equal(world_number(world, "SELECT count(*) FROM pins WHERE is_pinned"), 3);
}

static size_t listed(struct world *world, const struct actor *actor, bool includes, const char *member_name)
{
        struct group_list_input input = {
                .pinned = -1, .limit = 25, .includeUngroupedTasks = true, .includeSnoozed = includes};
        struct call call = world_call(world, actor);
        auto_json *result = NULL;
        auto_error error = {0};

        assert_true(group_list(&call, &input, &result, &error));
        return json_array_size(json_object_get(result, member_name));
}

static void a_snooze_takes_the_group_along_until_it_wakes(void **state)
{
        struct world *world = *state;
        auto_family family = family_of(world);
        auto_free char *alone = world_task(world, world->dev, "main", "x");
        const char *ids[] = {family.group};
        auto_error unpinned = {0}, error = {0};

        assert_null(snooze(world, world->dev, family.variants[0], NULL, NULL, 30, &unpinned));
        assert_code(unpinned, "not_pinned");
        json_decref(must(DO(world->dev, group_set_pinned, group_pin_input, {ids, 1}, true)));
        auto_json *slept = must(snooze(world, world->dev, family.variants[0], NULL, NULL, 30, &error));
        assert_int_equal(json_array_size(json_object_get(slept, "affectedTaskIds")), 3);
        assert_true(is_true(slept, "isSnoozed"));
        assert_true(is_true(slept, "snoozedForMe"));
        assert_int_equal(document_get_integer(json_object_get(slept, "pinSnoozeVersionByTaskId"), family.judge, -1), 2);
        assert_true(json_is_null(json_object_get(json_object_get(slept, "previousPinSnoozedUntil"), family.judge)));
        assert_int_equal(listed(world, world->dev, false, "groups"), 0);
        assert_int_equal(listed(world, world->dev, true, "groups"), 1);
        assert_int_equal(listed(world, world->viewer, false, "groups"), 1);
        assert_int_equal(listed(world, world->dev, false, "ungroupedTasks"), 1);
        auto_json *group = must(DO(world->dev, group_get, group_get_input, family.group));
        assert_int_equal(document_get_integer(group, "snoozedTaskCount", -1), 3);
        assert_string_equal(member(group, "pinSnoozedUntil"), member(slept, "pinSnoozedUntil"));
        /* Again: another time in the place of the first. */
        auto_json *longer = must(snooze(world, world->dev, NULL, family.group, "2030-01-31T12:00:00+02:00", 0, &error));
        assert_string_equal(member(longer, "pinSnoozedUntil"), "2030-01-31T10:00:00.000Z");
        assert_string_equal(member(json_object_get(longer, "previousPinSnoozedUntil"), family.judge),
                            member(slept, "pinSnoozedUntil"));
        /* Unpinning wakes; so does the time. */
        auto_json *woken = must(snooze(world, world->dev, NULL, family.group, NULL, 0, &error));
        assert_true(json_is_null(json_object_get(woken, "pinSnoozedUntil")));
        assert_int_equal(listed(world, world->dev, false, "groups"), 1);
        json_decref(must(snooze(world, world->dev, family.judge, NULL, NULL, 5, &error)));
        assert_int_equal(listed(world, world->dev, false, "groups"), 0);
        world->now += 6 * 60000;
        assert_int_equal(listed(world, world->dev, false, "groups"), 1);
        auto_json *awake = GET(world->dev, .taskId = family.judge);
        assert_false(is_true(awake, "snoozedForMe"));
        json_decref(must(snooze(world, world->dev, family.judge, NULL, NULL, 5, &error)));
        json_decref(pin(world, world->dev, family.judge, false));
        json_decref(pin(world, world->dev, family.judge, true));
        auto_json *again = GET(world->dev, .taskId = family.judge);
        assert_false(is_true(again, "snoozedForMe"));
}

static void a_time_to_wake_must_make_sense(void **state)
{
        struct world *world = *state;
        auto_free char *id = world_task(world, world->dev, "main", "x");
        static const char *const times[] = {"2001-01-01T00:00:00Z", "2090-01-01T00:00:00Z", "2030-01-01T00:00:00",
                                            "2030-01-01", "soon"};

        json_decref(pin(world, world->dev, id, true));
        for (size_t i = 0; i < COUNT_OF(times); i++) {
                auto_error error = {0};
                if (snooze(world, world->dev, id, NULL, times[i], 0, &error))
                        fail_msg("%s was accepted", times[i]);
                assert_code(error, "invalid_input");
        }
        auto_error late = {0}, latest = {0};
        assert_true(clock_parse("2027-03-01T12:00:00Z", &world->now));
        assert_null(snooze(world, world->dev, id, NULL, "2032-03-01T12:01:00Z", 0, &late));
        assert_code(late, "invalid_input");
        json_decref(must(snooze(world, world->dev, id, NULL, "2032-03-01T12:00:00Z", 0, &latest)));
        auto_error both = {0}, none = {0};
        assert_null(write_as(world, world->dev, run_task_set_snooze,
                             &(struct snooze_input){id, NULL, "2030-01-01T00:00:00Z", 5},
                             json_pack("{s:s}", "until", "2030-01-01T00:00:00Z"), &both));
        assert_code(both, "invalid_input");
        assert_null(write_as(world, world->dev, run_task_set_snooze, &(struct snooze_input){id, NULL, NULL, 0},
                             json_object(), &none));
        assert_code(none, "invalid_input");
}

static void a_snooze_needs_every_task_of_the_group(void **state)
{
        struct world *world = *state;
        auto_family family = family_of(world);
        const char *ids[] = {family.group};
        auto_error hidden = {0}, seen = {0};

        json_decref(must(DO(world->dev, group_set_pinned, group_pin_input, {ids, 1}, true)));
        json_decref(must(DO(world->viewer, group_set_pinned, group_pin_input, {ids, 1}, true)));
        assert_null(snooze(world, world->viewer, NULL, family.group, NULL, 5, &seen));
        assert_code(seen, "permission_denied");
        world_sql(world, "UPDATE tasks SET is_shared = 0 WHERE is_judge");
        assert_null(snooze(world, world->dev, NULL, family.group, NULL, 5, &hidden));
        assert_code(hidden, "permission_denied");
        assert_null(strstr(hidden.message, family.judge));
        assert_int_equal(world_number(world, "SELECT count(*) FROM pins WHERE snoozed_until > 0"), 0);
}

static void who_wants_it_finds_new_tasks_pinned(void **state)
{
        struct world *world = *state;
        auto_json *wanted = must(DO(world->dev, me_change, me_change_input, NULL, 1));
        auto_error error = {0};

        assert_true(is_true(wanted, "autoPinNewTasks"));
        assert_string_equal(member(wanted, "name"), "dev");
        auto_json *made =
                must(world_create(world, world->dev, NEW_TASK(.environment = "main", .instructions = "x"), &error));
        assert_true(is_true(made, "isPinned"));
        auto_json *other =
                must(world_create(world, world->admin, NEW_TASK(.environment = "main", .instructions = "x"), &error));
        assert_false(is_true(other, "isPinned"));
        auto_json *list = LIST(world->dev, .pinned = 1);
        assert_int_equal(document_get_integer(list, "total", -1), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_open, world_close)

int run_pin_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(a_pin_is_of_ones_own_list_and_ones_own_task_shows_it),
                TEST(unpinning_a_variant_unpins_the_reviews),
                TEST(a_group_is_pinned_as_a_whole_or_not_at_all),
                TEST(a_snooze_takes_the_group_along_until_it_wakes),
                TEST(a_time_to_wake_must_make_sense),
                TEST(a_snooze_needs_every_task_of_the_group),
                TEST(who_wants_it_finds_new_tasks_pinned),
        };

        return cmocka_run_group_tests_name("pins", tests, NULL, NULL);
}
