/* An engine that is not there: a thread behind a unix socket that plays scripted answers. */
#ifndef TESTS_DOCKER_FAKE_H
#define TESTS_DOCKER_FAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "docker/client.h"

enum fake_then { FAKE_KEEP, FAKE_CLOSE, FAKE_HANG };

/* One answer. A row is used once, in order, by the first request whose line starts with `request`; a repeated one as
 * often as wanted. GET /version is answered as by Engine 20.10 (API 1.41) when no row says otherwise. */
struct fake_answer {
        const char *request; /* "GET /v1.41/info" */
        int status;          /* with `body`, as JSON with a content length */
        const char *body;
        const char *chunks[2]; /* instead of status and body: 200 with these chunks, then the last one if has_end */
        bool has_end;
        const char *raw;     /* instead of all that: bytes that are sent as they are */
        size_t raw_length;   /* 0: as long as the string */
        enum fake_then then; /* keep the connection, close it, or say nothing more */
        bool is_repeated;
};

struct fake;

struct fake *fake_new(const struct fake_answer *answers, size_t count);
/* The driver's host string for it. */
const char *fake_host(const struct fake *fake);
/* How many requests have begun with this line (all for ""). */
size_t fake_count(struct fake *fake, const char *line);
/* The whole text of the last request that began with this line, "" when there was none. Owned by the fake. */
const char *fake_request(struct fake *fake, const char *line);
void fake_free(struct fake *fake);

static inline void fake_release(struct fake **fake)
{
        fake_free(*fake);
}
static inline void fake_release_docker(struct docker **docker)
{
        docker_free(*docker);
}
#define auto_fake CLEANUP(fake_release) struct fake
#define auto_docker CLEANUP(fake_release_docker) struct docker

/* A fake with these answers. */
#define FAKE(...)                                                                                                      \
        fake_new((const struct fake_answer[]){__VA_ARGS__},                                                            \
                 sizeof((const struct fake_answer[]){__VA_ARGS__}) / sizeof(struct fake_answer))
/* A driver for the fake. */
struct docker *fake_docker(const struct fake *fake);

#define FAKE_CHUNKED "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
#define FAKE_UPGRADED "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"

#endif
