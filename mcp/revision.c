#include "mcp/revision.h"

#include <string.h>

#include "server/base/cleanup.h"
#include "server/base/document.h"

static const struct revision revisions[] = {
        {"2025-11-25", false},
        {"2025-06-18", false},
        {"2025-03-26", true},
        {"2024-11-05", false},
};
#define ASSUMED 2
#define NEWEST 0

const struct revision *revision_find(const char *name)
{
        for (size_t i = 0; i < COUNT_OF(revisions); i++)
                if (!strcmp(revisions[i].name, name))
                        return &revisions[i];
        return NULL;
}

const struct revision *revision_negotiate(const char *wanted)
{
        const struct revision *same = revision_find(wanted);

        return same ? same : &revisions[NEWEST];
}

const struct revision *revision_assumed(void)
{
        return &revisions[ASSUMED];
}

json_t *revision_mismatch(const char *requested)
{
        json_t *supported = json_array();

        for (size_t i = 0; i < COUNT_OF(revisions); i++)
                json_array_append_new(supported, json_string(revisions[i].name));
        return json_pack("{s:o, s:o}", "supported", supported, "requested", document_string(requested));
}
