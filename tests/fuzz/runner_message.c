/* The first byte chooses the message; what was accepted must be accepted again after it is printed. */
#include <stdint.h>
#include <string.h>

#include "docker/runner/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_accepted)
{
        if (!is_accepted)
                abort();
}

static void try_start(const char *bytes, size_t length)
{
        auto_runner_start start = {0}, again = {0};
        auto_error error = {0};

        if (!runner_start_parse(bytes, length, &start, &error))
                return;
        auto_free char *printed = runner_start_print(&start);
        /* Escapes can make it longer than what came in. */
        if (strlen(printed) <= RUNNER_START_MAXIMUM)
                check(runner_start_parse(printed, strlen(printed), &again, &error));
}

static void try_stop(const char *bytes, size_t length)
{
        struct runner_stop stop, again;
        auto_error error = {0};

        if (!runner_stop_parse(bytes, length, &stop, &error))
                return;
        auto_free char *printed = runner_stop_print(&stop);
        check(runner_stop_parse(printed, strlen(printed), &again, &error));
}

static void try_exit(const char *bytes, size_t length)
{
        struct runner_exit exit, again;
        auto_error error = {0};

        if (!runner_exit_parse(bytes, length, &exit, &error))
                return;
        auto_free char *printed = runner_exit_print(&exit);
        check(strlen(printed) <= RUNNER_EXIT_MAXIMUM);
        check(runner_exit_parse(printed, strlen(printed), &again, &error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static void (*const tries[])(const char *bytes, size_t length) = {try_start, try_stop, try_exit};

        if (size > 0)
                tries[data[0] % COUNT_OF(tries)]((const char *)data + 1, size - 1);
        return 0;
}
