/* A small OpenID provider that says whatever a test wants, also what no honest one would. */
#ifndef TESTS_REST_PROVIDER_H
#define TESTS_REST_PROVIDER_H

#include "tests/rest/fixture.h"

#define PROVIDER_CLIENT "longshore-test"
#define PROVIDER_SECRET "a secret: with /odd+ characters"

enum provider_key { PROVIDER_RSA, PROVIDER_CURVE, PROVIDER_UNKNOWN };

struct provider {
        struct http_server *server;
        char issuer[64];
        /* What the next token says; claims are merged over the honest ones, null takes one away. */
        enum provider_key key;
        const char *header; /* instead of {"alg", "kid"}; NULL for the honest one */
        json_t *claims;
        const char *token;   /* instead of any made one */
        const char *refusal; /* the token endpoint's error instead of tokens */
        json_t *info;        /* what userinfo says */
        /* What the browser was sent with. */
        char nonce[128], challenge[128], redirect[256];
        int codes_taken, keys_told; /* how often */
        bool is_rotated;            /* the key that signs is published only when it is asked for again */
};

/* Starts it, and lets the settings name it; `more` are further settings as JSON (NULL for none). */
void provider_start(struct provider *provider, const char *more);
void provider_stop(struct provider *provider);
/* Lets the settings name it anew. */
void provider_settings(struct provider *provider, const char *more);
/* Reads what the browser was sent with. Returns the state, on the heap. */
char *provider_visit(struct provider *provider, const char *url);

#endif
