#include <string.h>

#include "server/base/document.h"
#include "server/services/agents/agents.h"

/* The copy is made by the agent's user: the server never opens a path in its home. */
#define BEGIN_SCRIPT "cp -R \"$0/home/.\" \"$HOME/\" && exec \"$@\""

void agent_begin(struct agent_command *command, const struct agent_turn *turn, const char *program)
{
        agent_word(command, "/bin/sh");
        agent_word(command, "-c");
        agent_word(command, "%s", BEGIN_SCRIPT);
        agent_word(command, "%s", turn->folder);
        agent_word(command, AGENT_PROGRAM_FOLDER "/%s", program);
}

bool agent_has_model(const struct agent_turn *turn)
{
        return turn->model && strcmp(turn->model, "auto");
}

json_t *agent_servers(const struct agent_turn *turn, const char *url, const char *type)
{
        json_t *servers = json_object(), *result = json_object();

        for (size_t i = 0; i < turn->server_count; i++) {
                const struct agent_server *server = &turn->servers[i];
                json_t *one = json_object();
                if (type)
                        json_object_set_new(one, "type", json_string(type));
                json_object_set_new(one, url, json_string(server->url));
                if (json_object_size(server->headers))
                        json_object_set_new(one, "headers", json_deep_copy(server->headers));
                json_object_set_new(servers, server->name, one);
        }
        json_object_set_new(result, "mcpServers", servers);
        return result;
}

void agent_own_configure(const struct agent_turn *turn, struct agent_files *files)
{
        auto_json *servers = agent_servers(turn, "url", "http");

        agent_file_add(files, "mcp.json", document_print(servers));
}
