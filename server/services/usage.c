#include "server/services/usage.h"

#include "server/base/clock.h"
#include "server/base/document.h"
#include "server/services/runtime_parts.h"

#define MINUTE_MS 60000

static bool is_time(const char *iso)
{
        int64_t ms;

        return clock_parse(iso, &ms);
}

static const struct field preview_rows[] = {
        STRING_FIELD(struct retention_preview_input, at, .minimum = 1, .maximum = 40, .is_valid = is_time,
                     .shape = "an ISO 8601 time with an offset", .format = "date-time",
                     .help = "The time to look at; now when left out."),
};
const struct field_table retention_preview_table = FIELD_TABLE(struct retention_preview_input, preview_rows);

static json_t *describe(const struct store_resource *resource, int64_t now)
{
        json_t *item = json_object();
        int64_t idle = now > resource->task_active_at ? now - resource->task_active_at : 0;

        json_object_set_new(item, "handle", document_string(resource->handle));
        json_object_set_new(item, "kind", document_string(resource->kind));
        json_object_set_new(item, "taskId", document_string(resource->task_id));
        json_object_set_new(item, "taskStatus", document_string(resource->task_status));
        json_object_set_new(item, "ready", json_boolean(resource->is_ready));
        json_object_set_new(item, "pinned", json_boolean(resource->is_pinned));
        json_object_set_new(item, "stoppedAt", document_time(resource->stopped_at));
        json_object_set_new(item, "activeAt", document_time(resource->task_active_at));
        json_object_set_new(item, "idleMinutes", json_integer(idle / MINUTE_MS));
        json_object_set_new(item, "outOfMemory", json_boolean(resource->is_oom_killed));
        return item;
}

bool usage_containers(struct call *call, json_t **result, struct error *error)
{
        static const char *const kinds[] = {"container", "workspace"};
        auto_json *list = json_array();

        if (!access_require(call->actor, PERMISSION_SETTINGS_VIEW, error))
                return false;
        for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
                auto_free struct store_resource *resources = NULL;
                size_t count = 0;
                if (!store_resource_list(call->db, kinds[kind], &resources, &count, error))
                        return false;
                for (size_t i = 0; i < count; i++) {
                        json_array_append_new(list, describe(&resources[i], call->now));
                        store_resource_clear(&resources[i]);
                }
        }
        *result = json_pack("{s:O}", "containers", list);
        return true;
}

static void append_measure(const struct store_resource *resource, const char *action, void *context)
{
        json_t *item = json_object();

        json_object_set_new(item, "handle", document_string(resource->handle));
        json_object_set_new(item, "kind", document_string(resource->kind));
        json_object_set_new(item, "taskId", resource->task_id ? document_string(resource->task_id) : json_null());
        json_object_set_new(item, "action", json_string(action));
        json_array_append_new(context, item);
}

bool retention_preview(struct call *call, const struct retention_preview_input *input, json_t **result,
                       struct error *error)
{
        auto_json *measures = json_array();
        int64_t at = call->now;

        if (!access_require(call->actor, PERMISSION_SETTINGS_VIEW, error))
                return false;
        if (input->at && !clock_parse(input->at, &at))
                return error_set(error, ERROR_INVALID_INPUT, "at must be an ISO 8601 time with an offset");
        if (!retention_due(call->services, call->db, at, append_measure, measures, error))
                return false;
        *result = json_pack("{s:o, s:O}", "at", document_time(at), "measures", measures);
        return true;
}
