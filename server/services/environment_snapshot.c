#include "server/services/environment_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "server/services/environment_folder.h"

static int compare_names(const void *a, const void *b)
{
        return strcmp((*(struct environment *const *)a)->name, (*(struct environment *const *)b)->name);
}

static int compare_rids(const void *a, const void *b)
{
        int64_t left = (*(struct environment *const *)a)->rid, right = (*(struct environment *const *)b)->rid;

        return (left > right) - (left < right);
}

struct environment_snapshot *environment_snapshot_keep(struct environment_snapshot *snapshot)
{
        if (snapshot)
                atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
        return snapshot;
}

void environment_snapshot_release(struct environment_snapshot *snapshot)
{
        if (!snapshot || atomic_fetch_sub(&snapshot->references, 1) != 1)
                return;
        for (size_t i = 0; i < snapshot->count; i++)
                environment_release(snapshot->by_name[i]);
        free(snapshot->by_name);
        free(snapshot->by_rid);
        free(snapshot);
}

struct environment_snapshot *environment_snapshot_read(const char *folder, struct error *error)
{
        auto_environment_names names = {0};
        auto_fd opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (opened < 0) {
                error_set(error, ERROR_UNAVAILABLE, "the folder %s cannot be opened: %s", folder, strerror(errno));
                return NULL;
        }
        if (!environment_folder_list(opened, &names, error))
                return NULL;
        struct environment_snapshot *snapshot = memory_new(sizeof *snapshot);
        atomic_init(&snapshot->references, 1);
        snapshot->by_name = memory_new(names.count * sizeof *snapshot->by_name);
        for (; snapshot->count < names.count; snapshot->count++)
                snapshot->by_name[snapshot->count] = environment_read(opened, names.items[snapshot->count]);
        qsort(snapshot->by_name, snapshot->count, sizeof *snapshot->by_name, compare_names);
        return snapshot;
}

void environment_snapshot_seal(struct environment_snapshot *snapshot)
{
        size_t size = snapshot->count * sizeof *snapshot->by_rid;

        snapshot->by_rid = memory_new(size);
        memcpy(snapshot->by_rid, snapshot->by_name, size);
        qsort(snapshot->by_rid, snapshot->count, sizeof *snapshot->by_rid, compare_rids);
}

static struct environment *find(const struct environment_snapshot *snapshot, struct environment **list,
                                const struct environment *like, int (*compare)(const void *, const void *))
{
        struct environment **found = bsearch(&like, list, snapshot->count, sizeof *list, compare);

        return found ? *found : NULL;
}

struct environment *environment_snapshot_find(const struct environment_snapshot *snapshot, const char *name)
{
        return snapshot ? find(snapshot, snapshot->by_name, &(struct environment){.name = name}, compare_names) : NULL;
}

struct environment *environment_snapshot_find_rid(const struct environment_snapshot *snapshot, int64_t rid)
{
        return snapshot && rid ? find(snapshot, snapshot->by_rid, &(struct environment){.rid = rid}, compare_rids)
                               : NULL;
}
