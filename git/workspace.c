#include <string.h>

#include "git/branch.h"
#include "git/mirror_clean.h"
#include "git/mirror_place.h"
#include "git/repository.h"
#include "git/request.h"
#include "git/url.h"
#include "git/worker.h"
#include "server/base/document.h"
#include "server/base/path.h"

/* The name a workspace has until it is whole, hidden beside its own; the caller's. */
static char *unfinished_path(const char *destination)
{
        const char *slash = strrchr(destination, '/');

        return text_format("%.*s/.%s.unfinished", (int)(slash - destination), destination, slash + 1);
}

static bool make(json_t *request, const char *unfinished, const struct repository_limits *limits, char **branch_out,
                 char head[REPOSITORY_HEAD_SIZE], struct error *error)
{
        if (!path_remove_tree(unfinished, error))
                return false;
        auto_json *result = repository_worker_run("workspace", request, limits, error);
        const char *branch = document_get_string(result, "branch"), *commit = document_get_string(result, "head");
        if (branch && commit && strlen(commit) < REPOSITORY_HEAD_SIZE) {
                *branch_out = text_copy(branch);
                strcpy(head, commit);
                return true;
        }
        mirror_remove_tree(unfinished);
        return false;
}

bool repository_workspace_make(const char *mirrors, const char *url, const char *branch, const char *destination,
                               uid_t uid, gid_t gid, const struct repository_limits *limits, char **branch_out,
                               char head[REPOSITORY_HEAD_SIZE], struct error *error)
{
        auto_free char *normal = repository_url_normalise(url, error);
        auto_mirror_place place = {0};
        auto_json *request = json_object();

        if (!normal || (branch && !branch_name_check(branch, error)))
                return false;
        if (*destination != '/')
                return error_set(error, ERROR_INTERNAL, "The workspace %s is no absolute path", destination);
        if (!access(destination, F_OK))
                return error_set(error, ERROR_CONFLICT, "The workspace %s exists already", destination);
        mirror_place_init(&place, mirrors, normal);
        auto_free char *unfinished = unfinished_path(destination);
        json_object_set_new(request, "url", document_string(normal));
        json_object_set_new(request, "mirror", document_string(place.mirror));
        json_object_set_new(request, "lock", document_string(place.lock));
        json_object_set_new(request, "branch", document_string(branch));
        json_object_set_new(request, "unfinished", document_string(unfinished));
        json_object_set_new(request, "destination", document_string(destination));
        json_object_set_new(request, "uid", json_integer(uid));
        json_object_set_new(request, "gid", json_integer(gid));
        return make(request, unfinished, limits, branch_out, head, error) ||
               request_failure_name(error, normal, branch);
}
