/* What a request of this door holds, kept while it waits for a worker. */
#ifndef OAUTH_ASKED_H
#define OAUTH_ASKED_H

#include <jansson.h>

#include "oauth/door.h"

struct asked {
        const struct oauth_door *door;
        struct http_request *request;
        struct store_db *db;                  /* of the thread that works for it */
        json_t *parameters;                   /* of the query or the form, an object of strings; never NULL */
        struct error fault;                   /* why they could not be read; without a code when they could */
        char *authorization, *session, *host; /* headers and cookie, NULL when absent */
        char *body;                           /* of a JSON request */
        size_t length;
        char peer[HTTP_PEER_SIZE];
        bool (*run)(struct asked *asked);
};

enum asked_where { ASKED_QUERY, ASKED_FORM, ASKED_BODY };

/* Reads the request and has `run` work for it on the pool, where it answers. It returns whether that has happened;
 * otherwise it keeps what it was given, answers later and calls asked_free. */
void asked_later(const struct oauth_door *door, struct http_request *request, enum asked_where where,
                 bool (*run)(struct asked *asked));
void asked_free(struct asked *asked);

/* A parameter, NULL when it was not sent. */
const char *asked_for(const struct asked *asked, const char *name);

#endif
