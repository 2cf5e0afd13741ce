/* Services that wait for their own write. */
#ifndef SERVICES_WRITE_H
#define SERVICES_WRITE_H

#include "server/services/services.h"

/* A piece of work of a service: the call has the writer's connection. */
typedef bool call_work(struct call *call, const void *input, json_t **result, struct error *error);

/* Runs the work on the writer thread and waits until it is durable; a result whose commit fails is dropped. Not for the
 * writer thread itself. */
MUST_CHECK bool call_write(struct call *call, call_work *work, const void *input, json_t **result, struct error *error);

#endif
