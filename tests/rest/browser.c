#include "tests/rest/browser.h"

#include "server/base/document.h"

struct reply *browser_login(struct rest_fixture *fixture, const char *user, const char *password)
{
        auto_free char *body = text_format("{\"user\":\"%s\",\"password\":\"%s\"}", user, password);

        return ask(fixture->connection, "POST", "/login", JSON_TYPE, body);
}

struct browser_session browser_session_of(const struct reply *reply)
{
        struct browser_session session = {0};
        auto_error error = {0};

        const char *cookie = reply_header(reply, "Set-Cookie");
        assert_non_null(cookie);
        assert_non_null(strstr(cookie, "HttpOnly"));
        assert_non_null(strstr(cookie, "SameSite=Lax"));
        snprintf(session.cookie, sizeof session.cookie, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
        auto_json *body = document_parse(reply->body, reply->length, &error);
        snprintf(session.csrf, sizeof session.csrf, "X-CSRF-Token: %s\r\n", document_get_string(body, "csrfToken"));
        return session;
}

struct browser_session browser_begin(struct rest_fixture *fixture, const char *user, const char *password)
{
        auto_reply *reply = browser_login(fixture, user, password);

        assert_int_equal(reply->status, 200);
        return browser_session_of(reply);
}

int browser_status_of(struct rest_fixture *fixture, const char *method, const char *path, const char *headers,
                      const char *body)
{
        auto_reply *reply = ask(fixture->connection, method, path, headers, body);

        return reply->status;
}

struct reply *browser_ask(struct rest_fixture *fixture, const char *method, const char *path,
                          const struct browser_session *session, const char *body)
{
        auto_free char *headers = text_format("%s%s" JSON_TYPE, session->cookie, session->csrf);

        return ask(fixture->connection, method, path, headers, body);
}

int browser_status(struct rest_fixture *fixture, const char *method, const char *path,
                   const struct browser_session *session, const char *body)
{
        auto_reply *reply = browser_ask(fixture, method, path, session, body);

        return reply->status;
}

void browser_person(struct rest_fixture *fixture, const char *name, const char *role)
{
        auto_free char *key = rest_key(fixture, name, role);
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_free char *path = text_format("/users/%s/password", name);

        assert_int_equal(browser_status_of(fixture, "PUT", path, headers, "{\"password\":\"correct horse\"}"), 200);
}
