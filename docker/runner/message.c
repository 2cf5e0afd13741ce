#include "docker/runner/message.h"

#include <inttypes.h>
#include <string.h>

#include "docker/runner/member.h"
#include "server/base/document.h"
#include "server/base/path.h"

#define DAY_MS (24LL * 60 * 60 * 1000)
#define ID_NUMBER_MAXIMUM 0x7fffffffLL
#define PATH_MAXIMUM 1024
#define TIME_MAXIMUM 0xffffffffffffLL

static const char *const prompt_on_names[] = {[RUNNER_PROMPT_ON_STDIN] = "stdin", [RUNNER_PROMPT_ON_FD3] = "fd3"};
static const char *const stop_names[] = {[RUNNER_STOP] = "stop", [RUNNER_INTERRUPT] = "interrupt"};
static const char *const reason_names[] = {
        [RUNNER_EXITED] = "exited",         [RUNNER_SIGNALED] = "signaled",
        [RUNNER_STOPPED] = "stopped",       [RUNNER_INTERRUPTED] = "interrupted",
        [RUNNER_TIME_LIMIT] = "time_limit", [RUNNER_OUT_OF_MEMORY] = "out_of_memory",
        [RUNNER_DISK_FULL] = "disk_full",   [RUNNER_LAUNCH_FAILURE] = "launch_failure",
        [RUNNER_LOST] = "runner_lost",      [RUNNER_CONTAINER_STOPPED] = "container_stopped",
};

static bool is_word(const char *text, const char *alphabet, size_t maximum)
{
        size_t length = strspn(text, alphabet);

        return length >= 1 && length <= maximum && !text[length];
}

bool runner_run_is_valid(const char *run)
{
        return is_word(run, "abcdefghijklmnopqrstuvwxyz0123456789-", RUNNER_RUN_SIZE - 1);
}

static bool kind_is_valid(const char *kind)
{
        return is_word(kind, "abcdefghijklmnopqrstuvwxyz0123456789_-", RUNNER_KIND_SIZE - 1);
}

static bool file_name_is_valid(const char *name)
{
        return path_is_plain(name) && !strchr(name, '/') && name[0] != '.';
}

static bool path_is_absolute(const char *path)
{
        return path[0] == '/';
}

#define RUN_MEMBER(type)                                                                                               \
        {                                                                                                              \
                "run", MEMBER_BUFFER, offsetof(type, run), 0, RUNNER_RUN_SIZE, false, runner_run_is_valid,             \
                        "1 to 64 of a-z, 0-9 and hyphen", NULL                                                         \
        }
#define TEXT_MEMBER(name, member, maximum, is_nullable, is_valid, shape)                                               \
        {                                                                                                              \
                name, MEMBER_TEXT, offsetof(struct runner_start, member), 0, maximum, is_nullable, is_valid, shape,    \
                        NULL                                                                                           \
        }
#define NUMBER_MEMBER(name, type, member, least, most, is_nullable)                                                    \
        {                                                                                                              \
                name, MEMBER_NUMBER, offsetof(type, member), least, most, is_nullable, NULL, NULL, NULL                \
        }
#define CHOICE_MEMBER(name, type, member, names)                                                                       \
        {                                                                                                              \
                name, MEMBER_CHOICE, offsetof(type, member), 0, COUNT_OF(names), false, NULL, NULL, names              \
        }
#define OTHER_MEMBER(name)                                                                                             \
        {                                                                                                              \
                name, MEMBER_OTHER, 0, 0, 0, false, NULL, NULL, NULL                                                   \
        }

static const char plain_path[] = "a relative path without empty, \".\" or \"..\" parts";

static const struct member start_members[] = {
        RUN_MEMBER(struct runner_start),
        {"kind", MEMBER_BUFFER, offsetof(struct runner_start, kind), 0, RUNNER_KIND_SIZE, false, kind_is_valid,
         "1 to 32 of a-z, 0-9, _ and hyphen", NULL},
        OTHER_MEMBER("command"),
        OTHER_MEMBER("environment"),
        TEXT_MEMBER("prompt", prompt, 255, true, file_name_is_valid, "a file name that does not begin with a dot"),
        CHOICE_MEMBER("promptOn", struct runner_start, prompt_on, prompt_on_names),
        TEXT_MEMBER("workdir", workdir, PATH_MAXIMUM, false, path_is_absolute, "an absolute path"),
        NUMBER_MEMBER("uid", struct runner_start, uid, 1, ID_NUMBER_MAXIMUM, false),
        NUMBER_MEMBER("gid", struct runner_start, gid, 1, ID_NUMBER_MAXIMUM, false),
        TEXT_MEMBER("stdout", output, PATH_MAXIMUM, false, path_is_plain, plain_path),
        TEXT_MEMBER("stderr", errors, PATH_MAXIMUM, false, path_is_plain, plain_path),
        TEXT_MEMBER("log", log, PATH_MAXIMUM, true, path_is_plain, plain_path),
        NUMBER_MEMBER("timeLimitMs", struct runner_start, time_limit, 0, 366 * DAY_MS, false),
        NUMBER_MEMBER("graceMs", struct runner_start, grace, 0, RUNNER_GRACE_MAXIMUM, false),
        NUMBER_MEMBER("fileSizeLimit", struct runner_start, file_size_limit, 0, INT64_MAX, false),
};

static const struct member stop_members[] = {
        RUN_MEMBER(struct runner_stop),
        CHOICE_MEMBER("reason", struct runner_stop, reason, stop_names),
        NUMBER_MEMBER("graceMs", struct runner_stop, grace, 0, RUNNER_GRACE_MAXIMUM, false),
};

static const struct member exit_members[] = {
        RUN_MEMBER(struct runner_exit),
        CHOICE_MEMBER("reason", struct runner_exit, reason, reason_names),
        NUMBER_MEMBER("code", struct runner_exit, code, 0, 255, true),
        NUMBER_MEMBER("signal", struct runner_exit, signal, 1, 64, true),
        {"message", MEMBER_BUFFER, offsetof(struct runner_exit, message), 0, RUNNER_MESSAGE_SIZE, false, NULL, NULL,
         NULL},
        NUMBER_MEMBER("oomKills", struct runner_exit, oom_kills, 0, INT64_MAX, false),
        NUMBER_MEMBER("startedAt", struct runner_exit, started_at, 0, TIME_MAXIMUM, false),
        NUMBER_MEMBER("finishedAt", struct runner_exit, finished_at, 0, TIME_MAXIMUM, false),
        NUMBER_MEMBER("stdoutBytes", struct runner_exit, output_bytes, 0, INT64_MAX, false),
        NUMBER_MEMBER("stderrBytes", struct runner_exit, error_bytes, 0, INT64_MAX, false),
};

const char *runner_reason_name(enum runner_reason reason)
{
        return reason_names[reason];
}

/* What a parsed start message owns: the document with all its strings, and the arrays that point into it. */
struct parsed_start {
        json_t *document;
        const char *command[RUNNER_COMMAND_MAXIMUM + 1];
        struct runner_variable environment[RUNNER_ENVIRONMENT_MAXIMUM];
};

void runner_start_clear(struct runner_start *start)
{
        struct parsed_start *parsed = start->memory;

        if (parsed)
                json_decref(parsed->document);
        free(parsed);
        memset(start, 0, sizeof *start);
}

static json_t *parse(const char *bytes, size_t length, size_t maximum, struct error *error)
{
        if (length > maximum) {
                error_set(error, ERROR_TOO_LARGE, "the message has more than %zu bytes", maximum);
                return NULL;
        }
        return document_parse(bytes, length, error);
}

static bool read_command(const json_t *command, struct parsed_start *parsed, struct error *error)
{
        size_t count = json_array_size(command);

        if (count < 1 || count > RUNNER_COMMAND_MAXIMUM)
                return error_set(error, ERROR_INVALID_INPUT, "\"command\" must be an array of 1 to %d strings",
                                 RUNNER_COMMAND_MAXIMUM);
        for (size_t i = 0; i < count; i++)
                if (!(parsed->command[i] = json_string_value(json_array_get(command, i))))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "\"command\" must have strings only, item %zu is none", i);
        return parsed->command[0][0] ||
               error_set(error, ERROR_INVALID_INPUT, "\"command\" must begin with the name of a program");
}

static bool read_environment(json_t *environment, struct parsed_start *parsed, struct runner_start *start,
                             struct error *error)
{
        const char *name;
        json_t *value;

        if (!json_is_object(environment) || json_object_size(environment) > RUNNER_ENVIRONMENT_MAXIMUM)
                return error_set(error, ERROR_INVALID_INPUT, "\"environment\" must be an object of at most %d strings",
                                 RUNNER_ENVIRONMENT_MAXIMUM);
        json_object_foreach(environment, name, value)
        {
                if (!*name || strchr(name, '='))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "\"environment\" must have names that are not empty and have no \"=\"");
                if (!json_is_string(value))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "\"environment\" must have strings only, %.64s is none", name);
                parsed->environment[start->environment_count++] =
                        (struct runner_variable){name, json_string_value(value)};
        }
        return true;
}

bool runner_start_parse(const char *bytes, size_t length, struct runner_start *out, struct error *error)
{
        auto_runner_start start = {0};
        struct parsed_start *parsed = memory_new(sizeof *parsed);

        start.memory = parsed;
        if (!(parsed->document = parse(bytes, length, RUNNER_START_MAXIMUM, error)) ||
            !member_read(start_members, COUNT_OF(start_members), parsed->document, &start, error) ||
            !read_command(json_object_get(parsed->document, "command"), parsed, error) ||
            !read_environment(json_object_get(parsed->document, "environment"), parsed, &start, error))
                return false;
        start.command = parsed->command;
        start.environment = parsed->environment;
        *out = start;
        start.memory = NULL;
        return true;
}

bool runner_stop_parse(const char *bytes, size_t length, struct runner_stop *out, struct error *error)
{
        struct runner_stop stop = {0};
        auto_json *document = parse(bytes, length, RUNNER_STOP_MAXIMUM, error);

        if (!document || !member_read(stop_members, COUNT_OF(stop_members), document, &stop, error))
                return false;
        *out = stop;
        return true;
}

bool runner_exit_parse(const char *bytes, size_t length, struct runner_exit *out, struct error *error)
{
        struct runner_exit exit = {0};
        auto_json *document = parse(bytes, length, RUNNER_EXIT_MAXIMUM, error);

        if (!document || !member_read(exit_members, COUNT_OF(exit_members), document, &exit, error))
                return false;
        *out = exit;
        return true;
}

char *runner_start_print(const struct runner_start *start)
{
        auto_json *document = member_print(start_members, COUNT_OF(start_members), start);
        json_t *command = json_array(), *environment = json_object();

        for (const char *const *argument = start->command; argument && *argument; argument++)
                json_array_append_new(command, document_string(*argument));
        for (size_t i = 0; i < start->environment_count; i++)
                json_object_set_new(environment, start->environment[i].name,
                                    document_string(start->environment[i].value));
        json_object_set_new(document, "command", command);
        json_object_set_new(document, "environment", environment);
        return document_print(document);
}

char *runner_stop_print(const struct runner_stop *stop)
{
        auto_json *document = member_print(stop_members, COUNT_OF(stop_members), stop);

        return document_print(document);
}

char *runner_exit_print(const struct runner_exit *exit)
{
        struct runner_exit shown = *exit;

        for (;;) {
                size_t length = strlen(shown.message);
                auto_json *document = member_print(exit_members, COUNT_OF(exit_members), &shown);
                auto_free char *printed = document_print(document);
                const char *message = document_get_string(document, "message");
                /* Broken bytes grow when they are replaced, control characters when they are escaped. */
                if (strlen(printed) <= RUNNER_EXIT_MAXIMUM && strlen(message) < RUNNER_MESSAGE_SIZE)
                        return take(printed);
                length /= 2;
                while (length > 0 && ((unsigned char)shown.message[length] & 0xc0) == 0x80)
                        length--;
                shown.message[length] = '\0';
        }
}
