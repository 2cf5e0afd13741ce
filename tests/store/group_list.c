/* Lists of groups: whatever statement a filter is turned into, it finds what the filter says. */
#include "server/store/group_list.h"
#include "server/store/pin.h"
#include "server/store/query.h"
#include "server/store/team.h"
#include "server/store/user.h"
#include "tests/store/fixture.h"
#include "tests/store/suites.h"

#define GROUPS 120
#define MEMBERS 3
#define PEOPLE 4
#define PLACES 5
#define NOW 1000

struct made_task {
        int64_t rid, creator;
        const char *status;
        bool is_shared, is_pinned, is_snoozed;
};

struct made_group {
        int64_t rid, environment, creator;
        int count;
        struct made_task tasks[MEMBERS];
};

struct world {
        struct made_group groups[GROUPS];
        int64_t people[PEOPLE], places[PLACES];
};

static const char *const statuses[] = {"completed", "completed", "failed", "staged", "running"};

/* What a group is made of follows from its number alone; one in ten has no tasks. */
static void make_up(const struct world *world, int i, struct made_group *group)
{
        *group = (struct made_group){.environment = world->places[i * 7 % PLACES],
                                     .creator = world->people[i / 3 % PEOPLE],
                                     .count = i % 10 == 9 ? 0 : 1 + i % MEMBERS};
        for (int j = 0; j < group->count; j++)
                group->tasks[j] = (struct made_task){.creator = world->people[(i / 3 + (j == 2)) % PEOPLE],
                                                     .status = statuses[(i / 2 + j * (i % 4 == 0)) % 5],
                                                     .is_shared = (i + j) % 4 != 0,
                                                     .is_pinned = (i + j) % 11 == 0,
                                                     .is_snoozed = (i + j) % 33 == 0};
}

static bool add_task(struct store_db *db, const struct made_group *group, struct made_task *made, const char *group_id,
                     int64_t viewer, struct error *error)
{
        char id[ID_SIZE];
        int64_t index, version;

        id_new_task(1, id);
        struct store_task_new task = {.id = id,
                                      .status = made->status,
                                      .type = "manual",
                                      .agent = "shell",
                                      .source = "mcp",
                                      .branches = "{}",
                                      .environment = group->environment,
                                      .creator = made->creator,
                                      .is_shared = made->is_shared,
                                      .created_at = 1};
        return store_task_add(db, &task, &made->rid, error) &&
               store_group_add_variant(db, group_id, made->rid, &index, error) &&
               (!made->is_pinned ||
                store_pin_put(db, viewer, made->rid, true, made->is_snoozed ? NOW + 1 : 0, &version, error));
}

static bool add_groups(struct store_db *db, struct world *world, struct error *error)
{
        for (int i = 0; i < GROUPS; i++) {
                struct made_group *made = &world->groups[i];
                auto_store_group found = {0};
                char id[ID_SIZE];
                bool is_found;
                make_up(world, i, made);
                snprintf(id, sizeof id, "g-%d", i);
                struct store_group_new group = {.id = id,
                                                .source = "mcp",
                                                .environment = made->environment,
                                                .creator = made->creator,
                                                .created_at = i};
                if (!store_group_add(db, &group, error) || !store_group_find(db, id, &found, &is_found, error))
                        return false;
                made->rid = found.rid;
                for (int j = 0; j < made->count; j++)
                        if (!add_task(db, made, &made->tasks[j], id, world->people[0], error))
                                return false;
        }
        return true;
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
                if (sqlite3_exec(db->connection, sql, NULL, NULL, NULL) != SQLITE_OK)
                        fail_msg("%s", sqlite3_errmsg(db->connection));
                world->places[i] = sqlite3_last_insert_rowid(db->connection);
        }
        for (int i = 0; i < PEOPLE; i++) {
                char name[] = {'u', (char)('0' + i), '\0'};
                if (!store_user_add(db, name, NULL, 0, id, &world->people[i], error))
                        return false;
        }
        return store_team_add(db, "team", 0, id, error) && store_team_find(db, "team", &team, error) &&
               store_team_add_member(db, team.rid, world->people[0], error) &&
               store_team_add_member(db, team.rid, world->people[1], error) && add_groups(db, world, error);
}

static bool has(const int64_t *list, size_t count, int64_t value)
{
        for (size_t i = 0; i < count; i++)
                if (list[i] == value)
                        return true;
        return false;
}

/* What the viewer sees of the group. */
struct seen {
        int count;
        const char *status;
        bool is_pinned, is_snoozed;
};

static struct seen look(const struct made_group *group, int64_t viewer, bool is_all)
{
        struct seen seen = {0};
        int counts[5] = {0};
        static const char *const words[] = {"completed", "failed", "staged", "running"};

        for (int i = 0; i < group->count; i++) {
                const struct made_task *task = &group->tasks[i];
                if (!is_all && !task->is_shared && task->creator != viewer)
                        continue;
                seen.count++;
                seen.is_pinned = seen.is_pinned || task->is_pinned;
                seen.is_snoozed = seen.is_snoozed || (task->is_pinned && task->is_snoozed);
                for (int j = 0; j < 4; j++)
                        counts[j] += !strcmp(task->status, words[j]);
        }
        seen.status = !seen.count               ? "pending"
                      : counts[3]               ? "running"
                      : counts[0] == seen.count ? "completed"
                      : counts[1] == seen.count ? "failed"
                      : counts[2] == seen.count ? "staged"
                                                : "partial";
        return seen;
}

static bool matches(const struct world *world, const struct store_group_filter *f, const struct made_group *group)
{
        int64_t viewer = world->people[0];
        bool is_all = f->is_all_everywhere || has(f->all_environments, f->all_count, group->environment);
        bool is_some = f->is_shared_everywhere || has(f->shared_environments, f->shared_count, group->environment);
        struct seen seen = look(group, viewer, is_all);
        bool is_own = group->creator == viewer, is_of_team = is_own || group->creator == world->people[1];

        return (is_all || (is_some && (seen.count || is_own))) && (!f->status || !strcmp(f->status, seen.status)) &&
               (!f->is_mine || is_own) && (!f->is_my_teams || is_of_team) &&
               (!f->is_pinned_set || f->is_pinned == seen.is_pinned) && (f->is_snoozed_included || !seen.is_snoozed);
}

static void check(struct store_db *db, const struct world *world, const struct store_group_filter *f)
{
        auto_store_groups found = {0};
        auto_error error = {0};
        auto_free char *sql = group_list_sql(f, false);
        int64_t total = -1, expected_total = 0;
        size_t count = 0;

        if (!store_group_list(db, f, &found, &error) || !store_group_list_total(db, f, &total, &error))
                fail_msg("%s: %s", error.message, sql);
        for (int i = GROUPS - 1; i >= 0; i--) {
                const struct made_group *made = &world->groups[i];
                if (!matches(world, f, made))
                        continue;
                expected_total++;
                if ((f->before && made->rid >= f->before) || (int64_t)count >= f->offset + f->limit)
                        continue;
                if ((int64_t)count++ >= f->offset && (count - (size_t)f->offset > found.count ||
                                                      found.items[count - 1 - (size_t)f->offset].rid != made->rid))
                        fail_msg("place %zu of the page is not group %d: %s", count, i, sql);
        }
        if (found.count != (count > (size_t)f->offset ? count - (size_t)f->offset : 0) || total != expected_total)
                fail_msg("%zu on the page, %lld in all instead of %lld: %s", found.count, (long long)total,
                         (long long)expected_total, sql);
}

static const struct {
        int64_t offset;
        bool is_continued;
} pages[] = {{0, false}, {3, false}, {0, true}};

static const char *const asked[] = {NULL, "completed", "partial", "running", "pending", "failed"};

static void every_filter_of_groups_finds_what_it_says_and_no_more(void **state)
{
        struct fixture *fixture = *state;
        static struct world world;

        fixture_write(fixture, add_world, &world);
        for (unsigned bits = 0; bits < 1 << 9; bits++) {
                for (size_t page = 0; page < COUNT_OF(pages); page++) {
                        for (size_t status = 0; status < COUNT_OF(asked); status++) {
                                struct store_group_filter filter = {
                                        .viewer = world.people[0],
                                        .status = asked[status],
                                        .is_mine = bits & 1,
                                        .is_my_teams = bits & 2,
                                        .is_pinned_set = bits & 4,
                                        .is_pinned = bits & 8,
                                        .is_snoozed_included = bits & 16,
                                        .is_all_everywhere = bits & 32,
                                        .is_shared_everywhere = bits & 64,
                                        .all_environments = world.places,
                                        .all_count = bits & 128 ? 2 : 0,
                                        .shared_environments = world.places + 2,
                                        .shared_count = bits & 256 ? 2 : 0,
                                        .now = NOW,
                                        .before = pages[page].is_continued ? world.groups[GROUPS / 2].rid : 0,
                                        .limit = 5,
                                        .offset = pages[page].offset,
                                };
                                check(fixture->db, &world, &filter);
                        }
                }
        }
}

int run_group_list_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(every_filter_of_groups_finds_what_it_says_and_no_more, fixture_open,
                                                fixture_close),
        };

        return cmocka_run_group_tests_name("lists of groups", tests, NULL, NULL);
}
