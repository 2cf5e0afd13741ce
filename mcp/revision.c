#include "mcp/revision.h"

#include <string.h>

#include "server/base/cleanup.h"
#include "server/base/document.h"

static const struct revision revisions[] = {
        {.name = "2026-07-28", .is_stateless = true}, {.name = "2025-11-25"}, {.name = "2025-06-18"},
        {.name = "2025-03-26", .has_batches = true},  {.name = "2024-11-05"},
};
#define STATELESS 0
#define NEWEST_WITH_HANDSHAKE 1
#define ASSUMED 3

const struct revision *revision_find(const char *name)
{
        for (size_t i = 0; i < COUNT_OF(revisions); i++)
                if (!strcmp(revisions[i].name, name))
                        return &revisions[i];
        return NULL;
}

const struct revision *revision_stateless(void)
{
        return &revisions[STATELESS];
}

const struct revision *revision_negotiate(const char *wanted)
{
        const struct revision *same = revision_find(wanted);

        return same && !same->is_stateless ? same : &revisions[NEWEST_WITH_HANDSHAKE];
}

const struct revision *revision_assumed(void)
{
        return &revisions[ASSUMED];
}

json_t *revision_names(void)
{
        json_t *names = json_array();

        for (size_t i = 0; i < COUNT_OF(revisions); i++)
                json_array_append_new(names, json_string(revisions[i].name));
        return names;
}

json_t *revision_mismatch(const char *requested)
{
        return json_pack("{s:o, s:o}", "supported", revision_names(), "requested", document_string(requested));
}
