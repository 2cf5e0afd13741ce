#include "oauth/asked.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "oauth/answer.h"
#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/secret.h"
#include "server/services/reader.h"
#include "server/services/session.h"

#define FORM_TYPE "application/x-www-form-urlencoded"

void asked_free(struct asked *asked)
{
        size_t length = asked->body ? asked->length : 0;

        if (length)
                secret_wipe(asked->body, length);
        free(asked->body);
        free(asked->authorization);
        free(asked->session);
        free(asked->host);
        json_decref(asked->parameters);
        error_clear(&asked->fault);
        free(asked);
}

const char *asked_for(const struct asked *asked, const char *name)
{
        return document_get_string(asked->parameters, name);
}

static void put(const char *name, const char *value, void *context)
{
        struct asked *asked = context;

        if (!asked->fault.code)
                (void)!form_put(asked->parameters, name, value, &asked->fault);
}

static bool is_form(const char *content_type)
{
        size_t length = strlen(FORM_TYPE);

        return content_type && !strncasecmp(content_type, FORM_TYPE, length) &&
               (!content_type[length] || strchr("; \t", content_type[length]));
}

static void read_form(struct asked *asked)
{
        if (!is_form(http_request_header(asked->request, "Content-Type"))) {
                error_set(&asked->fault, ERROR_OAUTH_REQUEST, "the body must be a form (Content-Type: " FORM_TYPE ")");
                return;
        }
        json_t *form = form_parse(asked->body ? asked->body : "", asked->length, &asked->fault);
        if (!form)
                return;
        json_decref(asked->parameters);
        asked->parameters = form;
}

static struct asked *read_request(const struct oauth_door *door, struct http_request *request, enum asked_where where)
{
        struct asked *asked = memory_new(sizeof *asked);

        *asked = (struct asked){.door = door, .request = request, .parameters = json_object()};
        asked->authorization = text_copy(http_request_header(request, "Authorization"));
        asked->session = text_copy(http_request_cookie(request, SESSION_COOKIE));
        asked->host = text_copy(http_request_header(request, "Host"));
        http_request_peer(request, asked->peer);
        if (where != ASKED_QUERY)
                asked->body = http_request_take_body(request, &asked->length);
        if (where == ASKED_QUERY)
                http_request_each_query(request, put, asked);
        if (where == ASKED_FORM)
                read_form(asked);
        return asked;
}

static void work(void *context)
{
        struct asked *asked = context;
        auto_error error = {0};

        asked->db = services_reader(asked->door->services, &error);
        if (!asked->db)
                answer_refuse(asked, &error);
        if (!asked->db || asked->run(asked))
                asked_free(asked);
}

void asked_later(const struct oauth_door *door, struct http_request *request, enum asked_where where,
                 bool (*run)(struct asked *asked))
{
        struct asked *asked = read_request(door, request, where);
        auto_error error = {0};

        asked->run = run;
        if (!http_suspend(request)) {
                asked_free(asked);
        } else if (!pool_submit(door->pool, work, asked)) {
                error_set(&error, ERROR_TOO_MANY, "All workers are busy; retry in a moment.");
                answer_refuse(asked, &error);
                asked_free(asked);
        }
}
