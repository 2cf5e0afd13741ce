/* Internal to the registry of environments: all of them at one moment. Immutable once published, reference-counted. */
#ifndef SERVICES_ENVIRONMENT_SNAPSHOT_H
#define SERVICES_ENVIRONMENT_SNAPSHOT_H

#include <stdatomic.h>

#include "server/services/environment_file.h"

struct environment_snapshot {
        atomic_uint references;
        size_t count;
        struct environment **by_name;
        struct environment **by_rid; /* sorted by environment_snapshot_seal */
};

/* Reads every environment in the folder; their identities are still empty. The caller owns the one reference. NULL
 * with ERROR_UNAVAILABLE when the folder cannot be read. */
struct environment_snapshot *environment_snapshot_read(const char *folder, struct error *error);
/* To be called once every environment has its identity. */
void environment_snapshot_seal(struct environment_snapshot *snapshot);
struct environment_snapshot *environment_snapshot_keep(struct environment_snapshot *snapshot);
void environment_snapshot_release(struct environment_snapshot *snapshot);

/* Borrowed from the snapshot; NULL when there is none. NULL is a snapshot without environments. */
struct environment *environment_snapshot_find(const struct environment_snapshot *snapshot, const char *name);
struct environment *environment_snapshot_find_rid(const struct environment_snapshot *snapshot, int64_t rid);

static inline void environment_snapshot_release_(struct environment_snapshot **snapshot)
{
        environment_snapshot_release(*snapshot);
}
#define auto_environment_snapshot CLEANUP(environment_snapshot_release_) struct environment_snapshot

/* In the registry's file: a reference to what is in force. */
struct environment_snapshot *environments_current(struct environments *environments);

#endif
