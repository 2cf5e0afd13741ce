/* What an environment says of the tests and the application server of its tasks. */
#include <string.h>

#include "server/services/environment.h"
#include "server/services/parameter.h"

#define COMMAND_MAXIMUM 20000

static bool is_test_name(const char *name)
{
        for (const char *at = name; *at; at++)
                if ((unsigned char)*at < ' ' || *at == 0x7f)
                        return false;
        return *name != ' ' && name[strlen(name) - 1] != ' ';
}

static bool is_request_path(const char *path)
{
        for (const char *at = path; *at; at++)
                if (*at <= ' ' || *at > '~' || *at == '#')
                        return false;
        return *path == '/';
}

static const struct field test_rows[] = {
        STRING_FIELD(struct environment_test, name, .is_required = true, .minimum = 1, .maximum = 100,
                     .is_valid = is_test_name, .shape = "a name without control characters and outer blanks",
                     .help = "By which people run it."),
        STRING_FIELD(struct environment_test, description, .maximum = 2000, .help = "What it tests."),
        STRING_FIELD(struct environment_test, command, .is_required = true, .minimum = 1, .maximum = COMMAND_MAXIMUM,
                     .help = "What `sh -c` runs in the workspace (in the repository's folder where there is one only). "
                             "It passes when that exits with 0."),
        INTEGER_FIELD(struct environment_test, timeoutSeconds, .minimum = 1, .maximum = 86400, .preset = 1800,
                      .help = "The longest that it may take, in seconds."),
        OBJECTS_FIELD(struct environment_test, parameters, parameter_table, .maximum = 50,
                      .help = "What may be given to a run of it, none of it secret."),
};
const struct field_table environment_test_table = FIELD_TABLE(struct environment_test, test_rows);

static const struct field readiness_rows[] = {
        STRING_FIELD(struct environment_readiness, path, .minimum = 1, .maximum = 500, .is_valid = is_request_path,
                     .shape = "a path that begins with a slash",
                     .help = "It is ready when a GET request of this path is answered with a status below 500; by "
                             "default when its port takes connections."),
        INTEGER_FIELD(struct environment_readiness, timeoutSeconds, .minimum = 1, .maximum = 3600, .preset = 60,
                      .help = "After so many seconds without an answer it counts as unready; it goes on all the same."),
};
static const struct field_table readiness_table = FIELD_TABLE(struct environment_readiness, readiness_rows);

static const struct field app_rows[] = {
        STRING_FIELD(struct environment_app_server, command, .is_required = true, .minimum = 1,
                     .maximum = COMMAND_MAXIMUM,
                     .help = "What `sh -c` runs in the workspace, as for a test. It finds PORT in its environment."),
        INTEGER_FIELD(struct environment_app_server, port, .is_required = true, .minimum = 1, .maximum = 65535,
                      .help = "The port that it listens on, on the container's loopback or all of its addresses."),
        OBJECT_FIELD(struct environment_app_server, readiness, struct environment_readiness, readiness_table,
                     .help = "How it is told that it is ready."),
        MAP_FIELD(struct environment_app_server, environment, .maximum = 200,
                  .is_valid = environment_variable_name_is_valid,
                  .shape = "letters, digits and underscores, and not begin with a digit",
                  .help = "Environment variables besides the environment's own."),
};
const struct field_table environment_app_server_table = FIELD_TABLE(struct environment_app_server, app_rows);

static bool check_test(const struct environment_test *list, size_t i, struct error *error)
{
        const struct parameter *parameters = list[i].parameters.items;

        for (size_t j = 0; j < i; j++)
                if (!strcmp(list[i].name, list[j].name))
                        return error_set(error, ERROR_INVALID_INPUT, "tests[%zu].name is %s, as tests[%zu] is", i,
                                         list[i].name, j);
        for (size_t j = 0; j < list[i].parameters.count; j++)
                if (!environment_variable_name_is_valid(parameters[j].name))
                        return error_set(error, ERROR_INVALID_INPUT,
                                         "tests[%zu].parameters[%zu].name: %s cannot be an environment variable", i, j,
                                         parameters[j].name);
        return true;
}

bool environment_check_runs(const struct environment_file *file, struct error *error)
{
        for (size_t i = 0; i < file->tests.count; i++)
                if (!check_test(file->tests.items, i, error))
                        return false;
        /* The port would be one of the machine's own, whatever listens there. */
        return !file->appServer || strcmp(file->network, "host") != 0 ||
               error_set(error, ERROR_INVALID_INPUT,
                         "appServer needs a container with a network of its own: network must be bridge or none");
}
