/* What the services are wired to, and the call that every service function gets. */
#ifndef SERVICES_SERVICES_H
#define SERVICES_SERVICES_H

#include <jansson.h>

#include "server/services/access.h"
#include "server/services/setting.h"
#include "server/store/store.h"

struct app_access;
struct builder;
struct docker;
struct environments;
struct runtime;
struct feed;
struct progress;

/* One per process; everything in it is thread-safe and outlives all calls. */
struct services {
        const char *data_folder; /* absolute */
        const char *address;     /* "http://host:port" where it listens */
        const char *mcp_address; /* the same of the dedicated MCP listener; NULL: there is none */
        struct store *store;
        struct docker *docker;
        struct environments *environments;
        struct feed *feed;             /* tells listeners what goes on; NULL: there are none */
        struct runtime *runtime;       /* launches, follows and ends turns */
        struct builder *builder;       /* builds images; NULL where none does */
        struct app_access *app_access; /* who may reach application servers through the proxy; NULL without one */
};

/* One request of a door. A service that only reads may get any connection; one that writes gets the writer's, within a
 * piece of work (store_write), unless its comment says that it blocks. */
struct call {
        struct services *services;
        struct store_db *db;
        const struct actor *actor;
        const json_t *arguments;    /* as sent, before defaults: what a receipt's fingerprint covers; borrowed */
        const uint8_t *fingerprint; /* of the arguments, when a receipt has been looked for already; borrowed */
        const char *source;         /* "mcp", "rest", "web": recorded as the source of what is created */
        const char *address;        /* of the client, numeric; NULL: it did not come over the network */
        int64_t now;
        struct progress *progress; /* NULL: nobody wants to hear how far it is (server/services/progress.h) */
};

#endif
