#include "git/request.h"

#include <string.h>

#include "server/base/document.h"

json_t *request_failure_write(const struct error *failure)
{
        json_t *document = json_object();

        json_object_set_new(document, "code", document_string(error_kind(failure->code)->code));
        json_object_set_new(document, "message", document_string(failure->message));
        return document;
}

void request_failure_read(const json_t *document, struct error *error)
{
        const char *code = document_get_string(document, "code"), *message = document_get_string(document, "message");
        enum error_code found = ERROR_GIT_FAILED;

        for (int i = ERROR_NONE + 1; code && i < ERROR_COUNT; i++)
                if (!strcmp(error_kind((enum error_code)i)->code, code))
                        found = (enum error_code)i;
        error_set(error, found, "%s", message ? message : "The git worker gave no reason");
}

bool request_failure_name(struct error *error, const char *url, const char *branch)
{
        auto_error bare = {0};
        json_t *details = json_object();

        error_move(&bare, error);
        json_object_set_new(details, "repository", document_string(url));
        if (branch)
                json_object_set_new(details, "ref", document_string(branch));
        return error_set_details(error, bare.code, details, "Repository %s%s%s: %s", url, branch ? ", branch " : "",
                                 branch ? branch : "", bare.message);
}
