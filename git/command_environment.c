#include "git/command_environment.h"

#include <stdio.h>

#include "server/base/cleanup.h"
#include "server/base/text.h"

struct pair {
        const char *name;
        const char *value;
};

static const struct pair variables[] = {
        {"HOME", "/nonexistent"},
        {"XDG_CONFIG_HOME", "/nonexistent"},
        {"LC_ALL", "C"},
        {"GIT_CONFIG_NOSYSTEM", "1"},
        {"GIT_CONFIG_GLOBAL", "/dev/null"},
        {"GIT_ATTR_NOSYSTEM", "1"},
        {"GIT_TERMINAL_PROMPT", "0"},
        {"GIT_ASKPASS", ""},
        {"GIT_ADVICE", "0"},
};

/* What the worker was given to pass on, see git/worker.c. */
static const char *const passed_on[] = {"PATH",      "http_proxy", "https_proxy", "HTTPS_PROXY",   "all_proxy",
                                        "ALL_PROXY", "no_proxy",   "NO_PROXY",    "GIT_SSL_CAINFO"};

/* The checks of git-fsck(1) that old, harmless history fails are off; what could reach outside a checkout stays on. */
static const struct pair configuration[] = {
        {"core.hooksPath", "/dev/null"},
        {"core.fsmonitor", "false"},
        {"core.autocrlf", "false"},
        {"core.logAllRefUpdates", "false"},
        {"core.packedGitWindowSize", "32m"},
        {"credential.helper", ""},
        {"http.followRedirects", "false"},
        {"http.lowSpeedLimit", "1"},
        {"http.lowSpeedTime", "300"},
        {"gc.auto", "0"},
        {"maintenance.auto", "false"},
        {"submodule.recurse", "false"},
        {"fetch.recurseSubmodules", "false"},
        {"fetch.unpackLimit", "1"},
        {"pack.threads", "2"},
        {"init.defaultBranch", "main"},
        {"fetch.fsckObjects", "true"},
        {"fetch.fsck.badEmail", "ignore"},
        {"fetch.fsck.badFilemode", "ignore"},
        {"fetch.fsck.badTagName", "ignore"},
        {"fetch.fsck.badTimezone", "ignore"},
        {"fetch.fsck.emptyName", "ignore"},
        {"fetch.fsck.missingEmail", "ignore"},
        {"fetch.fsck.missingNameBeforeEmail", "ignore"},
        {"fetch.fsck.missingSpaceBeforeDate", "ignore"},
        {"fetch.fsck.missingSpaceBeforeEmail", "ignore"},
        {"fetch.fsck.missingTaggerEntry", "ignore"},
        {"fetch.fsck.multipleAuthors", "ignore"},
        {"fetch.fsck.zeroPaddedDate", "ignore"},
        {"fetch.fsck.zeroPaddedFilemode", "ignore"},
};

struct list {
        char **items;
        size_t count;
        size_t settings;
};

static void add(struct list *list, const char *name, const char *value)
{
        list->items[list->count++] = text_format("%s=%s", name, value);
}

static void add_setting(struct list *list, const char *name, const char *value)
{
        list->items[list->count++] = text_format("GIT_CONFIG_KEY_%zu=%s", list->settings, name);
        list->items[list->count++] = text_format("GIT_CONFIG_VALUE_%zu=%s", list->settings++, value);
}

char **command_environment_new(const char *protocols, const char *header, const char *alternates)
{
        size_t room = COUNT_OF(variables) + COUNT_OF(passed_on) + 2 * COUNT_OF(configuration) + 6;
        struct list list = {.items = memory_new(room * sizeof(char *))};
        char count[24];

        for (size_t i = 0; i < COUNT_OF(variables); i++)
                add(&list, variables[i].name, variables[i].value);
        for (size_t i = 0; i < COUNT_OF(passed_on); i++)
                if (getenv(passed_on[i]))
                        add(&list, passed_on[i], getenv(passed_on[i]));
        for (size_t i = 0; i < COUNT_OF(configuration); i++)
                add_setting(&list, configuration[i].name, configuration[i].value);
        if (header)
                add_setting(&list, "http.extraHeader", header);
        snprintf(count, sizeof count, "%zu", list.settings);
        add(&list, "GIT_CONFIG_COUNT", count);
        add(&list, "GIT_ALLOW_PROTOCOL", protocols);
        if (alternates)
                add(&list, "GIT_ALTERNATE_OBJECT_DIRECTORIES", alternates);
        return list.items;
}
