/* What is known of the Docker engine at the moment: told by whoever speaks to it, read by whoever must not wait for it.
 */
#ifndef SERVICES_ENGINE_H
#define SERVICES_ENGINE_H

#include <stdbool.h>

struct engine_state {
        bool is_reachable;
        char version[64];  /* of the engine, "" when it is not known */
        char message[300]; /* why it is not reachable, "" when it is; UTF-8 */
};

/* On any thread. The first sets what stands until the next call; strings are copied and cut, NULL is "". */
void engine_state_set(bool is_reachable, const char *version, const char *message);
/* Until the first engine_state_set it is not reachable, with a message that says so. */
void engine_state_get(struct engine_state *state);

#endif
