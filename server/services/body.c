#include "server/services/body.h"

#include "server/services/setting.h"

json_t *body_parse(const char *bytes, size_t length, struct error *error)
{
        const struct settings *settings = settings_current();
        struct document_limits limits = {.depth = (size_t)settings->json_depth_maximum,
                                         .values = (size_t)settings->json_values_maximum,
                                         .name = (size_t)settings->json_name_maximum};

        return document_parse_within(bytes, length, &limits, error);
}
