/* The builder: what makes builds of images happen. A queued build is a row of the store and is found again after a
 * crash; one that ran then has ended with its process, because the engine ends a build when its caller is gone. */
#ifndef SERVICES_BUILDER_H
#define SERVICES_BUILDER_H

#include "server/services/services.h"

/* Builds that run at once. */
#define BUILDER_THREADS 2

/* Ends what an earlier process left running and starts the threads; sets services->builder. NULL on error. */
struct builder *builder_start(struct services *services, struct error *error);
/* Takes no more builds, ends those that run as failed (server_restart), and frees the builder. */
void builder_stop(struct builder *builder);

/* Says that a build was queued. NULL is nothing. */
void builder_wake(struct builder *builder);
/* Ends the running build with that rid as cancelled, if there is one; does not wait. NULL is nothing. */
void builder_cancel(struct builder *builder, int64_t rid);

#endif
