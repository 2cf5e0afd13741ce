/* A small server without doors and engine: a store, an environments registry, people with roles, and short ways to call
 * the task services as the doors do. Failures of what a test takes for granted fail the test. */
#ifndef TESTS_SERVICES_WORLD_H
#define TESTS_SERVICES_WORLD_H

#include "tests/cmocka.h"

#include "server/base/document.h"
#include "server/services/runtime_parts.h"
#include "server/services/task.h"

struct world {
        char root[64];
        char *setup;
        char *credentials; /* path of DATA/git-credentials */
        struct services services;
        struct runtime runtime; /* for turn_end alone: no thread runs */
        struct store_db *db;    /* a reader of the test's thread */
        struct actor *admin, *dev, *viewer, *outsider;
        int64_t now; /* of the next call; every call moves it on by a second */
};

/* cmocka fixtures: environments main (with repositories app and fixed), other, off (disabled) and closed (private
 * tasks); admin at the server, dev and viewer in main and closed, dev and outsider in other. */
int world_open(void **state);
int world_close(void **state);

/* Writes an environment's file and has it read. */
void world_environment(struct world *world, const char *name, const char *content);
/* Sets TASK_CONCURRENCY; world_close sets it back. */
void world_concurrency(int64_t count);
void world_person(struct world *world, const char *name);
void world_bind(struct world *world, const char *name, const char *role, const char *environment);
/* What the person may do now; the caller frees it with actor_free. */
struct actor *world_actor(struct world *world, const char *name);
/* Makes an environment "crowd" of many agents, which world->dev may work in, and gives their names. */
struct field_strings world_crowd(struct world *world);
/* world->dev and world->viewer with what they may do now, after world_bind(). */
void world_renew_people(struct world *world);
void world_team(struct world *world, const char *team, const char *first, const char *second);

/* The services as the doors call them: with what a receipt's fingerprint covers, and the presets of the reference in
 * place of zeros (latestResponse included, pinned either way). Results are the caller's; NULL is a refusal. */
json_t *world_create(struct world *world, const struct actor *actor, struct task_create_input input,
                     struct error *error);
json_t *world_follow_up(struct world *world, const struct actor *actor, struct task_follow_up_input input,
                        struct error *error);
enum world_change { WORLD_RENAME, WORLD_UNSHARE, WORLD_START };
json_t *world_change(struct world *world, const struct actor *actor, enum world_change change, const char *task_id,
                     const char *name, struct error *error);
json_t *world_get(struct world *world, const struct actor *actor, struct task_get_input input, struct error *error);
json_t *world_output(struct world *world, const struct actor *actor, const char *task_id, const char *section,
                     struct error *error);
json_t *world_read(struct world *world, const struct actor *actor, struct task_file_input input, struct error *error);
json_t *world_list(struct world *world, const struct actor *actor, struct task_list_input input, struct error *error);
#define NOT_PINNED 2

/* A call of the actor on the world's reader, a second later than the one before. */
struct call world_call(struct world *world, const struct actor *actor);

/* Short forms that must succeed. */
#define NEW_TASK(...) ((struct task_create_input){.shared = -1, __VA_ARGS__})
#define GET(actor, ...) must(world_get(world, actor, (struct task_get_input){__VA_ARGS__}, &(struct error){0}))
#define LIST(actor, ...) must(world_list(world, actor, (struct task_list_input){__VA_ARGS__}, &(struct error){0}))
#define READ(actor, ...) must(world_read(world, actor, (struct task_file_input){__VA_ARGS__}, &(struct error){0}))
#define OUTPUT(actor, id, section) must(world_output(world, actor, id, section, &(struct error){0}))
json_t *must(json_t *result);

/* Makes a task of `actor` in the environment; returns its id on the heap. */
char *world_task(struct world *world, const struct actor *actor, const char *environment, const char *instructions);
/* Ends the task's latest turn: it printed `output` (NULL: nothing), and ended for `reason` with `code`. */
void world_end(struct world *world, const char *task_id, const char *output, enum runner_reason reason, int64_t code);
void world_end_exit(struct world *world, const char *task_id, const char *output, const struct runner_exit *exit);
/* The task and its latest turn as the store has them. */
struct store_task world_stored(struct world *world, const char *task_id);
struct store_turn world_turn(struct world *world, const char *task_id);

/* Writes a file below DATA/tasks/ID/output or DATA/records/ID, with its folders. */
void world_output_file(struct world *world, const char *task_id, const char *path, const void *bytes, size_t length);
void world_record_file(struct world *world, const char *task_id, const char *path, const void *bytes, size_t length);
void world_credentials(struct world *world, const char *content);

/* Runs SQL through a connection of the test's own. */
void world_sql(struct world *world, const char *sql);
/* The first column of the first row as an integer. */
int64_t world_number(struct world *world, const char *sql);

/* The string member of an object that must be there. */
const char *member(const json_t *object, const char *name);
#define assert_code(error, expected) assert_string_equal(error_kind((error).code)->code, expected)

#endif
