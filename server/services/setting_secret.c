#include "server/services/setting_secret.h"

#include <string.h>

#include "server/services/seal.h"
#include "server/store/setting.h"
#include "server/store/vault.h"

bool setting_is_secret(const struct field *row)
{
        return row->format && !strcmp(row->format, "password");
}

static char *origin_of(const char *name)
{
        return text_format("setting %s", name);
}

bool setting_secret_put(struct call *call, const struct field *row, const char *value, struct error *error)
{
        auto_free char *origin = origin_of(row->name);
        int64_t rid = 0;

        return (!value || seal_add(call->services, call->db, origin, value, &rid, error)) &&
               store_setting_seal(call->db, row->name, rid, error) && store_value_prune(call->db, error);
}

char *setting_secret(const struct services *services, struct store_db *db, const char *name, const char *in_snapshot,
                     struct error *error)
{
        auto_free char *origin = origin_of(name);
        int64_t rid;

        if (strcmp(in_snapshot, SETTING_SEALED) != 0)
                return text_copy(in_snapshot);
        if (!store_setting_sealed(db, name, &rid, error))
                return NULL;
        if (!rid)
                error_set(error, ERROR_UNAVAILABLE, "the sealed value of the setting %s was given up; set it again",
                          name);
        return rid ? seal_read(services, db, rid, origin, error) : NULL;
}
