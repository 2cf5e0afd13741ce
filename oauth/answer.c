#include "oauth/answer.h"

#include <string.h>
#include <strings.h>

#include "server/base/document.h"
#include "server/base/log.h"
#include "server/services/oauth_request.h"

void answer_document(struct http_request *request, unsigned status, json_t *document)
{
        auto_json *owned = document;
        char *body = document_print(owned);

        http_respond(request, status, HTTP_JSON, body, strlen(body));
}

void answer_error(struct http_request *request, const struct error *error)
{
        int64_t seconds = document_get_integer(error->details, "retryAfterSeconds", 0);
        int status = error_kind(error->code)->status;
        auto_free char *description = oauth_description(error);

        if (seconds) {
                auto_free char *value = text_format("%lld", (long long)seconds);
                http_request_add_header(request, "Retry-After", value);
        }
        if (status >= 500 && error->code != ERROR_UNAVAILABLE)
                log_warning("An OAuth request failed", "request", http_request_id(request), "reason", error->message);
        http_request_add_header(request, "Pragma", "no-cache");
        answer_document(request, (unsigned)status,
                        json_pack("{s:s, s:s}", "error", oauth_error_code(error), "error_description", description));
}

void answer_refuse(const struct asked *asked, const struct error *error)
{
        bool is_basic = asked->authorization && !strncasecmp(asked->authorization, "Basic ", 6);

        if (error->code == ERROR_OAUTH_CLIENT && is_basic)
                http_request_add_header(asked->request, "WWW-Authenticate", "Basic realm=\"longshore\"");
        answer_error(asked->request, error);
}
