/* The agents this server knows: one row each, with what it takes to run a turn and to read what it prints. */
#ifndef SERVICES_AGENT_H
#define SERVICES_AGENT_H

#include "docker/runner/message.h"
#include "server/services/stream.h"

struct agent {
        const char *name;
        const char *description;
        /* The command line of a turn, NULL-ended; the prompt goes in by descriptor, never as an argument. */
        const char *const *command;
        enum runner_prompt_on prompt_on;
        bool is_script; /* the prompt is a program: what we add to it must be comments (#) */
        /* Names of the variables of which a provider account gives one, NULL-ended; NULL for an agent that needs none.
         */
        const char *const *accounts;
        /* Reads standard output into normalised events. */
        const struct stream_format *format;
};

/* NULL when there is no such agent. */
const struct agent *agent_find(const char *name);

#endif
