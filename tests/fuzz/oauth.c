/* Anything as what an OAuth client sends: the first byte chooses an URL, a form, a registration, a metadata document or
 * an authorization request. What is accepted must hold to what the rest relies on. */
#include <stdlib.h>
#include <string.h>

#include "server/base/document.h"
#include "server/base/form.h"
#include "server/base/url.h"
#include "server/services/oauth_client.h"
#include "server/services/oauth_consent.h"
#include "server/services/oauth_document.h"
#include "server/services/oauth_redirect.h"
#include "server/services/oauth_request.h"

#define DOCUMENT_URL "https://client.example/metadata.json"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
        if (!holds)
                abort();
}

/* The parts lie within the text, and what may go into a header does. */
static void fuzz_url(const char *text)
{
        auto_error error = {0};
        struct url url;

        bool is_url = url_parse(text, &url);
        bool is_redirect = oauth_redirect_check(text, &error);
        require(is_url || !is_redirect);
        (void)oauth_hosts_are_valid(text);
        (void)oauth_document_url_is_valid(text);
        if (!is_url)
                return;
        const struct url_part parts[] = {url.scheme, url.user, url.host, url.port, url.path, url.query, url.fragment};
        for (size_t i = 0; i < COUNT_OF(parts); i++)
                require(!parts[i].at || (parts[i].at >= text && parts[i].at + parts[i].length <= text + strlen(text)));
        require(!is_redirect || !strpbrk(text, " \t\r\n\"<>\\"));
        require(!is_redirect || oauth_redirect_matches(text, text));
        auto_free char *source = oauth_redirect_source(text);
        require(!is_redirect || !strpbrk(source, " ;,\r\n"));
        require(oauth_hosts_allow(NULL, text));
        (void)oauth_hosts_allow("claude.ai\n*.example.com", text);
}

/* The second text matches the first only when nothing but a loopback port differs. */
static void fuzz_redirects(const char *text)
{
        const char *line = strchr(text, '\n');
        auto_free char *first = line ? text_format("%.*s", (int)(line - text), text) : NULL;
        struct url a, b;

        if (!line || !oauth_redirect_matches(first, line + 1) || !strcmp(first, line + 1))
                return;
        require(url_parse(first, &a) && url_parse(line + 1, &b) && url_is_loopback(&a) && url_is_loopback(&b));
        require(url_part_is_same(&a.host, &b.host) && url_part_is_same(&a.path, &b.path));
}

static void fuzz_form(const char *text, size_t length)
{
        auto_text out = TEXT_WITH_MAXIMUM(10000000);
        auto_error error = {0};
        auto_json *form = form_parse(text, length, &error);

        if (!form)
                return;
        form_print(form, &out);
        require(!strpbrk(text_string(&out), "\r\n <>\""));
        auto_json *again = form_parse(text_string(&out), out.length, &error);
        require(again && json_equal(form, again));
}

static void fuzz_registration(const char *text, size_t length)
{
        auto_oauth_metadata metadata = {0};
        auto_error error = {0};
        auto_json *document = document_parse(text, length, &error);

        if (!document || !oauth_metadata_read(document, &metadata, &error))
                return;
        require(utf8_count(metadata.name, strlen(metadata.name)) <= 100);
        require(utf8_is_valid(metadata.name, strlen(metadata.name)));
        for (const char *at = metadata.redirect_uris; *at; at += *at == '\n') {
                size_t uri = strcspn(at, "\n");
                auto_free char *one = text_format("%.*s", (int)uri, at);
                require(oauth_redirect_check(one, &error));
                at += uri;
        }
}

static void fuzz_document(const char *text, size_t length)
{
        auto_oauth_client client = {0};
        auto_error error = {0};

        if (oauth_document_read(DOCUMENT_URL, text, length, &client, &error))
                require(!strcmp(client.id, DOCUMENT_URL) && !client.has_secret && *client.redirect_uris);
        else
                require(error.code == ERROR_OAUTH_CLIENT);
}

/* A request of a client that is never looked up, with the store that is not there. */
static void fuzz_request(const char *text, size_t length)
{
        struct oauth_site site = {.issuer = (char *)"https://s.example",
                                  .main = (char *)"https://s.example",
                                  .resource = (char *)"https://s.example/mcp"};
        auto_oauth_request request = {0};
        auto_error error = {0};
        auto_json *parameters = form_parse(text, length, &error);

        if (!parameters)
                return;
        json_object_set_new(parameters, "client_id", json_string(DOCUMENT_URL));
        if (oauth_request_read(NULL, &site, parameters, false, &request, &error))
                require(!request.redirect_uri);
        request.redirect_uri = text_copy("https://client.example/cb");
        error_set(&error, ERROR_OAUTH_DENIED, "%s", text);
        auto_free char *url = oauth_request_answer(&request, &site, NULL, &error);
        require(!strpbrk(url, "\r\n <>\""));
        (void)oauth_consent_ticket_is_good("0123456789012345678901234567890123456789", text, text, text, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        if (!size)
                return 0;
        size_t length = size - 1;
        auto_free char *text = memory_new(length + 1);
        memcpy(text, data + 1, length);
        switch (data[0] % 6) {
        case 0:
                fuzz_url(text);
                break;
        case 1:
                fuzz_redirects(text);
                break;
        case 2:
                fuzz_form(text, length);
                break;
        case 3:
                fuzz_registration(text, length);
                break;
        case 4:
                fuzz_document(text, length);
                break;
        default:
                fuzz_request(text, length);
        }
        return 0;
}
