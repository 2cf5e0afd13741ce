#include <string.h>

#include "server/services/judge.h"
#include "server/services/judge_request.h"
#include "server/services/model.h"

#define TOOL "create_judge_task"

struct settings_input {
        const char *model, *reasoningEffort, *speed;
};
static const struct field reviewer_rows[] = {
        STRING_FIELD(struct settings_input, model, .minimum = 1, .maximum = 200, .help = "Model of the reviewer."),
        STRING_FIELD(struct settings_input, reasoningEffort, .minimum = 1, .maximum = 40,
                     .help = "Reasoning effort of the reviewer."),
        STRING_FIELD(struct settings_input, speed, .choices = model_speeds, .help = "Speed of a Codex reviewer."),
};
static const struct field_table reviewer_table = FIELD_TABLE(struct settings_input, reviewer_rows);

static struct judge_reviewer *find(struct judge_order *order, const char *agent)
{
        for (size_t i = 0; i < order->reviewer_count; i++)
                if (order->reviewers[i].agent && !strcmp(order->reviewers[i].agent, agent))
                        return &order->reviewers[i];
        return NULL;
}

static bool read_settings(json_t *settings, struct judge_order *order, struct error *error)
{
        const char *agent;
        json_t *value;

        if (settings && !json_is_object(settings))
                return error_set(error, ERROR_INVALID_INPUT, "reviewerSettings: must be an object of agents");
        json_object_foreach(settings, agent, value)
        {
                struct judge_reviewer *reviewer = find(order, agent);
                auto_field_memory memory = {0};
                struct settings_input input;
                if (!reviewer)
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "reviewerSettings.%.60s: name the agent in agent or agents too", agent);
                if (!field_read(&reviewer_table, value, &memory, &input, error))
                        return error_prefix(error, "reviewerSettings.%.60s", agent);
                reviewer->model = input.model;
                reviewer->effort = input.reasoningEffort;
                reviewer->speed = input.speed;
        }
        return true;
}

static bool read_reviewers(const struct judge_create_input *input, struct judge_order *order, struct error *error)
{
        bool is_chosen = input->model || input->reasoningEffort || input->speed;

        if (input->agent && input->agents.count)
                return error_set(error, ERROR_AGENTS_INVALID, "give either agent or agents, not both");
        if (input->agents.count > JUDGE_REVIEWERS_MAXIMUM)
                return error_set(error, ERROR_AGENTS_INVALID, "agents: at most %d at once", JUDGE_REVIEWERS_MAXIMUM);
        order->reviewer_count = input->agents.count ? input->agents.count : 1;
        order->reviewers[0].agent = input->agent;
        for (size_t i = 0; i < input->agents.count; i++)
                order->reviewers[i].agent = input->agents.items[i];
        if (is_chosen && input->reviewerSettings)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "reviewerSettings: give either it or model, reasoningEffort and speed");
        if (is_chosen && order->reviewer_count > 1)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "model, reasoningEffort and speed are for one reviewer; use reviewerSettings");
        order->reviewers[0].model = input->model;
        order->reviewers[0].effort = input->reasoningEffort;
        order->reviewers[0].speed = input->speed;
        return read_settings(input->reviewerSettings, order, error);
}

static bool read_order(const struct judge_create_input *input, struct judge_order *order, struct error *error)
{
        *order = (struct judge_order){.task_id = input->taskId, .group_id = input->groupId, .task_ids = input->taskIds};
        if (input->instructions && input->instructions[strspn(input->instructions, " \t\r\n")])
                order->instructions = input->instructions;
        return read_reviewers(input, order, error);
}

static bool make(struct call *call, const struct judge_create_input *input, const struct judge_request *request,
                 json_t **result, struct error *error)
{
        struct judge_order order;

        if (!read_order(input, &order, error))
                return false;
        order.is_waiting = input->whenFinished;
        return input->whenFinished ? judge_request_save(call, request, &order, result, error)
                                   : judge_request_launch(call, request, &order, result, error);
}

bool judge_create(struct call *call, const struct judge_create_input *input, json_t **result, struct error *error)
{
        struct judge_request request = {.tool = TOOL, .id = input->requestId, .loop = input->reviewLoop};
        bool is_answered = false;

        bool is_done = judge_request_begin(call, &request, result, &is_answered, error) &&
                       (is_answered || make(call, input, &request, result, error));
        judge_request_end(call, &request);
        return is_done;
}
