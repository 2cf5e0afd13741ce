/* Anybody may register: what is kept of it, for how long, and that a flood shuts out nobody else. */
#include "server/services/oauth_client.h"
#include "server/services/oauth_limit.h"
#include "tests/oauth/fixture.h"

static int register_from(struct rest_fixture *fixture, const char *address, char **client)
{
        static const char body[] = "{\"redirect_uris\":[\"" CALLBACK "\"],\"token_endpoint_auth_method\":\"none\"}";
        auto_json *result = NULL;
        auto_error error = {0};

        if (!oauth_client_register(&fixture->services, body, strlen(body), address, &result, &error))
                return error_kind(error.code)->status;
        if (client)
                *client = text_copy(document_get_string(result, "client_id"));
        return 201;
}

static void the_answer_says_what_was_registered(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_reply *reply =
                ask(fixture->connection, "POST", "/mcp/oauth/register", "Content-Type: application/json\r\n",
                    "{\"client_name\":\"A\",\"redirect_uris\":[\"" CALLBACK "\",\"" LOOPBACK "\"],"
                    "\"grant_types\":[\"authorization_code\",\"refresh_token\",\"other\"],\"scope\":\"x\","
                    "\"token_endpoint_auth_method\":\"client_secret_post\",\"application_type\":\"native\","
                    "\"logo_uri\":\"https://evil.example/\",\"unknown\":{\"a\":[1]}}");
        auto_error error = {0};
        auto_json *answer = document_parse(reply->body, reply->length, &error);

        assert_int_equal(reply->status, 201);
        assert_string_equal(reply_header(reply, "Cache-Control"), "no-store");
        assert_int_equal(strncmp(document_get_string(answer, "client_id"), "client-", 7), 0);
        assert_int_equal(strncmp(document_get_string(answer, "client_secret"), "lss_", 4), 0);
        assert_int_equal(document_get_integer(answer, "client_secret_expires_at", -1), 0);
        assert_int_equal(json_array_size(json_object_get(answer, "redirect_uris")), 2);
        assert_int_equal(json_array_size(json_object_get(answer, "grant_types")), 2);
        assert_null(json_object_get(answer, "logo_uri"));
}

static void one_address_cannot_register_without_end(void **state)
{
        struct rest_fixture *fixture = *state;

        for (int i = 0; i < OAUTH_LIMIT_MAXIMUM; i++)
                assert_int_equal(register_from(fixture, "198.51.100.1", NULL), 201);
        assert_int_equal(register_from(fixture, "198.51.100.1", NULL), 429);
        assert_int_equal(register_from(fixture, "198.51.100.2", NULL), 201);
        /* All addresses of one customer's IPv6 network are one source. */
        for (int i = 0; i < OAUTH_LIMIT_MAXIMUM; i++) {
                auto_free char *address = text_format("2001:db8:1:2::%x", i + 1);
                assert_int_equal(register_from(fixture, address, NULL), 201);
        }
        assert_int_equal(register_from(fixture, "2001:db8:1:2:ffff::1", NULL), 429);
        assert_int_equal(register_from(fixture, "2001:db8:1:3::1", NULL), 201);
}

static void a_refused_registration_says_when_to_come_back(void **state)
{
        struct rest_fixture *fixture = *state;
        int status = 201;

        for (int i = 0; i <= OAUTH_LIMIT_MAXIMUM && status == 201; i++) {
                auto_reply *reply = ask(fixture->connection, "POST", "/mcp/oauth/register",
                                        "Content-Type: application/json\r\n", "{\"redirect_uris\":[\"" CALLBACK "\"]}");
                status = reply->status;
                if (status != 429)
                        continue;
                assert_non_null(reply_header(reply, "Retry-After"));
                assert_non_null(strstr(reply->body, "\"error\":\"too_many_requests\""));
        }
        assert_int_equal(status, 429);
}

/* The flood comes from many places and fills all the room there is; it pushes out its own. */
static void a_flood_does_not_push_out_a_client_that_is_about_to_be_approved(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = NULL;

        assert_int_equal(register_from(fixture, "203.0.113.7", &client), 201);
        oauth_sql(fixture, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) "
                           "INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, source, created_at) "
                           "SELECT 'flood-' || i, '', 'https://flood.example/', 'none', '10.0.0.' || (i % 100), "
                           "(SELECT max(created_at) FROM oauth_clients) + i FROM n");
        for (int i = 0; i < 20; i++) {
                auto_free char *address = text_format("10.0.0.%d", i);
                assert_int_equal(register_from(fixture, address, NULL), 201);
        }
        auto_free char *code = oauth_code(fixture, client, CALLBACK, "vera");
        auto_json *tokens = oauth_exchange(fixture, client, code, 200);
        assert_int_equal(oauth_mcp(fixture, document_get_string(tokens, "access_token")), 200);
}

static void an_unused_registration_is_forgotten_after_a_day(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *used = oauth_signed_in(fixture, "vera", &tokens);
        auto_free char *unused = oauth_register_client(fixture, "[\"" CALLBACK "\"]");

        oauth_sql(fixture, "UPDATE oauth_clients SET created_at = created_at - 86400000");
        auto_free char *path = oauth_authorize_path(unused, CALLBACK, "");
        auto_reply *forgotten = oauth_get(fixture, path, NULL);
        assert_int_equal(forgotten->status, 400);
        free(oauth_register_client(fixture, "[\"" CALLBACK "\"]"));
        auto_free char *code = oauth_code(fixture, used, CALLBACK, "vera");
        json_decref(oauth_exchange(fixture, used, code, 200));
}

int run_registration_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(the_answer_says_what_was_registered, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(one_address_cannot_register_without_end, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_refused_registration_says_when_to_come_back, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_flood_does_not_push_out_a_client_that_is_about_to_be_approved,
                                                oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_unused_registration_is_forgotten_after_a_day, oauth_set_up,
                                                oauth_tear_down),
        };

        return cmocka_run_group_tests_name("registration", tests, NULL, NULL);
}
