/* Clients whose id is the URL of their metadata. */
#include "server/services/oauth_document.h"
#include "tests/oauth/fixture.h"

#define CLIENT "https://client.example/oauth/metadata.json"
#define DOCUMENT                                                                                                       \
        "{\"client_id\":\"" CLIENT "\",\"client_name\":\"Published\",\"redirect_uris\":[\"" CALLBACK "\",\"" LOOPBACK  \
        "\"],\"token_endpoint_auth_method\":\"none\"}"

/* What the next fetch answers. */
static struct {
        unsigned status;
        const char *type, *body;
        int count;
} next;

static bool fetch(const struct http_fetch *wanted, struct http_fetched *fetched, struct error *error)
{
        next.count++;
        assert_true(wanted->is_public_only);
        assert_false(wanted->allows_http);
        assert_int_equal(wanted->maximum, 65536);
        assert_int_equal(wanted->timeout_ms, 10000);
        if (!next.status)
                return error_set(error, ERROR_FETCH_FAILED, "client.example: its address is not a public one");
        *fetched = (struct http_fetched){.status = next.status,
                                         .content_type = text_copy(next.type),
                                         .body = text_copy(next.body),
                                         .length = strlen(next.body)};
        return true;
}

static void answer_with(unsigned status, const char *type, const char *body)
{
        oauth_document_fetch_with(fetch);
        next.status = status;
        next.type = type;
        next.body = body;
        next.count = 0;
}

static void a_client_that_publishes_its_metadata_gets_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *path = oauth_authorize_path(CLIENT, CALLBACK, "");
        auto_free char *cookie = oauth_browser(fixture, "vera");

        answer_with(200, "application/json; charset=utf-8", DOCUMENT);
        auto_reply *stranger = oauth_get(fixture, path, NULL);
        assert_int_equal(stranger->status, 200);
        assert_int_equal(next.count, 0); /* nothing is fetched for somebody who is not signed in */
        auto_reply *page = oauth_get(fixture, path, cookie);
        assert_int_equal(page->status, 200);
        assert_non_null(strstr(page->body, "<strong>Published</strong>"));
        assert_non_null(strstr(page->body, "described at " CLIENT));
        auto_free char *code = oauth_code(fixture, CLIENT, CALLBACK, "vera");
        auto_json *tokens = oauth_exchange(fixture, CLIENT, code, 200);
        assert_int_equal(oauth_mcp(fixture, document_get_string(tokens, "access_token")), 200);
        auto_json *fresh = oauth_refresh(fixture, CLIENT, document_get_string(tokens, "refresh_token"), 200);
        assert_int_equal(next.count, 1);
        auto_free char *me = text_format("%s", cookie);
        auto_reply *listed = oauth_get(fixture, "/api/mcp-oauth/grants", me);
        assert_non_null(strstr(listed->body, "\"clientId\":\"" CLIENT "\""));
        auto_reply *self = oauth_get(fixture, "/me", cookie);
        auto_error error = {0};
        auto_json *person = document_parse(self->body, self->length, &error);
        auto_free char *with_csrf =
                text_format("%sX-CSRF-Token: %s\r\n", cookie, document_get_string(person, "csrfToken"));
        auto_reply *revoked = ask(fixture->connection, "DELETE", "/api/mcp-oauth/grants/" CLIENT, with_csrf, NULL);
        assert_string_equal(revoked->body, "{\"revoked\":1}");
        assert_int_equal(oauth_mcp(fixture, document_get_string(fresh, "access_token")), 401);
}

static const struct {
        unsigned status; /* 0: the fetch fails */
        const char *type, *body;
} faults[] = {
        {0, NULL, NULL},
        {404, "application/json", DOCUMENT},
        {302, "application/json", DOCUMENT},
        {200, "text/html", DOCUMENT},
        {200, "application/jsonp", DOCUMENT},
        {200, NULL, DOCUMENT},
        {200, "application/json", ""},
        {200, "application/json", "[]"},
        {200, "application/json", "{}"},
        {200, "application/json", "{\"client_id\":\"https://other.example/x\",\"redirect_uris\":[\"" CALLBACK "\"]}"},
        {200, "application/json", "{\"client_id\":\"" CLIENT "/\",\"redirect_uris\":[\"" CALLBACK "\"]}"},
        {200, "application/json", "{\"client_id\":\"" CLIENT "\"}"},
        {200, "application/json", "{\"client_id\":\"" CLIENT "\",\"redirect_uris\":[\"http://client.example/\"]}"},
        {200, "application/json",
         "{\"client_id\":\"" CLIENT "\",\"redirect_uris\":[\"" CALLBACK "\"],\"client_secret\":\"x\"}"},
        {200, "application/json",
         "{\"client_id\":\"" CLIENT "\",\"redirect_uris\":[\"" CALLBACK
         "\"],\"token_endpoint_auth_method\":\"private_key_jwt\"}"},
        /* Another redirect URI than it asks for. */
        {200, "application/json", "{\"client_id\":\"" CLIENT "\",\"redirect_uris\":[\"https://else.example/\"]}"},
};

static void a_document_that_is_not_right_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *path = oauth_authorize_path(CLIENT, CALLBACK, "");
        auto_free char *cookie = oauth_browser(fixture, "vera");

        for (size_t i = 0; i < COUNT_OF(faults); i++) {
                answer_with(faults[i].status, faults[i].type, faults[i].body);
                auto_reply *reply = oauth_get(fixture, path, cookie);
                if (reply->status != 400 || reply_header(reply, "Location"))
                        fail_msg("%zu: %d %s", i, reply->status, reply->body);
                assert_int_equal(next.count, 1);
        }
}

static const char *const urls[] = {
        "https://client.example",
        "https://client.example/",
        "https://user@client.example/x",
        "https://client.example/x#y",
        "https://client.example/../x",
        "https://client.example/./x",
        "https://client.example/x/..",
        "https://client.example:99999/x",
        "https://127.1/x",
        "https://client.example/\\x",
        "https://",
        "https://cli ent.example/x",
};

static void a_url_that_is_no_client_is_not_fetched(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *cookie = oauth_browser(fixture, "vera");

        answer_with(200, "application/json", DOCUMENT);
        for (size_t i = 0; i < COUNT_OF(urls); i++) {
                auto_free char *path = oauth_authorize_path(urls[i], CALLBACK, "");
                auto_reply *reply = oauth_get(fixture, path, cookie);
                if (reply->status != 400)
                        fail_msg("%s: %d", urls[i], reply->status);
        }
        oauth_set(fixture, "MCP_OAUTH_REDIRECT_HOSTS", "claude.ai");
        auto_free char *path = oauth_authorize_path(CLIENT, CALLBACK, "");
        auto_free char *local = oauth_authorize_path(CLIENT, LOOPBACK, "");
        auto_reply *refused = oauth_get(fixture, path, cookie);
        assert_int_equal(refused->status, 400);
        assert_int_equal(next.count, 0);
        auto_reply *loopback = oauth_get(fixture, local, cookie);
        assert_int_equal(loopback->status, 200);
        oauth_set(fixture, "MCP_OAUTH_REDIRECT_HOSTS", "*.example, client.example");
        auto_reply *allowed = oauth_get(fixture, path, cookie);
        assert_int_equal(allowed->status, 200);
        oauth_set(fixture, "MCP_OAUTH_CLIENT_DOCUMENTS", "false");
        auto_reply *off = oauth_get(fixture, path, cookie);
        assert_int_equal(off->status, 400);
        auto_reply *told = oauth_get(fixture, "/.well-known/oauth-authorization-server", NULL);
        assert_non_null(strstr(told->body, "\"client_id_metadata_document_supported\":false"));
}

/* The real fetch, to this machine: refused before a byte is sent. */
static void a_document_on_this_machine_is_not_fetched(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *cookie = oauth_browser(fixture, "vera");
        auto_free char *path = oauth_authorize_path("https://127.0.0.1:1/x", CALLBACK, "");
        auto_reply *reply = oauth_get(fixture, path, cookie);

        assert_int_equal(reply->status, 400);
        assert_non_null(strstr(reply->body, "not a public one"));
}

int run_document_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_client_that_publishes_its_metadata_gets_in, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_document_that_is_not_right_is_refused, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_url_that_is_no_client_is_not_fetched, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_document_on_this_machine_is_not_fetched, oauth_set_up,
                                                oauth_tear_down),
        };

        return cmocka_run_group_tests_name("documents", tests, NULL, NULL);
}
