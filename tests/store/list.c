/* Lists of tasks: whatever statement a filter is turned into, it finds what the filter says. */
#include "server/store/query.h"
#include "server/store/task_list.h"
#include "server/store/team.h"
#include "server/store/user.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

#define TASKS 400
#define PEOPLE 4
#define PLACES 5
#define NOW 1000

/* What a task is made of follows from its number alone. */
struct made {
        int64_t rid, environment, creator;
        const char *status;
        bool is_shared, is_pinned, is_snoozed, is_grouped;
};

struct world {
        struct made tasks[TASKS];
        int64_t people[PEOPLE], places[PLACES];
};

static void made_at(const struct world *world, int i, struct made *made)
{
        static const char *const statuses[] = {"completed", "completed", "failed", "staged"};

        *made = (struct made){.environment = world->places[i * 7 % PLACES],
                              .creator = world->people[i / 3 % PEOPLE],
                              .status = statuses[i / 2 % 4],
                              .is_shared = i % 6 != 0,
                              .is_pinned = i % 11 == 0,
                              .is_snoozed = i % 33 == 0,
                              .is_grouped = i % 13 == 0};
}

static bool add_tasks(struct store_db *db, struct world *world, struct error *error)
{
        for (int i = 0; i < TASKS; i++) {
                struct made *made = &world->tasks[i];
                char id[ID_SIZE];
                made_at(world, i, made);
                snprintf(id, sizeof id, "1700000000000-%09d", i);
                struct store_task_new task = {.id = id,
                                              .status = made->status,
                                              .type = "manual",
                                              .agent = "shell",
                                              .source = "mcp",
                                              .branches = "{}",
                                              .environment = made->environment,
                                              .creator = made->creator,
                                              .is_shared = made->is_shared,
                                              .created_at = i};
                if (!store_task_add(db, &task, &made->rid, error))
                        return false;
        }
        return true;
}

static void run_sql(struct store_db *db, const char *sql)
{
        if (sqlite3_exec(db->connection, sql, NULL, NULL, NULL) != SQLITE_OK)
                fail_msg("%s: %s", sql, sqlite3_errmsg(db->connection));
}

/* The viewer is the first of the people; the second is in the viewer's team. */
static bool add_world(struct store_db *db, void *context, struct error *error)
{
        struct world *world = context;
        auto_store_team team = {0};
        char id[ID_SIZE];

        for (int i = 0; i < PLACES; i++) {
                auto_free char *sql = text_format(
                        "INSERT INTO environments (id, name, created_at) VALUES ('env-%d', 'place %d', 0)", i, i);
                run_sql(db, sql);
                world->places[i] = sqlite3_last_insert_rowid(db->connection);
        }
        for (int i = 0; i < PEOPLE; i++) {
                char name[] = {'u', (char)('0' + i), '\0'};
                if (!store_user_add(db, name, NULL, 0, id, &world->people[i], error))
                        return false;
        }
        if (!store_team_add(db, "team", 0, id, error) || !store_team_find(db, "team", &team, error) ||
            !store_team_add_member(db, team.rid, world->people[0], error) ||
            !store_team_add_member(db, team.rid, world->people[1], error) || !add_tasks(db, world, error))
                return false;
        for (int i = 0; i < TASKS; i++) {
                const struct made *made = &world->tasks[i];
                auto_free char *group = text_format("UPDATE tasks SET group_id = 'g-x' WHERE rid = %lld",
                                                    (long long)made->rid),
                               *pin = text_format("INSERT INTO pins VALUES (%lld, %lld, 1, %d, 1)",
                                                  (long long)world->people[0], (long long)made->rid,
                                                  made->is_snoozed ? NOW + 1 : 0);
                if (made->is_grouped)
                        run_sql(db, group);
                if (made->is_pinned)
                        run_sql(db, pin);
        }
        return true;
}

static bool has(const int64_t *list, size_t count, int64_t value)
{
        for (size_t i = 0; i < count; i++)
                if (list[i] == value)
                        return true;
        return false;
}

static bool is_visible(const struct world *world, const struct store_task_filter *f, const struct made *made)
{
        bool is_own = made->creator == world->people[0];

        return (f->environment || f->is_view_everywhere ||
                has(f->view_environments, f->view_count, made->environment)) &&
               (made->is_shared || is_own || f->is_view_any_everywhere ||
                has(f->view_any_environments, f->view_any_count, made->environment));
}

static bool matches(const struct world *world, const struct store_task_filter *f, const struct made *made)
{
        bool is_own = made->creator == world->people[0], is_of_team = is_own || made->creator == world->people[1];

        return is_visible(world, f, made) && (!f->environment || f->environment == made->environment) &&
               (!f->status || !strcmp(f->status, made->status)) && (!f->group_id || made->is_grouped) &&
               (!f->is_alone || !made->is_grouped) && (!f->is_mine || is_own) && (!f->is_my_teams || is_of_team) &&
               (!f->is_pinned_set || f->is_pinned == made->is_pinned) && (f->is_snoozed_included || !made->is_snoozed);
}

static void check(struct store_db *db, const struct world *world, const struct store_task_filter *f)
{
        auto_store_tasks found = {0};
        auto_error error = {0};
        auto_free char *sql = task_list_sql(f, false);
        int64_t total = -1, expected_total = 0;
        size_t count = 0;

        if (!store_task_list(db, f, &found, &error) || !store_task_list_total(db, f, &total, &error))
                fail_msg("%s: %s", error.message, sql);
        for (int i = TASKS - 1; i >= 0; i--) {
                const struct made *made = &world->tasks[i];
                if (!matches(world, f, made))
                        continue;
                expected_total++;
                if ((f->before && made->rid >= f->before) || (int64_t)count >= f->offset + f->limit)
                        continue;
                if ((int64_t)count++ >= f->offset && (count - (size_t)f->offset > found.count ||
                                                      found.items[count - 1 - (size_t)f->offset].rid != made->rid))
                        fail_msg("place %zu of the page is not task %d: %s", count, i, sql);
        }
        if (found.count != (count > (size_t)f->offset ? count - (size_t)f->offset : 0) || total != expected_total)
                fail_msg("%zu on the page, %lld in all instead of %lld: %s", found.count, (long long)total,
                         (long long)expected_total, sql);
}

static const struct {
        int64_t offset;
        bool is_continued;
} pages[] = {{0, false}, {3, false}, {0, true}};

static void every_filter_finds_what_it_says_and_no_more(void **state)
{
        struct fixture *fixture = *state;
        static struct world world;

        fixture_write(fixture, add_world, &world);
        for (unsigned bits = 0; bits < 1 << 12; bits++) {
                for (size_t page = 0; page < COUNT_OF(pages); page++) {
                        struct store_task_filter filter = {
                                .viewer = world.people[0],
                                .environment = bits & 1 ? world.places[1] : 0,
                                .status = bits & 2 ? "completed" : NULL,
                                .group_id = bits & 4 ? "g-x" : NULL,
                                .is_alone = bits & 2048,
                                .is_mine = bits & 8,
                                .is_my_teams = bits & 16,
                                .is_pinned_set = bits & 32,
                                .is_pinned = bits & 64,
                                .is_snoozed_included = bits & 128,
                                .is_view_everywhere = bits & 256,
                                .is_view_any_everywhere = bits & 512,
                                .view_environments = world.places,
                                .view_count = 3,
                                .view_any_environments = world.places + 1,
                                .view_any_count = bits & 1024 ? 2 : 0,
                                .now = NOW,
                                .before = pages[page].is_continued ? world.tasks[TASKS / 2].rid : 0,
                                .limit = 5,
                                .offset = pages[page].offset,
                        };
                        check(fixture->db, &world, &filter);
                }
        }
}

int run_list_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(every_filter_finds_what_it_says_and_no_more, fixture_open,
                                                fixture_close),
        };

        return cmocka_run_group_tests_name("lists of tasks", tests, NULL, NULL);
}
