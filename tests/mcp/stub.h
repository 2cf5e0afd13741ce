/* Stand-ins for the services, so that the door is tested by itself. */
#ifndef TESTS_MCP_STUB_H
#define TESTS_MCP_STUB_H

#include <semaphore.h>
#include <stdatomic.h>

#include "server/services/setting.h"
#include "server/services/task.h"

#define STUB_TOKEN "lsk_right"

struct stub {
        struct settings settings;
        atomic_uint generation; /* of access */
        atomic_int changes;     /* so many runs of a read change access before they return */
        uint64_t permissions;   /* of the caller, anywhere */
        uint32_t toolsets;      /* that the key is limited to */
        enum credential credential;
        atomic_bool is_revoked; /* the token is not accepted any more */
        atomic_bool revokes;    /* a run of a read revokes the token */
        atomic_bool disables;   /* a run of a read switches MCP off */
        atomic_int runs;        /* of any tool */
        atomic_int prepared;    /* inputs that were prepared before their piece of work... */
        atomic_int kept;        /* ... and taken over by it */
        bool is_cancelled;      /* task_stop of "gated" found that nobody waits any more */
        json_t *result;         /* what task_get and task_file_read return when set */
        char path[100];         /* that task_file_read was asked for last */
        int64_t offset, maximum;
        sem_t entered, gate; /* task_stop of "gated" posts the first and waits for the second */
        sem_t left;          /* and posts this at its end */
};
extern struct stub stub;

/* Everything allowed, nothing changing. */
void stub_reset(void);

#endif
