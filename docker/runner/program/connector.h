/* The runner's part of docker/runner/connect.h. It never waits: a connection is handed out while it is being made. */
#ifndef RUNNER_PROGRAM_CONNECTOR_H
#define RUNNER_PROGRAM_CONNECTOR_H

#include <poll.h>
#include <stdbool.h>

#define CONNECTOR_WAITING_MAXIMUM 16
#define CONNECTOR_POLLED (CONNECTOR_WAITING_MAXIMUM + 1)

struct connector {
        int listener;                           /* -1: it could not be opened */
        int waiting[CONNECTOR_WAITING_MAXIMUM]; /* who has not said yet what is wanted; -1 for a free place */
};

/* Listens in the control folder, which the caller has locked. False with errno. */
bool connector_open(struct connector *connector, const char *control);
/* Fills CONNECTOR_POLLED places. */
void connector_poll(const struct connector *connector, struct pollfd *polled);
/* Serves what poll found. */
void connector_serve(struct connector *connector, const struct pollfd *polled);
/* Closes it in a process that was forked for something else. */
void connector_close(struct connector *connector);

#endif
