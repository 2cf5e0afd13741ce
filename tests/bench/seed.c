/* seed FOLDER COUNT: fills a new data folder for the benchmark through the store's own functions: forty people in four
 * teams, ten environments (and their files), COUNT finished tasks with a turn and a short reply each, one task with a
 * long reply, and an API key, which is printed.
 *
 * The index of a task tells all about it, so that a load script can pick tasks without asking: see task_at(). The key's
 * owner sees the first eight environments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/id.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/store/access.h"
#include "server/store/environment.h"
#include "server/store/key.h"
#include "server/store/task.h"
#include "server/store/team.h"
#include "server/store/turn.h"
#include "server/store/user.h"

#define USERS 40
#define TEAMS 4
#define ENVIRONMENTS 10
#define VISIBLE_ENVIRONMENTS 8
/* Small enough that undoing one is cheap to keep ready: what SQLite does for it grows with the square of a piece. */
#define PIECE 100
#define LONG_REPLY 12000
#define LONG_REPLY_ID "1700000000000-longreply"
#define START INT64_C(1700000000000)

static const char *const permissions[] = {"tasks:view", "tasks:create", "tasks:change", "tasks:execute"};

struct seed {
        const char *folder;
        int64_t count, from;
        int64_t users[USERS], environments[ENVIRONMENTS];
        char key[SECRET_KEY_SIZE];
};

/* Everything about the task of an index. */
static struct store_task_new task_at(const struct seed *seed, int64_t index, char id[ID_SIZE], char name[64])
{
        snprintf(id, ID_SIZE, "%" PRId64 "-%09" PRId64, START + index * 1000, index);
        snprintf(name, 64, "Repair the failing test number %" PRId64, index);
        return (struct store_task_new){.id = id,
                                       .name = name,
                                       .status = index % 50 == 7 ? "staged" : "queued",
                                       .type = "manual",
                                       .agent = "shell",
                                       .source = "mcp",
                                       .branches = "{\"demo\":\"main\"}",
                                       .environment = seed->environments[index / 10 % ENVIRONMENTS],
                                       .creator = seed->users[index % USERS],
                                       .is_shared = index / 100 % 10 != 3,
                                       .created_at = START + index * 1000,
                                       .started_at = START + index * 1000 + 400};
}

static const char *end_status(int64_t index)
{
        return index % 10 == 9 ? "failed" : index % 10 == 8 ? "interrupted" : "completed";
}

static bool add_reply(struct store_db *db, int64_t task, int64_t turn, const char *body, int64_t at,
                      struct error *error)
{
        return store_reply_put(db, turn, body, (int64_t)strlen(body), at, error) &&
               store_task_set_reply(db, task, turn, error);
}

static bool add_task(struct store_db *db, const struct store_task_new *task, const char *status, const char *reply,
                     struct error *error)
{
        bool is_staged = !strcmp(task->status, "staged"), is_done;
        int64_t rid, turn, ordinal, exit_code = !strcmp(status, "completed") ? 0 : 1;
        struct store_turn_new first = {
                .sender = task->creator,
                .kind = "initial",
                .origin = "mcp",
                .state = is_staged ? "staged" : "ended",
                .agent = "shell",
                .shown = "Look at the repository and repair the failing test. Run the whole suite afterwards and say "
                         "in a few sentences what was wrong, what was changed and how it was checked.",
                .submitted_at = task->created_at};

        if (!store_task_add(db, task, &rid, error))
                return false;
        first.task = rid;
        return store_turn_add(db, &first, &turn, &ordinal, error) && store_task_set_turn(db, rid, turn, error) &&
               (is_staged ||
                (store_task_finish(db, rid, turn, status, task->created_at + 60000, &exit_code, &is_done, error) &&
                 add_reply(db, rid, turn, reply, task->created_at + 60000, error)));
}

static bool add_piece(struct store_db *db, void *context, struct error *error)
{
        const struct seed *seed = context;
        int64_t end = seed->from + PIECE < seed->count ? seed->from + PIECE : seed->count;

        for (int64_t index = seed->from; index < end; index++) {
                char id[ID_SIZE], name[64];
                struct store_task_new task = task_at(seed, index, id, name);
                if (!add_task(db, &task, end_status(index),
                              "The test waited for a fixed time. It now waits for the event itself; the whole suite "
                              "passes twenty times in a row.",
                              error))
                        return false;
        }
        return true;
}

static bool add_long_reply(struct store_db *db, void *context, struct error *error)
{
        char id[ID_SIZE], name[64], reply[LONG_REPLY + 1];
        struct store_task_new task = task_at(context, 0, id, name);

        task.id = LONG_REPLY_ID;
        for (size_t i = 0; i < LONG_REPLY; i++)
                reply[i] = "the quick brown fox jumps over the lazy dog. "[i % 45];
        reply[LONG_REPLY] = '\0';
        return add_task(db, &task, "completed", reply, error);
}

static bool add_environments(struct store_db *db, struct seed *seed, struct error *error)
{
        for (int i = 0; i < ENVIRONMENTS; i++) {
                auto_store_environment environment = {0};
                char name[ID_SIZE];
                snprintf(name, sizeof name, "environment-%d", i);
                if (!store_environment_ensure(db, name, START, &environment, error))
                        return false;
                seed->environments[i] = environment.rid;
        }
        return true;
}

static bool add_users(struct store_db *db, struct seed *seed, struct error *error)
{
        for (int i = 0; i < USERS; i++) {
                char name[ID_SIZE], id[ID_SIZE];
                snprintf(name, sizeof name, "user-%d", i);
                if (!store_user_add(db, name, NULL, START, id, &seed->users[i], error))
                        return false;
        }
        return true;
}

/* The key's owner is in the first two teams. */
static bool add_teams(struct store_db *db, const struct seed *seed, struct error *error)
{
        for (int i = 0; i < TEAMS; i++) {
                auto_store_team team = {0};
                char name[ID_SIZE], id[ID_SIZE];
                snprintf(name, sizeof name, "team-%d", i);
                if (!store_team_add(db, name, START, id, error) || !store_team_find(db, name, &team, error))
                        return false;
                for (int j = i; j < USERS; j += TEAMS)
                        if (!store_team_add_member(db, team.rid, seed->users[j], error))
                                return false;
                if (i == 1 && !store_team_add_member(db, team.rid, seed->users[0], error))
                        return false;
        }
        return true;
}

static bool add_access(struct store_db *db, struct seed *seed, struct error *error)
{
        uint8_t hash[SECRET_HASH_SIZE];
        struct store_key_new key = {
                .hash = hash, .user = seed->users[0], .name = "bench", .hint = "lsk_", .created_at = START};
        char id[ID_SIZE];
        int64_t role;

        secret_key_new(seed->key);
        secret_hash(seed->key, strlen(seed->key), hash);
        if (!store_key_add(db, &key, id, error) ||
            !store_role_put(db, "Developer", true, permissions, COUNT_OF(permissions), error) ||
            !store_role_find(db, "Developer", &role, error))
                return false;
        for (int i = 0; i < VISIBLE_ENVIRONMENTS; i++) {
                struct store_binding_new binding = {.user = seed->users[0],
                                                    .scope = "environment",
                                                    .environment = seed->environments[i],
                                                    .role = role};
                if (!store_binding_add(db, &binding, START, id, error))
                        return false;
        }
        return true;
}

static bool add_people(struct store_db *db, void *context, struct error *error)
{
        struct seed *seed = context;

        return add_environments(db, seed, error) && add_users(db, seed, error) && add_teams(db, seed, error) &&
               add_access(db, seed, error);
}

static bool write_environment_files(const struct seed *seed, struct error *error)
{
        static const char file[] = "{\"description\": \"One of the benchmark's\", \"network\": \"none\"}\n";

        for (int i = 0; i < ENVIRONMENTS; i++) {
                auto_free char *folder = text_format("%s/setup/environments/environment-%d", seed->folder, i);
                auto_free char *path = path_join(folder, "environment.json");
                if (!path_make_folder(folder, 0700, error) || !path_write(path, file, sizeof file - 1, 0600, error))
                        return false;
        }
        return true;
}

static bool fill(struct store *store, struct seed *seed, struct error *error)
{
        if (!store_write(store, add_people, seed, error))
                return false;
        for (; seed->from < seed->count; seed->from += PIECE)
                if (!store_write(store, add_piece, seed, error))
                        return false;
        return store_write(store, add_long_reply, seed, error);
}

int main(int argc, char **argv)
{
        auto_error error = {0};
        struct seed seed = {.folder = argv[1], .count = argc == 3 ? strtoll(argv[2], NULL, 10) : 0};

        if (seed.count <= 0) {
                fprintf(stderr, "usage: %s FOLDER COUNT\n", argv[0]);
                return 2;
        }
        secret_init();
        struct store *store = write_environment_files(&seed, &error) ? store_open(seed.folder, &error) : NULL;
        bool is_filled = store && fill(store, &seed, &error);
        if (store)
                store_close(store);
        if (!is_filled) {
                fprintf(stderr, "%s: %s\n", argv[0], error.message);
                return 1;
        }
        puts(seed.key);
        return 0;
}
