#include "tests/services/world.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/base/path.h"
#include "server/services/environment.h"
#include "server/services/key.h"
#include "server/services/reader.h"
#include "server/services/role.h"
#include "server/services/task_paths.h"
#include "server/services/team.h"
#include "server/services/user.h"
#include "server/services/write.h"

static void expect(bool is_good, const struct error *error)
{
        if (!is_good)
                fail_msg("%s: %s", error_kind(error->code)->code, error->message);
}

json_t *must(json_t *result)
{
        assert_non_null(result);
        return result;
}

const char *member(const json_t *object, const char *name)
{
        const char *value = document_get_string(object, name);

        if (!value)
                fail_msg("there is no string %s", name);
        return value;
}

struct call world_call(struct world *world, const struct actor *actor)
{
        return (struct call){.services = &world->services,
                             .db = world->db,
                             .actor = actor,
                             .source = "mcp",
                             .now = world->now += 1000};
}

void world_environment(struct world *world, const char *name, const char *content)
{
        auto_free char *folder = text_format("%s/environments/%s", world->setup, name);
        auto_free char *file = text_format("%s/environment.json", folder);
        auto_error error = {0};

        expect(path_make_folder(folder, 0700, &error) && path_write(file, content, strlen(content), 0600, &error),
               &error);
        if (world->services.environments)
                expect(environments_reload(world->services.environments, &error), &error);
}

void world_concurrency(int64_t count)
{
        auto_json *flags = json_pack("{s:I}", "TASK_CONCURRENCY", (json_int_t)count);
        auto_error error = {0};

        expect(settings_load(NULL, NULL, flags, &error), &error);
}

void world_person(struct world *world, const char *name)
{
        struct call call = world_call(world, &actor_local);
        auto_json *result = NULL;
        auto_error error = {0};

        expect(user_add(&call, &(struct user_add_input){.name = name}, &result, &error), &error);
}

void world_bind(struct world *world, const char *name, const char *role, const char *environment)
{
        struct call call = world_call(world, &actor_local);
        auto_json *result = NULL;
        auto_error error = {0};

        expect(role_bind(&call, &(struct role_bind_input){.user = name, .role = role, .environment = environment},
                         &result, &error),
               &error);
}

struct actor *world_actor(struct world *world, const char *name)
{
        struct call call = world_call(world, &actor_local);
        auto_json *key = NULL;
        auto_error error = {0};
        struct actor actor;

        expect(key_add(&call, &(struct key_add_input){.user = name, .name = "test"}, &key, &error) &&
                       access_authenticate_key(world->db, member(key, "key"), &actor, &error),
               &error);
        return actor_copy(&actor);
}

void world_renew_people(struct world *world)
{
        actor_free(world->dev);
        actor_free(world->viewer);
        world->dev = world_actor(world, "dev");
        world->viewer = world_actor(world, "viewer");
}

struct field_strings world_crowd(struct world *world)
{
        static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "shell"};
        auto_text file = TEXT_WITH_MAXIMUM(10000);

        text_append_string(&file, "{\"agents\": [");
        for (size_t i = 0; i + 1 < COUNT_OF(names); i++)
                text_printf(&file, "%s{\"name\": \"%s\", \"command\": [\"x\"]}", i ? ", " : "", names[i]);
        text_append_string(&file, "]}");
        world_environment(world, "crowd", text_string(&file));
        world_bind(world, "dev", "Developer", "crowd");
        world_renew_people(world);
        return (struct field_strings){.items = (const char **)names, .count = COUNT_OF(names)};
}

void world_team(struct world *world, const char *team, const char *first, const char *second)
{
        struct call call = world_call(world, &actor_local);
        auto_json *made = NULL, *one = NULL, *two = NULL;
        auto_error error = {0};

        expect(team_add(&call, &(struct team_input){.name = team}, &made, &error) &&
                       team_add_member(&call, &(struct team_member_input){team, first}, &one, &error) &&
                       team_add_member(&call, &(struct team_member_input){team, second}, &two, &error),
               &error);
}

static void open_people(struct world *world)
{
        static const char *const names[] = {"admin", "dev", "viewer", "outsider"};
        static const char *const bindings[][3] = {
                {"admin", ROLE_SERVER_ADMIN, NULL}, {"dev", "Developer", "main"},       {"dev", "Developer", "closed"},
                {"dev", "Developer", "other"},      {"dev", "Developer", "off"},        {"viewer", "Viewer", "main"},
                {"viewer", "Viewer", "closed"},     {"outsider", "Developer", "other"},
        };

        for (size_t i = 0; i < COUNT_OF(names); i++)
                world_person(world, names[i]);
        for (size_t i = 0; i < COUNT_OF(bindings); i++)
                world_bind(world, bindings[i][0], bindings[i][1], bindings[i][2]);
        world->admin = world_actor(world, "admin");
        world->dev = world_actor(world, "dev");
        world->viewer = world_actor(world, "viewer");
        world->outsider = world_actor(world, "outsider");
}

int world_open(void **state)
{
        struct world *world = memory_new(sizeof *world);
        auto_error error = {0};

        strcpy(world->root, "/tmp/longshore-services-XXXXXX");
        assert_non_null(mkdtemp(world->root));
        world->setup = path_join(world->root, "setup");
        world->credentials = path_join(world->root, "git-credentials");
        world->now = clock_now() - 3600000;
        world_environment(world, "main",
                          "{\"repositories\": [{\"name\": \"app\", \"url\": \"https://host/app\"},"
                          " {\"name\": \"fixed\", \"url\": \"https://host/fixed\", \"branch\": \"stable\","
                          " \"locked\": true}]}");
        world_environment(world, "other", "{}");
        world_environment(world, "off", "{\"status\": \"disabled\"}");
        world_environment(world, "closed", "{\"shareTasks\": false}");
        world->services.data_folder = world->root;
        world->services.address = "http://127.0.0.1:3000";
        expect((world->services.store = store_open(world->root, &error)), &error);
        expect(role_seed(world->services.store, &error), &error);
        expect((world->services.environments = environments_open(world->services.store, world->setup, &error)), &error);
        expect((world->db = store_reader_open(world->services.store, &error)), &error);
        world->runtime.services = &world->services;
        world->services.runtime = &world->runtime;
        pthread_mutex_init(&world->runtime.mutex, NULL);
        pthread_cond_init(&world->runtime.changed, NULL);
        open_people(world);
        *state = world;
        return 0;
}

int world_close(void **state)
{
        struct world *world = *state;
        auto_error error = {0};

        clock_set_lead(0);
        actor_free(world->admin);
        actor_free(world->dev);
        actor_free(world->viewer);
        actor_free(world->outsider);
        services_reader_close();
        store_reader_close(world->db);
        environments_close(world->services.environments);
        store_close(world->services.store);
        free(world->runtime.turns_ending.items);
        pthread_mutex_destroy(&world->runtime.mutex);
        pthread_cond_destroy(&world->runtime.changed);
        expect(settings_load(NULL, NULL, NULL, &error) && path_remove_tree(world->root, &error), &error);
        free(world->setup);
        free(world->credentials);
        free(world);
        return 0;
}

static bool create_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_create(call, input, result, error);
}

json_t *world_create(struct world *world, const struct actor *actor, struct task_create_input input,
                     struct error *error)
{
        auto_json *arguments = json_pack("{s:s*, s:s*, s:s*, s:s*, s:b, s:i}", "environment", input.environment,
                                         "instructions", input.instructions, "name", input.name, "requestId",
                                         input.requestId, "staged", input.staged, "shared", input.shared);
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = arguments;
        return call_write(&call, create_work, &input, &result, error) ? result : NULL;
}

static bool follow_up_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        return task_follow_up(call, input, result, error);
}

json_t *world_follow_up(struct world *world, const struct actor *actor, struct task_follow_up_input input,
                        struct error *error)
{
        auto_json *arguments = json_pack("{s:s, s:s*, s:s*}", "taskId", input.taskId, "instructions",
                                         input.instructions, "idempotencyKey", input.idempotencyKey);
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = arguments;
        bool is_done = (!task_follow_up_is_prepared_first(&input) || task_follow_up_prepare(&call, &input, error)) &&
                       call_write(&call, follow_up_work, &input, &result, error);
        task_prepared_free(&world->services, input.prepared, is_done);
        return is_done ? result : NULL;
}

struct change {
        enum world_change kind;
        const char *task_id, *name;
};

static bool change_work(struct call *call, const void *input, json_t **result, struct error *error)
{
        const struct change *change = input;

        switch (change->kind) {
        case WORLD_RENAME:
                return task_rename(call, &(struct task_rename_input){.taskId = change->task_id, .name = change->name},
                                   result, error);
        case WORLD_UNSHARE:
                return task_share(call, &(struct task_share_input){change->task_id, false}, result, error);
        case WORLD_START:
                return task_start(call, &(struct task_start_input){change->task_id}, result, error);
        }
        return false;
}

json_t *world_change(struct world *world, const struct actor *actor, enum world_change change, const char *task_id,
                     const char *name, struct error *error)
{
        struct change input = {change, task_id, name};
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        return call_write(&call, change_work, &input, &result, error) ? result : NULL;
}

json_t *world_get(struct world *world, const struct actor *actor, struct task_get_input input, struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        input.includeLatestResponse = true;
        if (!input.latestResponseMaxChars)
                input.latestResponseMaxChars = 12000;
        if (!input.outputMaxChars)
                input.outputMaxChars = 20000;
        return task_get(&call, &input, &result, error) ? result : NULL;
}

json_t *world_output(struct world *world, const struct actor *actor, const char *task_id, const char *section,
                     struct error *error)
{
        struct task_output_input input = {.taskId = task_id};
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        if (section)
                input.include = (struct field_strings){.items = &section, .count = 1};
        return task_output(&call, &input, &result, error) ? result : NULL;
}

json_t *world_read(struct world *world, const struct actor *actor, struct task_file_input input, struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        if (!input.maxBytes)
                input.maxBytes = 64000;
        return task_file_read(&call, &input, &result, error) ? result : NULL;
}

json_t *world_list(struct world *world, const struct actor *actor, struct task_list_input input, struct error *error)
{
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        if (!input.limit)
                input.limit = 25;
        input.pinned = input.pinned == NOT_PINNED ? 0 : input.pinned ? 1 : -1;
        return task_list(&call, &input, &result, error) ? result : NULL;
}

char *world_task(struct world *world, const struct actor *actor, const char *environment, const char *instructions)
{
        auto_error error = {0};
        auto_json *made =
                world_create(world, actor, NEW_TASK(.environment = environment, .instructions = instructions), &error);

        expect(made, &error);
        return text_copy(member(made, "taskId"));
}

struct store_task world_stored(struct world *world, const char *task_id)
{
        auto_error error = {0};
        struct store_task task;
        bool is_found;

        expect(store_task_find(world->db, task_id, 0, &task, &is_found, &error), &error);
        assert_true(is_found);
        return task;
}

struct store_turn world_turn(struct world *world, const char *task_id)
{
        auto_store_task task = world_stored(world, task_id);
        auto_error error = {0};
        struct store_turn turn;
        bool is_found;

        expect(store_turn_find(world->db, task.turn, &turn, &is_found, &error), &error);
        assert_true(is_found);
        return turn;
}

static void write_below(const char *folder, const char *path, const void *bytes, size_t length)
{
        auto_free char *file = path_join(folder, path);
        auto_error error = {0};

        *strrchr(file, '/') = '\0';
        expect(path_make_folder(file, 0700, &error), &error);
        file[strlen(file)] = '/';
        auto_fd opened = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_true(opened >= 0);
        for (size_t done = 0; done < length;) {
                ssize_t written = write(opened, (const char *)bytes + done, length - done);
                assert_true(written > 0);
                done += (size_t)written;
        }
}

void world_output_file(struct world *world, const char *task_id, const char *path, const void *bytes, size_t length)
{
        auto_free char *folder = task_path_output(world->root, task_id);

        write_below(folder, path, bytes, length);
}

void world_record_file(struct world *world, const char *task_id, const char *path, const void *bytes, size_t length)
{
        auto_free char *folder = task_path_records(world->root, task_id);

        write_below(folder, path, bytes, length);
}

void world_credentials(struct world *world, const char *content)
{
        auto_error error = {0};

        expect(path_write(world->credentials, content, strlen(content), 0600, &error), &error);
}

void world_end_exit(struct world *world, const char *task_id, const char *output, const struct runner_exit *exit)
{
        auto_store_turn turn = world_turn(world, task_id);
        auto_free char *name = turn_path_output(turn.ordinal);
        struct turn_outcome outcome;
        auto_error error = {0};

        world_record_file(world, task_id, name, output ? output : "", output ? strlen(output) : 0);
        turn_outcome_of_exit(exit, &outcome);
        expect(turn_end(&world->runtime, &turn, &outcome, &error), &error);
}

void world_end(struct world *world, const char *task_id, const char *output, enum runner_reason reason, int64_t code)
{
        world_end_exit(world, task_id, output,
                       &(struct runner_exit){.reason = reason, .code = code, .finished_at = world->now += 1000});
}

static sqlite3 *connect(struct world *world)
{
        auto_free char *path = path_join(world->root, "store.db");
        sqlite3 *connection;

        assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
        sqlite3_busy_timeout(connection, 10000);
        return connection;
}

void world_sql(struct world *world, const char *sql)
{
        sqlite3 *connection = connect(world);
        char *message = NULL;

        if (sqlite3_exec(connection, sql, NULL, NULL, &message))
                fail_msg("%s: %s", sql, message);
        sqlite3_close(connection);
}

int64_t world_number(struct world *world, const char *sql)
{
        sqlite3 *connection = connect(world);
        sqlite3_stmt *statement = NULL;

        assert_int_equal(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        int64_t number = sqlite3_column_int64(statement, 0);
        sqlite3_finalize(statement);
        sqlite3_close(connection);
        return number;
}
