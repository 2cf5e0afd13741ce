#include "server/services/environment_file.h"

#include <stdatomic.h>
#include <string.h>

#include "git/branch.h"
#include "git/url.h"
#include "server/base/document.h"
#include "server/base/path.h"
#include "server/services/agent.h"
#include "server/services/build_context.h"

#define FILE_MAXIMUM (1024 * 1024)

/* An environment with what it is made of. */
struct entry {
        struct environment environment; /* first: the public pointer is the entry's */
        atomic_uint references;
        json_t *document;
        struct field_memory memory;
        char *id, *name, *reason;
};

static struct entry *entry_of(const struct environment *environment)
{
        return (struct entry *)environment;
}

const struct environment *environment_keep(const struct environment *environment)
{
        atomic_fetch_add_explicit(&entry_of(environment)->references, 1, memory_order_relaxed);
        return environment;
}

void environment_release(const struct environment *environment)
{
        if (!environment || atomic_fetch_sub(&entry_of(environment)->references, 1) != 1)
                return;
        struct entry *entry = entry_of(environment);
        field_memory_clear(&entry->memory);
        json_decref(entry->document);
        free(entry->id);
        free(entry->name);
        free(entry->reason);
        free(entry);
}

/* The last segment of an address ("host:path" included) without .git and slashes; NULL when nothing is left. */
static char *name_of_url(const char *url)
{
        size_t end = strlen(url);

        while (end && url[end - 1] == '/')
                end--;
        if (end >= 4 && !memcmp(url + end - 4, ".git", 4))
                end -= 4;
        size_t begin = end;
        while (begin && url[begin - 1] != '/' && url[begin - 1] != ':')
                begin--;
        return end > begin ? text_format("%.*s", (int)(end - begin), url + begin) : NULL;
}

/* Writes the defaults that a field table cannot express into the document. */
static void complete(json_t *document)
{
        json_t *server = json_object_get(document, "appServer"), *repository;
        size_t i;

        if (!json_object_get(document, "limits"))
                json_object_set_new(document, "limits", json_object());
        if (json_is_object(server) && !json_object_get(server, "readiness"))
                json_object_set_new(server, "readiness", json_object());
        json_array_foreach(json_object_get(document, "repositories"), i, repository)
        {
                const char *url = document_get_string(repository, "url");
                auto_free char *name = url ? name_of_url(url) : NULL;
                if (name && !json_object_get(repository, "name"))
                        json_object_set_new(repository, "name", document_string(name));
        }
}

static bool check_repository(const struct environment_repository *list, size_t i, struct error *error)
{
        auto_error reason = {0};

        if (!repository_url_check(list[i].url, &reason))
                return error_set(error, ERROR_INVALID_INPUT, "repositories[%zu].url: %s", i, reason.message);
        if (!list[i].name)
                return error_set(error, ERROR_INVALID_INPUT,
                                 "repositories[%zu].name is required: the URL does not end in a name", i);
        if (list[i].branch && !branch_name_check(list[i].branch, &reason))
                return error_set(error, ERROR_INVALID_INPUT, "repositories[%zu].branch: %s", i, reason.message);
        for (size_t j = 0; j < i; j++)
                if (!strcmp(list[i].name, list[j].name))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "repositories[%zu].name is %s, as repositories[%zu] is; give one of them "
                                         "another name",
                                         i, list[i].name, j);
        return true;
}

static bool check_repositories(const struct environment_file *file, struct error *error)
{
        for (size_t i = 0; i < file->repositories.count; i++)
                if (!check_repository(file->repositories.items, i, error))
                        return false;
        return true;
}

static bool check_secrets(const struct environment_file *file, struct error *error)
{
        const struct environment_secret *list = file->secrets.items;

        for (size_t i = 0; i < file->secrets.count; i++)
                for (size_t j = 0; j < i; j++)
                        if (!strcmp(list[i].name, list[j].name))
                                return error_set(error, ERROR_INVALID_INPUT,
                                                 "secrets[%zu].name is %s, as secrets[%zu] is; remove one of them", i,
                                                 list[i].name, j);
        return true;
}

static bool check_agent(const struct environment_agent *list, size_t i, struct error *error)
{
        if (agent_find_known(list[i].name))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "agents[%zu].name: %s is a known agent; give yours another name", i, list[i].name);
        for (size_t j = 0; j < i; j++)
                if (!strcmp(list[i].name, list[j].name))
                        return error_set(error, ERROR_INVALID_INPUT, "agents[%zu].name is %s, as agents[%zu] is", i,
                                         list[i].name, j);
        return true;
}

static bool check_agents(const struct environment *environment, struct error *error)
{
        const struct environment_file *file = &environment->file;
        struct agent agent;

        for (size_t i = 0; i < file->agents.count; i++)
                if (!check_agent(file->agents.items, i, error))
                        return false;
        return agent_find(environment, file->defaultAgent, &agent) ||
               error_set(error, ERROR_INVALID_INPUT,
                         "defaultAgent: %s is neither a known agent nor one of the environment's own (agents)",
                         file->defaultAgent);
}

static bool check_servers(const struct environment_file *file, struct error *error)
{
        const struct environment_server *list = file->mcpServers.items;

        for (size_t i = 0; i < file->mcpServers.count; i++)
                for (size_t j = 0; j < i; j++)
                        if (!strcmp(list[i].name, list[j].name))
                                return error_set(error, ERROR_INVALID_INPUT,
                                                 "mcpServers[%zu].name is %s, as mcpServers[%zu] is", i, list[i].name,
                                                 j);
        return true;
}

/* Fills the entry's file from its document; what it filled before is let go. */
static bool fill(struct entry *entry, struct error *error)
{
        field_memory_clear(&entry->memory);
        if (json_is_object(entry->document))
                complete(entry->document);
        return field_read(&environment_table, entry->document, &entry->memory, &entry->environment.file, error) &&
               check_repositories(&entry->environment.file, error) && check_secrets(&entry->environment.file, error) &&
               check_agents(&entry->environment, error) && check_servers(&entry->environment.file, error) &&
               environment_check_runs(&entry->environment.file, error);
}

/* Drops the part of the parser's message that repeats the file: it may hold a secret, and the reason is shown to
 * everybody who sees the environment. */
static void hide_content(char *message)
{
        char *begin = strstr(message, " near "), *end = begin ? strrchr(begin, '(') : NULL;

        if (end)
                memmove(begin + 1, end, strlen(end) + 1);
        else if (begin)
                *begin = '\0';
}

static bool read_file(struct entry *entry, int folder, const char *name, struct error *error)
{
        auto_free char *path = path_join(name, ENVIRONMENT_FILE_NAME);
        auto_text text = TEXT_WITH_MAXIMUM(FILE_MAXIMUM);
        auto_error reason = {0};

        auto_fd file = path_open_beneath(folder, path, &reason);
        if (file < 0)
                return error_set(error, ERROR_FILE_NOT_FOUND,
                                 "there is no regular file " ENVIRONMENT_FILE_NAME " that can be read in its folder");
        if (!path_read_open(file, ENVIRONMENT_FILE_NAME, FILE_MAXIMUM, &text, error))
                return false;
        entry->document = document_parse(text_string(&text), text.length, error);
        if (!entry->document)
                hide_content(error->message);
        return (entry->document && fill(entry, error)) || error_prefix(error, ENVIRONMENT_FILE_NAME);
}

/* A broken environment has the default of everything, so that nobody need ask whether it is broken. */
static void fill_broken(struct entry *entry, const struct error *reason)
{
        auto_error impossible = {0};

        json_decref(entry->document);
        entry->document = json_pack("{s:s}", "status", "disabled");
        if (!fill(entry, &impossible))
                abort();
        entry->reason = text_copy(reason->message);
        entry->environment.broken_reason = entry->reason;
}

static char *clean_name(const char *name)
{
        auto_text clean = TEXT_WITH_MAXIMUM(4096);

        utf8_append_clean(&clean, name, strlen(name));
        return text_take(&clean);
}

struct environment *environment_read(int folder, const char *name)
{
        struct entry *entry = memory_new(sizeof *entry);
        auto_error error = {0};

        atomic_init(&entry->references, 1);
        entry->name = clean_name(name);
        entry->environment.name = entry->name;
        entry->environment.id = "";
        bool is_good =
                environment_name_is_allowed(name) ||
                error_set(&error, ERROR_INVALID_INPUT,
                          "the folder's name is not allowed: it must have 1 to %d letters, digits, dots, hyphens "
                          "and underscores, and begin with a letter or digit",
                          ENVIRONMENT_NAME_MAXIMUM);
        if (!is_good || !read_file(entry, folder, name, &error))
                fill_broken(entry, &error);
        else
                entry->environment.build_source = build_source_find(folder, name);
        return &entry->environment;
}

void environment_identify(struct environment *environment, int64_t rid, const char *id)
{
        struct entry *entry = entry_of(environment);

        free(entry->id);
        entry->id = text_copy(id);
        environment->rid = rid;
        environment->id = entry->id;
}
