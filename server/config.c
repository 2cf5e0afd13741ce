#include "server/config.h"

#include <errno.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/path.h"
#include "server/login.h"
#include "server/reference.h"
#include "server/secret_input.h"
#include "server/services/backup.h"

#define DATA_DEFAULT "/var/lib/longshore"
#define DATA_VARIABLE "LONGSHORE_DATA"
#define NAME_MAXIMUM 64
#define COMMANDS_MAXIMUM 64

static const char *const by_file[] = {"file", NULL};
static const char *const by_section[] = {"section", NULL};

const struct admin_command local_commands[] = {
        {"serve", NULL, NULL, "Run the server.", NULL, false},
        {"login", &login_table, NULL, "Get an API key for this machine from a server elsewhere.", NULL, false},
        {"restore", &restore_table, by_file, "Make an empty data folder from a backup.", NULL, false},
        {"migrate", NULL, NULL, "Bring the store to this program's version.", NULL, false},
        {"reference", &reference_table, by_section, "Print the reference documentation.", NULL, false},
        {"version", NULL, NULL, "Print the version.", NULL, false},
};
const size_t local_command_count = COUNT_OF(local_commands);

void config_clear(struct config *config)
{
        free(config->data_folder);
        json_decref(config->arguments);
        json_decref(config->flags);
        *config = (struct config){0};
}

/* What is known while the command line is read. */
struct reader {
        struct config *config;
        int argc, next;
        char **argv;
        int input;
        char group[NAME_MAXIMUM]; /* the first word of a command of two */
        size_t positional;
        char *secret_file; /* where the command's secret is read from; NULL: standard input */
};

static const struct admin_command *find_command(const char *name)
{
        for (size_t i = 0; i < local_command_count; i++)
                if (!strcmp(local_commands[i].name, name))
                        return &local_commands[i];
        return admin_command_find(name);
}

static size_t command_names(const char **names)
{
        size_t count = 0;

        for (size_t i = 0; i < local_command_count; i++)
                names[count++] = local_commands[i].name;
        for (size_t i = 0; i < admin_command_count && count < COMMANDS_MAXIMUM; i++)
                names[count++] = admin_commands[i].name;
        return count;
}

static bool is_group(const char *word)
{
        size_t length = strlen(word);

        for (size_t i = 0; i < admin_command_count; i++)
                if (!strncmp(admin_commands[i].name, word, length) && admin_commands[i].name[length] == '.')
                        return true;
        return false;
}

/* "user.add" as it is typed. */
static char *typed(const char *name)
{
        char *copy = text_copy(name), *dot = strchr(copy, '.');

        if (dot)
                *dot = ' ';
        return copy;
}

static bool refuse_command(const char *name, struct error *error)
{
        const char *names[COMMANDS_MAXIMUM];
        size_t count = command_names(names);
        const char *nearest = field_nearest(name, names, count);
        auto_free char *shown = typed(name), *meant = nearest ? typed(nearest) : NULL;

        if (meant)
                return error_set(error, ERROR_INVALID_INPUT, "there is no command %.100s; did you mean %s?", shown,
                                 meant);
        return error_set(error, ERROR_INVALID_INPUT, "there is no command %.100s; see longshored --help", shown);
}

/* expiresDays as an option: expires-days. */
static void option_of(const char *field, char option[NAME_MAXIMUM])
{
        size_t length = 0;

        for (; *field && length < NAME_MAXIMUM - 2; field++) {
                if (*field >= 'A' && *field <= 'Z')
                        option[length++] = '-';
                option[length++] = *field >= 'A' && *field <= 'Z' ? (char)(*field + 32) : *field;
        }
        option[length] = '\0';
}

static const struct field *find_option(const struct field_table *table, const char *name)
{
        char option[NAME_MAXIMUM];

        for (size_t i = 0; table && i < table->count; i++) {
                option_of(table->rows[i].name, option);
                if (!strcmp(option, name))
                        return &table->rows[i];
        }
        return NULL;
}

/* A file is named in the caller's folder, which is not the server's. */
static char *absolute(const char *path)
{
        auto_free char *folder = *path == '/' ? NULL : getcwd(NULL, 0);

        return folder ? path_join(folder, path) : text_copy(path);
}

static bool take_argument(struct reader *reader, const struct field *row, const char *text, struct error *error)
{
        auto_free char *path = row->format && !strcmp(row->format, "path") ? absolute(text) : NULL;
        json_t *value = field_value_of_text(row, path ? path : text, error);

        return value && json_object_set_new(reader->config->arguments, row->name, value) == 0;
}

static bool take_word(struct reader *reader, const char *word, struct error *error)
{
        struct config *config = reader->config;
        char name[2 * NAME_MAXIMUM];

        if (config->command) {
                const char *const *names = config->command->positionals;
                if (!names || !names[reader->positional])
                        return error_set(error, ERROR_INVALID_INPUT, "%.100s is one argument too many", word);
                return take_argument(reader, field_find(config->command->table, names[reader->positional++]), word,
                                     error);
        }
        if (*reader->group)
                snprintf(name, sizeof name, "%s.%.60s", reader->group, word);
        else
                snprintf(name, sizeof name, "%.60s", word);
        config->command = find_command(name);
        if (config->command)
                return true;
        if (*reader->group || !is_group(name))
                return refuse_command(name, error);
        snprintf(reader->group, sizeof reader->group, "%s", name);
        return true;
}

static bool read_password(struct reader *reader, struct error *error)
{
        char password[1024];
        size_t length = 0;

        while (length < sizeof password - 1 && read(reader->input, password + length, 1) == 1 &&
               password[length] != '\n')
                length++;
        password[length] = '\0';
        json_object_set_new(reader->config->arguments, "password", document_text(password, length));
        explicit_bzero(password, sizeof password);
        return length || error_set(error, ERROR_INVALID_INPUT, "--password-stdin: no line came on standard input");
}

/* The text after "=", or the next word. */
static const char *option_value(struct reader *reader, const char *inline_value)
{
        if (inline_value)
                return inline_value;
        return reader->next < reader->argc ? reader->argv[reader->next++] : NULL;
}

static bool take_command_option(struct reader *reader, const struct field *row, const char *name,
                                const char *inline_value, struct error *error)
{
        if (!strcmp(row->name, "password"))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "a password on the command line is seen by others: use --password-stdin");
        if (row == secret_input_row(reader->config->command->table))
                return error_set(error, ERROR_INVALID_INPUT,
                                 "a secret on the command line is seen by others: give it on standard input, or with "
                                 "--file PATH");
        if (row->type == FIELD_BOOLEAN && !inline_value)
                return json_object_set_new(reader->config->arguments, row->name, json_true()) == 0;
        const char *value = option_value(reader, inline_value);
        if (!value)
                return error_set(error, ERROR_INVALID_INPUT, "--%s needs a value", name);
        return take_argument(reader, row, value, error);
}

static bool take_setting(struct reader *reader, const char *name, const char *inline_value, struct error *error)
{
        auto_error unknown = {0};
        const struct field *row = setting_find(name, &unknown);

        if (!row)
                return error_set(error, ERROR_INVALID_INPUT, "--%.60s is not known here; see longshored --help", name);
        const char *text = option_value(reader, inline_value);
        if (!text)
                return error_set(error, ERROR_INVALID_INPUT, "--%s needs a value", name);
        json_t *value = field_value_of_text(row, text, error);
        return value && json_object_set_new(reader->config->flags, row->name, value) == 0;
}

static bool take_option(struct reader *reader, const char *option, struct error *error)
{
        struct config *config = reader->config;
        const char *equals = strchr(option, '='), *inline_value = equals ? equals + 1 : NULL;
        auto_free char *name = equals ? strndup(option, (size_t)(equals - option)) : strdup(option);
        const struct field_table *table = config->command ? config->command->table : NULL;

        if (!strcmp(name, "help")) {
                config->is_help = true;
                return true;
        }
        if (!strcmp(name, "json")) {
                config->is_json = true;
                return true;
        }
        if (!strcmp(name, "data")) {
                const char *folder = option_value(reader, inline_value);
                if (!folder || !*folder)
                        return error_set(error, ERROR_INVALID_INPUT, "--data needs a folder");
                free(config->data_folder);
                config->data_folder = absolute(folder);
                return true;
        }
        if (!strcmp(name, "password-stdin") && table && field_find(table, "password"))
                return read_password(reader, error);
        if (!strcmp(name, "file") && secret_input_row(table)) {
                const char *path = option_value(reader, inline_value);
                free(reader->secret_file);
                reader->secret_file = path && *path ? absolute(path) : NULL;
                return reader->secret_file || error_set(error, ERROR_INVALID_INPUT, "--file needs a path");
        }
        const struct field *row = find_option(table, name);
        return row ? take_command_option(reader, row, name, inline_value, error)
                   : take_setting(reader, name, inline_value, error);
}

static bool check_arguments(const struct config *config, struct error *error)
{
        const struct field_table *table = config->command->table;
        auto_field_memory memory = {0};

        if (!table)
                return true;
        auto_free void *scratch = memory_new(table->size);
        return field_read(table, config->arguments, &memory, scratch, error);
}

static void reader_clear(struct reader *reader)
{
        free(reader->secret_file);
}

bool config_read(int argc, char **argv, int input, struct config *config, struct error *error)
{
        CLEANUP(reader_clear)
        struct reader reader = {.config = config, .argc = argc, .next = 1, .argv = argv, .input = input};
        const char *folder = getenv(DATA_VARIABLE);

        config->arguments = json_object();
        config->flags = json_object();
        config->data_folder = absolute(folder && *folder ? folder : DATA_DEFAULT);
        while (reader.next < argc) {
                const char *word = argv[reader.next++];
                if (!strcmp(word, "-h"))
                        word = "--help";
                if (!strncmp(word, "--", 2) ? !take_option(&reader, word + 2, error) : !take_word(&reader, word, error))
                        return false;
        }
        if (config->is_help)
                return true;
        if (!config->command && *reader.group)
                return refuse_command(reader.group, error);
        if (!config->command)
                return error_set(error, ERROR_INVALID_INPUT, "which command? see longshored --help");
        const struct field *secret = secret_input_row(config->command->table);
        return (!secret || secret_input_read(input, reader.secret_file, secret, config->arguments, error)) &&
               check_arguments(config, error);
}

static void help_arguments(const struct admin_command *command, struct text *out)
{
        auto_free char *name = typed(command->name);
        char option[NAME_MAXIMUM];

        text_printf(out, "longshored %s", name);
        for (const char *const *at = command->positionals; at && *at; at++)
                text_printf(out, field_find(command->table, *at)->is_required ? " %s" : " [%s]", *at);
        text_printf(out, "\n%s\n", command->help);
        for (size_t i = 0; command->table && i < command->table->count; i++) {
                const struct field *row = &command->table->rows[i];
                option_of(row->name, option);
                if (row == secret_input_row(command->table)) {
                        text_printf(out, "  --%-18s %s\n", "file",
                                    "Read the value from there, not from standard input.");
                        continue;
                }
                if (!strcmp(row->name, "password"))
                        snprintf(option, sizeof option, "password-stdin");
                text_printf(out, "  --%-18s %s%s\n", option, row->help, row->is_required ? " Required." : "");
        }
}

static void help_commands(const struct admin_command *commands, size_t count, struct text *out)
{
        for (size_t i = 0; i < count; i++) {
                auto_free char *name = typed(commands[i].name);
                text_printf(out, "  %-16s %s\n", name, commands[i].help);
        }
}

static void help_settings(struct text *out)
{
        text_append_string(out,
                           "\nSettings, each from (in rising order) `setting set`, config.json in the data folder, "
                           "the environment, or a flag\n(--http-threads 2 for HTTP_THREADS):\n");
        for (size_t i = 0; i < settings_table.count; i++) {
                const struct field *row = &settings_table.rows[i];
                text_printf(out, "  %-26s %s", row->name, row->help);
                if (row->text_preset)
                        text_printf(out, " [%s]", row->text_preset);
                else if (row->type == FIELD_BOOLEAN)
                        text_printf(out, " [%s]", row->preset ? "true" : "false");
                else if (row->type == FIELD_INTEGER)
                        text_printf(out, " [%lld]", (long long)row->preset);
                text_append_string(out, "\n");
        }
}

void config_help(const struct admin_command *command, struct text *out)
{
        if (command) {
                help_arguments(command, out);
                return;
        }
        text_append_string(out, "longshored [--data FOLDER] [--json] COMMAND ...\n\n"
                                "FOLDER is the data folder (" DATA_VARIABLE ", " DATA_DEFAULT "). COMMAND --help "
                                "tells a command's arguments.\n\n");
        help_commands(local_commands, local_command_count, out);
        help_commands(admin_commands, admin_command_count, out);
        help_settings(out);
}
