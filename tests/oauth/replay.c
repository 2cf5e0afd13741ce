/* Codes and refresh tokens that are shown more than once. */
#include <pthread.h>

#include "tests/oauth/fixture.h"

static const char *text_of(const json_t *document, const char *name)
{
        const char *text = document_get_string(document, name);

        assert_non_null(text);
        return text;
}

static void expect_error(const json_t *answer, const char *code)
{
        assert_string_equal(text_of(answer, "error"), code);
}

static void a_refresh_token_is_replaced_by_its_use(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *first = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &first);

        auto_json *second = oauth_refresh(fixture, client, text_of(first, "refresh_token"), 200);
        assert_string_not_equal(text_of(first, "refresh_token"), text_of(second, "refresh_token"));
        assert_string_not_equal(text_of(first, "access_token"), text_of(second, "access_token"));
        auto_json *third = oauth_refresh(fixture, client, text_of(second, "refresh_token"), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(second, "access_token")), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(third, "access_token")), 200);
}

static void a_code_that_is_shown_again_ends_its_family(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *code = oauth_code(fixture, client, CALLBACK, "vera");
        auto_json *tokens = oauth_exchange(fixture, client, code, 200);

        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 200);
        auto_json *again = oauth_exchange(fixture, client, code, 400);
        expect_error(again, "invalid_grant");
        assert_int_equal(oauth_mcp(fixture, text_of(tokens, "access_token")), 401);
        auto_json *refused = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 400);
        expect_error(refused, "invalid_grant");
}

static void a_code_of_another_client_is_neither_taken_nor_spent(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *other = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *code = oauth_code(fixture, client, CALLBACK, "vera");

        auto_json *refused = oauth_exchange(fixture, other, code, 400);
        expect_error(refused, "invalid_grant");
        auto_json *tokens = oauth_exchange(fixture, client, code, 200);
        auto_json *stolen = oauth_refresh(fixture, other, text_of(tokens, "refresh_token"), 400);
        expect_error(stolen, "invalid_grant");
        auto_json *fresh = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(fresh, "access_token")), 200);
}

static void an_old_refresh_token_ends_its_family(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *first = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &first);
        auto_json *second = oauth_refresh(fixture, client, text_of(first, "refresh_token"), 200);

        assert_int_equal(oauth_mcp(fixture, text_of(second, "access_token")), 200);
        oauth_sql(fixture, "UPDATE oauth_tokens SET replaced_at = replaced_at - 5001 WHERE replaced_at IS NOT NULL");
        auto_json *replayed = oauth_refresh(fixture, client, text_of(first, "refresh_token"), 400);
        expect_error(replayed, "invalid_grant");
        assert_int_equal(oauth_mcp(fixture, text_of(second, "access_token")), 401);
        auto_json *refused = oauth_refresh(fixture, client, text_of(second, "refresh_token"), 400);
        expect_error(refused, "invalid_grant");
}

static void an_old_refresh_token_whose_successor_was_used_is_not_answered_again(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *first = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &first);
        auto_json *second = oauth_refresh(fixture, client, text_of(first, "refresh_token"), 200);
        auto_json *third = oauth_refresh(fixture, client, text_of(second, "refresh_token"), 200);

        auto_json *refused = oauth_refresh(fixture, client, text_of(first, "refresh_token"), 400);
        expect_error(refused, "invalid_grant");
        assert_int_equal(oauth_mcp(fixture, text_of(third, "access_token")), 200);
}

struct refreshing {
        struct rest_fixture fixture; /* with a connection of its own */
        const char *client, *token;
        json_t *answer;
};

static void *refresh(void *context)
{
        struct refreshing *refreshing = context;

        refreshing->answer = oauth_refresh(&refreshing->fixture, refreshing->client, refreshing->token, 200);
        return NULL;
}

static void two_refreshes_at_once_leave_the_client_signed_in(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *first = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &first);
        struct refreshing both[2];
        pthread_t threads[2];

        for (int i = 0; i < 2; i++) {
                both[i] = (struct refreshing){*fixture, client, text_of(first, "refresh_token"), NULL};
                both[i].fixture.connection = connection_open(fixture->server);
                pthread_create(&threads[i], NULL, refresh, &both[i]);
        }
        for (int i = 0; i < 2; i++) {
                pthread_join(threads[i], NULL);
                connection_close(both[i].fixture.connection);
        }
        /* One line of succession: whichever answer the client keeps, it goes on with the same token. */
        assert_string_equal(text_of(both[0].answer, "refresh_token"), text_of(both[1].answer, "refresh_token"));
        assert_string_equal(text_of(both[0].answer, "access_token"), text_of(both[1].answer, "access_token"));
        assert_int_equal(oauth_mcp(fixture, text_of(both[1].answer, "access_token")), 200);
        auto_json *next = oauth_refresh(fixture, client, text_of(both[0].answer, "refresh_token"), 200);
        assert_int_equal(oauth_mcp(fixture, text_of(next, "access_token")), 200);
        json_decref(both[0].answer);
        json_decref(both[1].answer);
}

static void an_expired_code_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *client = oauth_register_client(fixture, "[\"" CALLBACK "\"]");
        auto_free char *code = oauth_code(fixture, client, CALLBACK, "vera");

        oauth_sql(fixture, "UPDATE oauth_codes SET expires_at = 1");
        auto_json *refused = oauth_exchange(fixture, client, code, 400);
        expect_error(refused, "invalid_grant");
}

static void an_expired_refresh_token_is_refused(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);

        oauth_sql(fixture, "UPDATE oauth_tokens SET expires_at = 1 WHERE is_refresh = 1");
        auto_json *refused = oauth_refresh(fixture, client, text_of(tokens, "refresh_token"), 400);
        expect_error(refused, "invalid_grant");
}

static void nothing_that_opens_a_door_is_in_the_store(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *path = text_format("%s/store.db", fixture->root);
        auto_free char *log = text_format("%s/store.db-wal", fixture->root);
        const char *files[] = {path, log};
        auto_json *tokens = NULL;
        auto_free char *client = oauth_signed_in(fixture, "vera", &tokens);
        const char *secrets[] = {text_of(tokens, "access_token"), text_of(tokens, "refresh_token")};

        for (size_t i = 0; i < COUNT_OF(files); i++) {
                FILE *file = fopen(files[i], "rb");
                auto_free char *bytes = memory_new(64 << 20);
                size_t length = file ? fread(bytes, 1, 64 << 20, file) : 0;
                if (file)
                        fclose(file);
                for (size_t j = 0; j < COUNT_OF(secrets); j++)
                        assert_null(memmem(bytes, length, secrets[j], strlen(secrets[j])));
        }
}

int run_replay_tests(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_refresh_token_is_replaced_by_its_use, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_code_that_is_shown_again_ends_its_family, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(a_code_of_another_client_is_neither_taken_nor_spent, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_old_refresh_token_ends_its_family, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_old_refresh_token_whose_successor_was_used_is_not_answered_again,
                                                oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(two_refreshes_at_once_leave_the_client_signed_in, oauth_set_up,
                                                oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_expired_code_is_refused, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(an_expired_refresh_token_is_refused, oauth_set_up, oauth_tear_down),
                cmocka_unit_test_setup_teardown(nothing_that_opens_a_door_is_in_the_store, oauth_set_up,
                                                oauth_tear_down),
        };

        return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
