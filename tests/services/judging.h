/* What the tests of judges share: an environment with three agents that need no account, and runs of judges. */
#ifndef TESTS_SERVICES_JUDGING_H
#define TESTS_SERVICES_JUDGING_H

#include "server/services/judge.h"
#include "tests/services/world.h"

#define UUID "3f0f9b0e-6f3c-4c0e-9d8a-1f8c2b7a9e31"

/* A cmocka fixture for world_close: the environment many, where dev is Developer and viewer Viewer, and dev too in
 * `walled`, where tasks are private. */
int judging_open(void **state);
/* A finished group of so many variants, of the agents one, two and three; its id on the heap. Each has replied
 * "reply of AGENT" and left a summary "summary of AGENT". */
char *judging_group(struct world *world, const struct actor *actor, size_t variants);
/* The id of the task at the place in the group, on the heap. */
char *judging_member(struct world *world, const char *group, size_t place);
/* A run, as a door asks for it. NULL is a refusal. */
json_t *judging(struct world *world, const struct actor *actor, struct judge_create_input input, struct error *error);
#define JUDGE(actor, ...) must(judging(world, actor, (struct judge_create_input){__VA_ARGS__}, &(struct error){0}))
struct field_strings judging_agents(size_t count);
/* Records that the task's last turn changed the repository, in a way that is not known for this reason. */
void judging_change(struct world *world, const char *task, const char *repository, const char *reason);
/* Reads a file of a judge's output, on the heap. */
char *judging_file(struct world *world, const char *judge, const char *path);
/* Has the judge write its recommendation and end. */
void judging_decide(struct world *world, const char *judge, const char *recommendation);

#endif
