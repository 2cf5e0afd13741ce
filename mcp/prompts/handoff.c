/* Has a client's model hand the session's work over to a task. */
#include <string.h>

#include "mcp/prompts/prompts.h"
#include "server/base/document.h"
#include "server/services/environment.h"

#define PROMPT_MAXIMUM (256 * 1024)

/* The environments where the caller may make tasks. NULL on error. */
static json_t *usable_environments(struct call *call, struct error *error)
{
        auto_json *all = NULL;
        json_t *names = json_array(), *environment;
        size_t i;

        if (!environment_list(call, &all, error)) {
                json_decref(names);
                return NULL;
        }
        json_array_foreach(json_object_get(all, "environments"), i, environment)
        {
                const char *status = document_get_string(environment, "status");
                if (json_is_true(json_object_get(environment, "canCreateTasks")) && status && !strcmp(status, "active"))
                        json_array_append(names, json_object_get(environment, "name"));
        }
        return names;
}

static bool complete_environment(struct call *call, const char *typed, json_t *values, struct error *error)
{
        auto_json *names = usable_environments(call, error);
        json_t *name;
        size_t i;

        if (!names)
                return false;
        json_array_foreach(names, i, name)
        {
                if (!strncmp(json_string_value(name), typed, strlen(typed)))
                        json_array_append(values, name);
        }
        return true;
}

static const struct prompt_argument arguments[] = {
        {"environment", "Environment that the task is to run in; without it the model chooses.", false,
         complete_environment},
        {"remaining", "What is left to do, in your words; without it the model says it.", false, NULL},
        {0},
};

static bool is_among(const json_t *names, const char *wanted)
{
        json_t *name;
        size_t i;

        json_array_foreach(names, i, name)
        {
                if (!strcmp(json_string_value(name), wanted))
                        return true;
        }
        return false;
}

static void write_environment(struct text *out, const json_t *names, const char *wanted)
{
        json_t *name;
        size_t i;

        if (wanted) {
                text_printf(out, "\"%s\".\n", wanted);
                return;
        }
        text_append_string(out, "the one that this work belongs to (list_environments describes them):");
        json_array_foreach(names, i, name)
        {
                text_printf(out, "%s \"%s\"", i ? "," : "", json_string_value(name));
        }
        text_append_string(out, json_array_size(names) ? ".\n" : " none is open to you at the moment.\n");
}

static void write_prompt(struct text *out, const json_t *names, const char *environment, const char *remaining)
{
        text_append_string(
                out,
                "Hand the work of this session over to a Longshore task, so that another agent goes on with it.\n\n"
                "First write down what somebody who has not seen this session has to know: what it is for, what was "
                "done and decided and why, the files that matter, what fails or is unfinished, and what must be left "
                "alone. Leave out passwords and keys.\n\nThen call create_task with\n- environment: ");
        write_environment(out, names, environment);
        text_append_string(out, "- instructions: what is left to do, complete in itself");
        if (remaining)
                text_printf(out, ", namely:\n\n%s\n\n", remaining);
        else
                text_append_string(out, ".\n");
        text_append_string(
                out, "- name: a few words to know it by.\n- handoff: an object with source (which program this "
                     "session runs in), summary (what you wrote down; at most about 24,000 characters of it reach the "
                     "agent's prompt) and, where you have it, transcript (the conversation).\n- requestId: a fresh "
                     "UUID, so that a repeated call makes no second task.\n\nTell the user the task's url and taskId, "
                     "and do not go on with the work here.");
}

static bool get(struct call *call, const struct message *message, const json_t *given, json_t **result,
                struct error *error)
{
        const char *environment = document_get_string(given, "environment");
        const char *remaining = document_get_string(given, "remaining");
        auto_json *names = usable_environments(call, error);
        auto_text text = TEXT_WITH_MAXIMUM(PROMPT_MAXIMUM);

        (void)message;
        if (!names)
                return false;
        if (environment && !*environment)
                environment = NULL;
        if (environment && !is_among(names, environment))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "There is no environment of that name where you may create tasks.");
        write_prompt(&text, names, environment, remaining && *remaining ? remaining : NULL);
        *result = json_pack("{s:s, s:[{s:s, s:{s:s, s:o}}]}", "description", "Hand this session's work to a task",
                            "messages", "role", "user", "content", "type", "text", "text",
                            document_text(text_string(&text), text.length));
        return true;
}

const struct prompt prompt_handoff = {
        .name = "handoff",
        .title = "Hand this session over",
        .description = "Has the model sum the session up and start a task that goes on with it.",
        .arguments = arguments,
        .get = get,
};
