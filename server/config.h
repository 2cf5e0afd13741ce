/* The command line and the environment. */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "server/admin/command.h"

/* A command line, read. Strings and documents are owned. */
struct config {
        const struct admin_command *command; /* NULL: none was given */
        json_t *arguments;                   /* checked against the command's table */
        char *data_folder;                   /* absolute */
        json_t *flags;                       /* settings given as flags, by published name */
        bool is_json, is_help;
};
void config_clear(struct config *config);
#define auto_config CLEANUP(config_clear) struct config

/* The commands that main itself runs; their `run` is NULL. */
extern const struct admin_command local_commands[];
extern const size_t local_command_count;

/* ERROR_INVALID_INPUT says what is wrong with the command line and what would be right. `input` is where
 * --password-stdin reads its line from. */
MUST_CHECK bool config_read(int argc, char **argv, int input, struct config *config, struct error *error);
/* The help text: all commands and settings, or one command's arguments. */
void config_help(const struct admin_command *command, struct text *out);

#endif
