/* Where clients look for metadata, and what they find: every form, method and spelling. */
#include "server/services/oauth_site.h"
#include "tests/oauth/fixture.h"

#define SERVER "/.well-known/oauth-authorization-server"
#define RESOURCE "/.well-known/oauth-protected-resource"
#define RESOURCE_DOCUMENT                                                                                              \
        "{\"resource\":\"" SITE "/mcp\",\"authorization_servers\":[\"" SITE "\"],\"scopes_supported\":[\"mcp\"],"      \
        "\"bearer_methods_supported\":[\"header\"],\"resource_name\":\"Longshore\"}"
#define SERVER_DOCUMENT                                                                                                \
        "{\"issuer\":\"" SITE "\",\"authorization_endpoint\":\"" SITE "/mcp/oauth/authorize\","                        \
        "\"token_endpoint\":\"" SITE "/mcp/oauth/token\",\"registration_endpoint\":\"" SITE "/mcp/oauth/register\","   \
        "\"revocation_endpoint\":\"" SITE "/mcp/oauth/revoke\",\"scopes_supported\":[\"mcp\"],"                        \
        "\"response_types_supported\":[\"code\"],\"response_modes_supported\":[\"query\"],"                            \
        "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\"],"                                        \
        "\"token_endpoint_auth_methods_supported\":[\"none\",\"client_secret_post\",\"client_secret_basic\"],"         \
        "\"revocation_endpoint_auth_methods_supported\":[\"none\",\"client_secret_post\",\"client_secret_basic\"],"    \
        "\"code_challenge_methods_supported\":[\"S256\"],\"protected_resources\":[\"" SITE "/mcp\"],"                  \
        "\"authorization_response_iss_parameter_supported\":true,\"client_id_metadata_document_supported\":true}"

static const struct {
        const char *path, *document; /* NULL: 404 for every method */
} places[] = {
        {RESOURCE, RESOURCE_DOCUMENT},
        {RESOURCE "/mcp", RESOURCE_DOCUMENT},
        {SERVER, SERVER_DOCUMENT},
        {SERVER "/mcp", SERVER_DOCUMENT},
        {RESOURCE "/", NULL},
        {RESOURCE "/mcp/", NULL},
        {SERVER "/", NULL},
        {SERVER "/mcp/", NULL},
        {RESOURCE "/other", NULL},
        {SERVER "/mcp/oauth", NULL},
        {"/mcp" RESOURCE, NULL},
        {"/mcp" SERVER, NULL},
        {"/mcp/" RESOURCE, NULL},
        {"/.well-known/openid-configuration", NULL},
        {"/.well-known/openid-configuration/mcp", NULL},
        {"/mcp/.well-known/openid-configuration", NULL},
        {"/.Well-Known/oauth-protected-resource", NULL},
};
static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"};

static void every_place_and_method_answers_as_it_should(void **state)
{
        struct rest_fixture *fixture = *state;

        for (size_t i = 0; i < COUNT_OF(places); i++)
                for (size_t j = 0; j < COUNT_OF(methods); j++) {
                        bool reads = j < 2;
                        int wanted = !places[i].document ? 404 : reads ? 200 : 405;
                        auto_reply *reply = ask(fixture->connection, methods[j], places[i].path, "", NULL);
                        if (reply->status != wanted)
                                fail_msg("%s %s: %d instead of %d", methods[j], places[i].path, reply->status, wanted);
                        if (wanted == 200) {
                                assert_string_equal(reply_header(reply, "Content-Type"), "application/json");
                                assert_string_equal(reply->body, j ? "" : places[i].document);
                        }
                        if (wanted == 405)
                                assert_non_null(strstr(reply_header(reply, "Allow"), "GET"));
                }
}

/* A path of the site's URL is not carried over; the endpoints follow the split of the dedicated listener. */
static void the_documents_follow_the_published_addresses(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_error error = {0};

        oauth_set(fixture, "SITE_URL", SITE ":8443/tools");
        auto_reply *reply = oauth_get(fixture, RESOURCE, NULL);
        assert_non_null(strstr(reply->body, "\"resource\":\"" SITE ":8443/mcp\""));
        assert_non_null(strstr(reply->body, "[\"" SITE ":8443\"]"));
        oauth_set(fixture, "MCP_PUBLIC_BASE_URL", "https://mcp.example");
        auto_reply *split = oauth_get(fixture, SERVER, NULL);
        auto_json *server = document_parse(split->body, split->length, &error);
        assert_string_equal(document_get_string(server, "issuer"), "https://mcp.example");
        assert_string_equal(document_get_string(server, "token_endpoint"), "https://mcp.example/mcp/oauth/token");
        assert_string_equal(document_get_string(server, "authorization_endpoint"), SITE ":8443/mcp/oauth/authorize");
        auto_reply *resource = oauth_get(fixture, RESOURCE "/mcp", NULL);
        assert_non_null(strstr(resource->body, "\"resource\":\"https://mcp.example/mcp\""));
}

/* What is needed for OAuth to answer at all: settings, and the status of every endpoint. */
static const struct {
        const char *mcp, *oauth, *site, *public_base;
        int status; /* of the metadata */
} conditions[] = {
        {"true", "true", SITE, NULL, 200},
        {"false", "true", SITE, NULL, 404},
        {"true", "false", SITE, NULL, 404},
        {"true", "true", "http://longshore.example", NULL, 503},
        {"true", "true", "http://localhost:3000", NULL, 200},
        {"true", "true", "http://127.0.0.1:3000", NULL, 200},
        {"true", "true", "http://[::1]:3000", NULL, 200},
        {"true", "true", "http://localhost.example", NULL, 503},
        {"true", "true", "http://10.0.0.1", NULL, 503},
        {"true", "true", SITE, "http://mcp.example", 503},
        {"true", "true", "http://longshore.example", "https://mcp.example", 503},
        {"true", "true", NULL, NULL, 200}, /* it was called localhost */
        {"true", "true", NULL, "https://mcp.example", 503},
        {"true", "true", NULL, "http://127.0.0.1:3004", 200},
};
static const struct {
        const char *method, *path;
} endpoints[] = {
        {"GET", RESOURCE},
        {"GET", RESOURCE "/mcp"},
        {"GET", SERVER},
        {"GET", SERVER "/mcp"},
        {"GET", "/mcp/oauth/authorize"},
        {"POST", "/mcp/oauth/register"},
        {"POST", "/mcp/oauth/token"},
        {"POST", "/mcp/oauth/revoke"},
        {"POST", "/mcp/oauth/sign-in"},
        {"POST", "/mcp/oauth/consent"},
};

static void oauth_answers_only_where_it_may(void **state)
{
        struct rest_fixture *fixture = *state;

        for (size_t i = 0; i < COUNT_OF(conditions); i++) {
                oauth_set(fixture, "MCP_SERVER_ENABLED", conditions[i].mcp);
                oauth_set(fixture, "MCP_OAUTH_ENABLED", conditions[i].oauth);
                oauth_set(fixture, "SITE_URL", conditions[i].site);
                oauth_set(fixture, "MCP_PUBLIC_BASE_URL", conditions[i].public_base);
                for (size_t j = 0; j < COUNT_OF(endpoints); j++) {
                        bool posts = *endpoints[j].method == 'P';
                        bool is_json = strstr(endpoints[j].path, "register");
                        auto_reply *reply =
                                ask(fixture->connection, endpoints[j].method, endpoints[j].path,
                                    is_json ? "Content-Type: application/json\r\n" : FORM_TYPE, posts ? "" : NULL);
                        bool is_right = conditions[i].status == 200 ? reply->status != 404 && reply->status != 503
                                                                    : reply->status == conditions[i].status;
                        if (!is_right)
                                fail_msg("%zu: %s: %d", i, endpoints[j].path, reply->status);
                }
        }
}

/* Without SITE_URL, over TLS and where it listens for everybody as well. */
static void a_name_that_a_caller_chose_is_no_issuer(void **state)
{
        struct rest_fixture *fixture = *state;
        static const struct {
                const char *address, *mcp_address, *host;
                bool is_good;
        } calls[] = {
                {"https://localhost:3000", NULL, "localhost:3000", true},
                {"https://localhost:3000", NULL, "[::1]:3000", true},
                {"https://localhost:3000", NULL, "longshore.example", false},
                {"https://localhost:3000", NULL, "10.0.0.1:3000", false},
                {"https://localhost:3000", NULL, "localhost.example", false},
                {"http://localhost:3000", "http://localhost:3004", "127.0.0.1:3004", true},
                {"http://localhost:3000", "http://localhost:3004", "10.0.0.1:3004", false},
                {"http://10.0.0.1:3000", NULL, NULL, false},
        };

        oauth_set(fixture, "SITE_URL", NULL);
        for (size_t i = 0; i < COUNT_OF(calls); i++) {
                struct services services = {.address = calls[i].address, .mcp_address = calls[i].mcp_address};
                auto_oauth_site site = {0};
                auto_error error = {0};
                if (oauth_site_find(&services, calls[i].host, &site, &error) != calls[i].is_good)
                        fail_msg("%zu: %s", i, error.code ? error.message : site.issuer);
                assert_true(calls[i].is_good || error.code == ERROR_UNAVAILABLE);
        }
        assert_false(oauth_site_is_resource("https://longshore.example/mcp"));
        assert_true(oauth_site_is_resource("http://127.0.0.1:3000/mcp"));
}

static char *challenge_of(struct rest_fixture *fixture, const char *headers)
{
        auto_reply *reply = ask(fixture->connection, "POST", "/mcp", headers, "{}");

        assert_int_equal(reply->status, 401);
        return text_copy(reply_header(reply, "WWW-Authenticate"));
}

static void a_refused_call_is_told_where_the_metadata_is(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *bare = challenge_of(fixture, "Content-Type: application/json\r\n");
        auto_free char *wrong = challenge_of(fixture, "Content-Type: application/json\r\nAuthorization: Bearer x\r\n");

        assert_string_equal(bare, "Bearer resource_metadata=\"" SITE RESOURCE "/mcp\", scope=\"mcp\"");
        assert_string_equal(wrong, "Bearer error=\"invalid_token\", resource_metadata=\"" SITE RESOURCE
                                   "/mcp\", scope=\"mcp\"");
        oauth_set(fixture, "MCP_OAUTH_ENABLED", "false");
        auto_free char *plain = challenge_of(fixture, "Content-Type: application/json\r\n");
        assert_string_equal(plain, "Bearer");
}

int run_discovery_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(every_place_and_method_answers_as_it_should, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(the_documents_follow_the_published_addresses, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(oauth_answers_only_where_it_may, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_name_that_a_caller_chose_is_no_issuer, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_refused_call_is_told_where_the_metadata_is, oauth_set_up,
                                                oauth_tear_down),
        };

        return cmocka_run_group_tests_name("discovery", tests, NULL, NULL);
}
