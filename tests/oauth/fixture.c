#include "tests/oauth/fixture.h"

#include <sqlite3.h>

#include "server/base/form.h"
#include "server/services/login_limit.h"
#include "server/services/oauth_document.h"
#include "server/services/oauth_limit.h"

int oauth_set_up(void **state)
{
        if (rest_set_up(state))
                return 1;
        struct rest_fixture *fixture = *state;
        fixture->services.address = "http://127.0.0.1:3000";
        free(rest_key(fixture, "vera", "Viewer"));
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *reply =
                ask(fixture->connection, "PUT", "/users/vera/password", headers, "{\"password\":\"" PASSWORD "\"}");
        assert_int_equal(reply->status, 200);
        oauth_set(fixture, "SITE_URL", SITE);
        oauth_set(fixture, "MCP_SERVER_ENABLED", "true");
        oauth_set(fixture, "MCP_OAUTH_ENABLED", "true");
        oauth_limit_reset();
        return 0;
}

int oauth_tear_down(void **state)
{
        auto_error error = {0};

        oauth_document_fetch_with(NULL);
        int result = rest_tear_down(state);
        assert_true(settings_load(NULL, NULL, NULL, &error));
        return result;
}

void oauth_set(struct rest_fixture *fixture, const char *name, const char *value)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_free char *path = text_format("/settings/%s", name);
        auto_free char *body = value ? text_format("{\"value\":\"%s\"}", value) : NULL;
        auto_reply *reply = ask(fixture->connection, value ? "PUT" : "DELETE", path, headers, body);

        if (reply->status != 200)
                fail_msg("%s: %s", name, reply->body);
}

void oauth_sql(struct rest_fixture *fixture, const char *sql)
{
        auto_free char *path = text_format("%s/store.db", fixture->root);
        char *message = NULL;
        sqlite3 *db;

        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        sqlite3_busy_timeout(db, 5000);
        if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
                fail_msg("%s", message);
        sqlite3_close(db);
}

static json_t *document_of(const struct reply *reply)
{
        auto_error error = {0};
        json_t *document = document_parse(reply->body, reply->length, &error);

        if (!document)
                fail_msg("%d: %s", reply->status, reply->body);
        return document;
}

char *oauth_register_client(struct rest_fixture *fixture, const char *redirect_uris)
{
        auto_free char *body = text_format("{\"client_name\":\"Test client\",\"redirect_uris\":%s,"
                                           "\"token_endpoint_auth_method\":\"none\"}",
                                           redirect_uris);
        auto_reply *reply =
                ask(fixture->connection, "POST", "/mcp/oauth/register", "Content-Type: application/json\r\n", body);

        if (reply->status != 201)
                fail_msg("%d: %s", reply->status, reply->body);
        auto_json *document = document_of(reply);
        return text_copy(document_get_string(document, "client_id"));
}

char *oauth_authorize_path(const char *client, const char *redirect_uri, const char *more)
{
        auto_text path = TEXT_WITH_MAXIMUM(100000);

        text_append_string(&path, "/mcp/oauth/authorize?");
        form_append(&path, "client_id", client);
        if (redirect_uri)
                form_append(&path, "redirect_uri", redirect_uri);
        text_printf(&path, "&response_type=code&code_challenge=" CHALLENGE "&code_challenge_method=S256&state=xyz%s",
                    more);
        return text_take(&path);
}

struct reply *oauth_get(struct rest_fixture *fixture, const char *path, const char *header_lines)
{
        return ask(fixture->connection, "GET", path, header_lines ? header_lines : "", NULL);
}

struct reply *oauth_post(struct rest_fixture *fixture, const char *path, const char *header_lines, const char *form)
{
        auto_free char *lines = text_format("%s" FORM_TYPE, header_lines ? header_lines : "");

        return ask(fixture->connection, "POST", path, lines, form);
}

char *oauth_browser(struct rest_fixture *fixture, const char *user)
{
        auto_free char *form = text_format("query=a%%3Db&user=%s&password=" PASSWORD, user);

        login_limit_reset();
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/sign-in", NULL, form);
        if (reply->status != 303)
                fail_msg("%d: %s", reply->status, reply->body);
        assert_string_equal(reply_header(reply, "Location"), "/mcp/oauth/authorize?a=b");
        const char *cookie = reply_header(reply, "Set-Cookie");
        return text_format("Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
}

static void replace(char *text, const char *from, char to)
{
        for (char *at = text; (at = strstr(at, from)); at++) {
                *at = to;
                memmove(at + 1, at + strlen(from), strlen(at + strlen(from)) + 1);
        }
}

char *oauth_field(const struct reply *page, const char *name)
{
        auto_free char *start = text_format("name=\"%s\" value=\"", name);
        const char *at = strstr(page->body, start);

        if (!at)
                fail_msg("no %s in %d: %s", name, page->status, page->body);
        at += strlen(start);
        char *value = text_format("%.*s", (int)strcspn(at, "\""), at);
        replace(value, "&quot;", '"');
        replace(value, "&#39;", '\'');
        replace(value, "&lt;", '<');
        replace(value, "&gt;", '>');
        replace(value, "&amp;", '&');
        return value;
}

char *oauth_consent_form(struct rest_fixture *fixture, const char *path, const char *cookie, const char *decision)
{
        auto_text form = TEXT_WITH_MAXIMUM(100000);
        auto_reply *page = oauth_get(fixture, path, cookie);
        static const char *const names[] = {"query", "issued_at", "ticket"};

        if (page->status != 200)
                fail_msg("%d %s: %s", page->status, reply_header(page, "Location"), page->body);
        for (size_t i = 0; i < COUNT_OF(names); i++) {
                auto_free char *value = oauth_field(page, names[i]);
                form_append(&form, names[i], value);
        }
        form_append(&form, "decision", decision);
        return text_take(&form);
}

char *oauth_parameter(const char *url, const char *name)
{
        const char *query = strchr(url, '?');
        auto_error error = {0};
        auto_json *form = query ? form_parse(query + 1, strlen(query + 1), &error) : json_object();

        assert_non_null(form);
        return text_copy(document_get_string(form, name));
}

char *oauth_code(struct rest_fixture *fixture, const char *client, const char *redirect_uri, const char *user)
{
        auto_free char *cookie = oauth_browser(fixture, user);
        auto_free char *path = oauth_authorize_path(client, redirect_uri, "");
        auto_free char *form = oauth_consent_form(fixture, path, cookie, "approve");
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/consent", cookie, form);

        if (reply->status != 303)
                fail_msg("%d: %s", reply->status, reply->body);
        auto_free char *location = text_copy(reply_header(reply, "Location"));
        char *code = oauth_parameter(location, "code");
        if (!code)
                fail_msg("%s", location);
        return code;
}

json_t *oauth_token_answer(struct rest_fixture *fixture, int status, const char *form)
{
        auto_reply *reply = oauth_post(fixture, "/mcp/oauth/token", NULL, form);

        if (reply->status != status)
                fail_msg("%d instead of %d: %s", reply->status, status, reply->body);
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-store");
        return document_of(reply);
}

json_t *oauth_exchange(struct rest_fixture *fixture, const char *client, const char *code, int status)
{
        auto_free char *form =
                text_format("grant_type=authorization_code&client_id=%s&code=%s&code_verifier=" VERIFIER, client, code);

        return oauth_token_answer(fixture, status, form);
}

json_t *oauth_refresh(struct rest_fixture *fixture, const char *client, const char *token, int status)
{
        auto_free char *form = text_format("grant_type=refresh_token&client_id=%s&refresh_token=%s", client, token);

        return oauth_token_answer(fixture, status, form);
}

char *oauth_signed_in(struct rest_fixture *fixture, const char *user, json_t **tokens)
{
        char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *code = oauth_code(fixture, client, CALLBACK, user);

        *tokens = oauth_exchange(fixture, client, code, 200);
        return client;
}

int oauth_mcp(struct rest_fixture *fixture, const char *token)
{
        auto_free char *headers = rest_bearer(token);
        auto_reply *reply = ask(fixture->connection, "POST", "/mcp", headers,
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                                "\"list_environments\",\"arguments\":{}}}");

        return reply->status;
}
