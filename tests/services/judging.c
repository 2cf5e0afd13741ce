#include "tests/services/judging.h"

#include "server/base/path.h"
#include "server/services/group.h"
#include "server/services/task_paths.h"
#include "server/store/saved_change.h"

static const char *const all_agents[] = {"one", "two", "three"};

#define AGENT(name) "{\"name\": \"" name "\", \"command\": [\"x\"], \"promptOn\": \"stdin\", \"format\": \"text\"}"
#define FILE_OF(more)                                                                                                  \
        "{\"defaultAgent\": \"one\", " more "\"repositories\": [{\"name\": \"app\", \"url\": \"https://host/app\"}], " \
        "\"agents\": [" AGENT("one") "," AGENT("two") "," AGENT("three") "]}"

int judging_open(void **state)
{
        world_open(state);
        struct world *world = *state;
        world_environment(world, "many", FILE_OF(""));
        world_environment(world, "walled", FILE_OF("\"shareTasks\": false, "));
        world_bind(world, "dev", "Developer", "many");
        world_bind(world, "viewer", "Viewer", "many");
        world_bind(world, "dev", "Developer", "walled");
        world_renew_people(world);
        world_concurrency(100);
        return 0;
}

struct field_strings judging_agents(size_t count)
{
        return (struct field_strings){.items = (const char **)all_agents, .count = count};
}

char *judging_group(struct world *world, const struct actor *actor, size_t variants)
{
        auto_json *made = must(world_create(world, actor,
                                            NEW_TASK(.environment = "many", .instructions = "Repair the totals",
                                                     .agents = judging_agents(variants)),
                                            &(struct error){0}));
        json_t *ids = json_object_get(made, "taskIds"), *id;
        size_t i;

        json_array_foreach(ids, i, id)
        {
                auto_free char *summary = text_format("summary of %s\n", all_agents[i]),
                               *reply = text_format("reply of %s\n", all_agents[i]);
                world_output_file(world, json_string_value(id), "summary.md", summary, strlen(summary));
                world_end(world, json_string_value(id), reply, RUNNER_EXITED, 0);
        }
        return text_copy(member(made, "groupId"));
}

char *judging_member(struct world *world, const char *group, size_t place)
{
        struct call call = world_call(world, world->admin);
        auto_json *view = NULL;
        auto_error error = {0};

        if (!group_get(&call, &(struct group_get_input){group}, &view, &error))
                fail_msg("%s", error.message);
        return text_copy(member(json_array_get(json_object_get(view, "tasks"), place), "taskId"));
}

json_t *judging(struct world *world, const struct actor *actor, struct judge_create_input input, struct error *error)
{
        auto_json *sent = json_pack("{s:s*, s:s*, s:s*, s:s*, s:s*, s:O*}", "taskId", input.taskId, "groupId",
                                    input.groupId, "instructions", input.instructions, "model", input.model, "agent",
                                    input.agent, "reviewerSettings", input.reviewerSettings);
        struct call call = world_call(world, actor);
        json_t *result = NULL;

        call.arguments = sent;
        return judge_create(&call, &input, &result, error) ? result : NULL;
}

struct changing {
        int64_t turn;
        struct store_saved_change change;
};

static bool change_work(struct store_db *db, void *context, struct error *error)
{
        const struct changing *changing = context;

        return store_saved_change_add(db, changing->turn, &changing->change, error);
}

void judging_change(struct world *world, const char *task, const char *repository, const char *reason)
{
        auto_store_task stored = world_stored(world, task);
        struct changing changing = {stored.turn,
                                    {.repository = (char *)repository,
                                     .state = (char *)"unavailable",
                                     .reason = (char *)reason,
                                     .files = -1,
                                     .additions = -1,
                                     .deletions = -1}};
        auto_error error = {0};

        if (!store_write(world->services.store, change_work, &changing, &error))
                fail_msg("%s", error.message);
}

char *judging_file(struct world *world, const char *judge, const char *path)
{
        auto_free char *output = task_path_output(world->root, judge), *file = path_join(output, path);
        struct text text = TEXT_WITH_MAXIMUM(10000000);
        auto_error error = {0};

        if (!path_read(file, text.maximum, &text, NULL, &error))
                fail_msg("%s: %s", path, error.message);
        return text_take(&text);
}

void judging_decide(struct world *world, const char *judge, const char *recommendation)
{
        world_output_file(world, judge, "recommendation.json", recommendation, strlen(recommendation));
        world_end(world, judge, "judged\n", RUNNER_EXITED, 0);
}
