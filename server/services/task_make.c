#include "server/services/task_make.h"

#include "server/store/pin.h"
#include "server/store/turn.h"

static bool add_task(struct call *call, const struct task_making *making, int64_t *rid, struct error *error)
{
        const struct store_task_new task = {.id = making->id,
                                            .name = making->name,
                                            .is_name_generated = making->is_name_generated,
                                            .status = "staged",
                                            .type = making->type,
                                            .model = making->model,
                                            .reasoning_effort = making->reasoning_effort,
                                            .speed = making->speed,
                                            .agent = making->agent,
                                            .source = call->source,
                                            .branches = making->branches,
                                            .environment = making->environment,
                                            .creator = call->actor->user,
                                            .is_shared = making->is_shared,
                                            .created_at = call->now};

        return store_task_add(call->db, &task, rid, error);
}

static bool add_turn(struct call *call, const struct task_making *making, int64_t task, int64_t *turn,
                     struct error *error)
{
        auto_free char *shown = prompt_shown(making->prompt),
                       *given = prompt_given(making->prompt, agent_find_known(making->agent));
        const struct store_turn_new first = {.task = task,
                                             .sender = call->actor->user,
                                             .kind = "initial",
                                             .origin = call->source,
                                             .state = "staged",
                                             .agent = making->agent,
                                             .shown = shown,
                                             .given = given,
                                             .submitted_at = call->now};
        int64_t ordinal;

        return store_turn_add(call->db, &first, turn, &ordinal, error) &&
               prompt_keep(call->db, making->prompt, *turn, error) &&
               upload_attach(call->db, making->upload, *turn, error) &&
               store_task_set_turn(call->db, task, *turn, error);
}

static bool pin(struct call *call, int64_t task, struct error *error)
{
        bool is_pinned = false;
        int64_t version;

        if (!call->actor->user)
                return true;
        return store_user_auto_pin(call->db, call->actor->user, &is_pinned, error) &&
               (!is_pinned || store_pin_put(call->db, call->actor->user, task, true, 0, &version, error));
}

bool task_make(struct call *call, const struct task_making *making, int64_t *rid, int64_t *turn, struct error *error)
{
        return add_task(call, making, rid, error) && add_turn(call, making, *rid, turn, error) &&
               pin(call, *rid, error);
}
