#include "server/base/document.h"
#include "server/services/model.h"

static json_t *strings_of(const json_t *strings)
{
        return strings ? json_incref((json_t *)strings) : json_array();
}

static json_t *models_of(const json_t *models)
{
        json_t *list = json_array(), *model;
        size_t i;

        json_array_foreach((json_t *)models, i, model)
                json_array_append_new(list, json_pack("{s:O, s:o, s:o}", "id", json_object_get(model, "id"),
                                                      "reasoningEfforts", strings_of(json_object_get(model, "efforts")),
                                                      "speeds", strings_of(json_object_get(model, "speeds"))));
        return list;
}

bool model_list(struct call *call, json_t **result, struct error *error)
{
        auto_json *catalogue = model_catalogue(call->services);
        json_t *agents = json_array(), *entry;
        const char *name;

        (void)error;
        json_object_foreach(catalogue, name, entry)
                json_array_append_new(agents, json_pack("{s:s, s:o, s:o}", "agent", name, "defaultModel",
                                                        document_string(document_get_string(entry, "default")), "models",
                                                        models_of(json_object_get(entry, "models"))));
        *result = json_pack("{s:o}", "agents", agents);
        return true;
}
