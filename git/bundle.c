#include <string.h>

#include "git/branch.h"
#include "git/mirror_place.h"
#include "git/repository.h"
#include "git/request.h"
#include "git/url.h"
#include "git/worker.h"
#include "server/base/document.h"

static bool make(json_t *request, const struct repository_limits *limits, char **branch_out,
                 char head[REPOSITORY_HEAD_SIZE], bool *is_written, struct error *error)
{
        auto_json *result = repository_worker_run("bundle", request, limits, error);
        const char *commit = document_get_string(result, "head");

        if (!commit || strlen(commit) >= REPOSITORY_HEAD_SIZE)
                return false;
        *branch_out = text_copy(document_get_string(result, "branch"));
        *is_written = json_is_true(json_object_get(result, "written"));
        strcpy(head, commit);
        return true;
}

bool repository_bundle_make(const char *mirrors, const char *url, const char *branch, const char *basis,
                            const char *destination, const struct repository_limits *limits, char **branch_out,
                            char head[REPOSITORY_HEAD_SIZE], bool *is_written, struct error *error)
{
        auto_free char *normal = repository_url_normalise(url, error);
        auto_mirror_place place = {0};
        auto_json *request = json_object();

        if (!normal || (branch && !branch_name_check(branch, error)))
                return false;
        mirror_place_init(&place, mirrors, normal);
        json_object_set_new(request, "mirror", document_string(place.mirror));
        json_object_set_new(request, "lock", document_string(place.lock));
        json_object_set_new(request, "branch", document_string(branch));
        json_object_set_new(request, "basis", document_string(basis));
        json_object_set_new(request, "destination", document_string(destination));
        return make(request, limits, branch_out, head, is_written, error) ||
               request_failure_name(error, normal, branch);
}
