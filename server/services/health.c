#include "server/services/health.h"

#include "server/base/document.h"
#include "server/services/engine.h"

static json_t *report_engine(const struct engine_state *state)
{
        json_t *report = json_object();

        json_object_set_new(report, "reachable", json_boolean(state->is_reachable));
        if (*state->version)
                json_object_set_new(report, "version", document_string(state->version));
        if (*state->message)
                json_object_set_new(report, "message", document_string(state->message));
        return report;
}

json_t *health_report(const struct services *services)
{
        bool is_writable = store_is_writable(services->store), is_low = store_is_low(services->store);
        struct engine_state engine;

        engine_state_get(&engine);
        bool is_good = engine.is_reachable && is_writable && !is_low;
        json_t *report = json_object(), *store = json_object();
        json_object_set_new(report, "status", json_string(is_good ? "ok" : "degraded"));
        json_object_set_new(report, "version", json_string(LONGSHORE_VERSION));
        json_object_set_new(report, "engine", report_engine(&engine));
        json_object_set_new(store, "writable", json_boolean(is_writable));
        json_object_set_new(store, "diskLow", json_boolean(is_low));
        json_object_set_new(report, "store", store);
        return report;
}
