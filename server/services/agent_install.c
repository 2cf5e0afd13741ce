#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/base/secret.h"
#include "server/services/agent.h"
#include "server/services/agent_program.h"
#include "server/services/audit.h"
#include "server/services/write.h"

#define LOCK_MAXIMUM (4 * 1024 * 1024)
#define OUTPUT_MAXIMUM 2000
#define ARGUMENTS_MAXIMUM 16
#define HASH_DIGITS 16

extern char **environ;

static bool is_version(const char *value)
{
        return !value[strspn(value, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-+")] &&
               *value != '-';
}

static const struct field rows[] = {
        STRING_FIELD(struct agent_install_input, name, .is_required = true, .minimum = 1, .maximum = 64,
                     .help = "The agent, or `all` for those that can be fetched."),
        STRING_FIELD(struct agent_install_input, version, .minimum = 1, .maximum = 64, .is_valid = is_version,
                     .shape = "a version such as 1.2.3",
                     .help = "The version; by default the one that this release was tested with."),
        STRING_FIELD(struct agent_install_input, from, .minimum = 1, .maximum = 4000, .format = "path",
                     .help = "A folder that holds the program, instead of fetching it."),
};
const struct field_table agent_install_table = FIELD_TABLE(struct agent_install_input, rows);

static const char *machine(void)
{
#if defined(__aarch64__)
        return "arm64";
#else
        return "x64";
#endif
}

/* %s is the version, %m the machine. */
static char *expand(const char *pattern, const char *version)
{
        struct text out = TEXT_WITH_MAXIMUM(4096);

        for (; *pattern; pattern++) {
                if (pattern[0] == '%' && (pattern[1] == 's' || pattern[1] == 'm'))
                        text_append_string(&out, *++pattern == 's' ? version : machine());
                else
                        text_append(&out, pattern, 1);
        }
        return text_take(&out);
}

/* Runs a program and waits; what it printed of late explains a failure. */
static bool run(const char *const *words, const char *log, struct error *error)
{
        posix_spawn_file_actions_t actions;
        auto_text output = TEXT_WITH_MAXIMUM(1024 * 1024);
        auto_error ignored = {0};
        int status = -1;
        pid_t pid;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
        int failure = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
        posix_spawn_file_actions_destroy(&actions);
        if (failure)
                return error_set(error, ERROR_UNAVAILABLE, "%s cannot be started: %s%s", words[0], strerror(failure),
                                 strcmp(words[0], "npm") ? "" : "; install the package npm, or use --from FOLDER");
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
                return true;
        if (!path_read(log, 1024 * 1024, &output, NULL, &ignored))
                text_clear(&output);
        size_t from = output.length > OUTPUT_MAXIMUM / 4 ? output.length - OUTPUT_MAXIMUM / 4 : 0;
        return error_set(error, ERROR_UNAVAILABLE, "%s failed: %s", words[0], text_string(&output) + from);
}

static bool fetch(const struct agent *agent, const char *version, const char *work, struct error *error)
{
        const char *words[ARGUMENTS_MAXIMUM + 1] = {
                "npm",        "install",   "--prefix",        work,        "--ignore-scripts",
                "--no-audit", "--no-fund", "--omit=optional", "--no-save", "--package-lock=false"};
        char *owned[ARGUMENTS_MAXIMUM];
        size_t count = 10, packages = 0;
        auto_free char *log = path_join(work, "npm.log"), *manifest = path_join(work, "package.json");
        bool is_good = path_write(manifest, "{\"private\":true}", 16, 0600, error);

        for (; is_good && agent->packages[packages].name; packages++)
                words[count++] = owned[packages] = expand(agent->packages[packages].name, version);
        is_good = is_good && run(words, log, error);
        while (packages-- > 0)
                free(owned[packages]);
        return is_good;
}

static bool copy(const char *source, const char *target, struct error *error)
{
        auto_free char *log = text_format("%s.log", target), *contents = text_format("%s/.", source);
        const char *const words[] = {"cp",   "-R", "--preserve=mode,links", "--reflink=auto", "--", contents,
                                     target, NULL};
        bool is_good = path_make_folder(target, 0755, error) && run(words, log, error);

        unlink(log);
        return is_good;
}

/* Moves what npm brought to where the program's row expects it. */
static bool arrange(const struct agent *agent, const char *version, const char *work, const char *ready,
                    struct error *error)
{
        for (const struct agent_package *package = agent->packages; package->name; package++) {
                auto_free char *folder = expand(package->folder, version),
                               *pattern = text_format("%s/node_modules/%s", work, folder),
                               *target = path_join(ready, package->target);
                glob_t found = {0};
                bool is_good = !glob(pattern, GLOB_ONLYDIR, NULL, &found) && found.gl_pathc == 1;
                is_good = is_good ? copy(found.gl_pathv[0], target, error)
                                  : error_set(error, ERROR_UNAVAILABLE, "npm did not bring %s", folder);
                globfree(&found);
                if (!is_good)
                        return false;
        }
        return true;
}

/* The hash of what npm has checked the packages by, so that another content is another folder. */
static bool hash_of(const char *work, char digits[HASH_DIGITS + 1], struct error *error)
{
        auto_free char *path = path_join(work, "node_modules/.package-lock.json");
        auto_text lock = TEXT_WITH_MAXIMUM(LOCK_MAXIMUM);
        uint8_t hash[SECRET_HASH_SIZE];

        if (!path_read(path, LOCK_MAXIMUM, &lock, NULL, error))
                return false;
        secret_hash(text_string(&lock), lock.length, hash);
        for (size_t i = 0; i < HASH_DIGITS / 2; i++)
                snprintf(digits + 2 * i, 3, "%02x", hash[i]);
        return true;
}

/* Puts the finished folder in its place and makes it the current one; both at once or not at all. */
static bool publish(const char *folder, const char *ready, const char *name, struct error *error)
{
        auto_free char *place = path_join(folder, name), *current = path_join(folder, "current"),
                       *next = path_join(folder, ".current");
        struct stat info;

        if (lstat(place, &info) && rename(ready, place))
                return error_set(error, ERROR_INTERNAL, "%s cannot be made: %s", place, strerror(errno));
        unlink(next);
        return (symlink(name, next) == 0 && rename(next, current) == 0) ||
               error_set(error, ERROR_INTERNAL, "%s cannot be made: %s", current, strerror(errno));
}

static bool has_program(const struct agent *agent, const char *ready, struct error *error)
{
        auto_free char *program = path_join(ready, agent->program);

        return access(program, R_OK) == 0 || error_set(error, ERROR_INVALID_INPUT, "%s is not in it", agent->program);
}

static bool build(const struct agent *agent, const struct agent_install_input *input, const char *folder,
                  const char *work, char **name, struct error *error)
{
        const char *version = input->version ? input->version : agent->version ? agent->version : "local";
        auto_free char *ready = path_join(work, "ready");
        char digits[HASH_DIGITS + 1] = "local";

        bool is_good = input->from ? copy(input->from, ready, error)
                                   : fetch(agent, version, work, error) && hash_of(work, digits, error) &&
                                             arrange(agent, version, work, ready, error);
        if (!is_good || !has_program(agent, ready, error))
                return false;
        if (input->from) {
                char id[ID_SIZE];
                id_new("f", id);
                snprintf(digits, sizeof digits, "%.15s", id + 2);
        }
        auto_free char *made = text_format("%s-%s", version, digits);
        if (!publish(folder, ready, made, error))
                return false;
        *name = take(made);
        return true;
}

static bool install_one(struct call *call, const struct agent *agent, const struct agent_install_input *input,
                        json_t *list, struct error *error)
{
        auto_free char *programs = agent_programs_folder(call->services), *folder = path_join(programs, agent->name),
                       *name = NULL;
        char id[ID_SIZE];
        auto_error ignored = {0};

        id_new("i", id);
        auto_free char *work = text_format("%s/.%s", folder, id);
        bool is_good = path_make_folder(folder, 0755, error) && path_make_folder(work, 0755, error) &&
                       build(agent, input, folder, work, &name, error);
        if (!path_remove_tree(work, &ignored) && is_good)
                return error_move(error, &ignored);
        if (!is_good)
                return error_prefix(error, "%s", agent->name);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s}", "name", agent->name, "version", name, "folder", folder));
        return true;
}

static bool install_all(struct call *call, const struct agent_install_input *input, json_t *list, struct error *error)
{
        if (input->version || input->from)
                return error_set(error, ERROR_INVALID_INPUT, "all: a version or a folder is that of one agent");
        for (size_t i = 0; i < agent_count; i++)
                if (agents[i]->packages && !install_one(call, agents[i], input, list, error))
                        return false;
        return true;
}

static bool audit(struct store_db *db, void *context, struct error *error)
{
        struct call *call = context;
        const char *name = document_get_string(call->arguments, "name");

        return audit_write(db, call->actor, "agent.install", name, json_incref((json_t *)call->arguments), error);
}

bool agent_install(struct call *call, const struct agent_install_input *input, json_t **result, struct error *error)
{
        auto_json *list = json_array();
        struct agent agent;

        bool is_good;
        if (!strcmp(input->name, "all"))
                is_good = install_all(call, input, list, error);
        else if (!agent_find(NULL, input->name, &agent) || !agent.program)
                is_good = error_set(error, ERROR_AGENT_UNKNOWN, "%.100s is not an agent with a program to install",
                                    input->name);
        else if (!agent.packages && !input->from)
                is_good = error_set(error, ERROR_INVALID_INPUT,
                                    "%s is not fetched by this server: give the folder that holds %s with --from",
                                    input->name, agent.program);
        else
                is_good = install_one(call, &agent, input, list, error);
        if (!is_good || !store_write(call->services->store, audit, call, error))
                return false;
        *result = json_pack("{s:O}", "installed", list);
        return true;
}
