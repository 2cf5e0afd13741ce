/* What every route does with a request that it must refuse, and the lists' pages. */
#include "tests/rest/fixture.h"

#include "server/base/document.h"
#include "server/openapi.h"

/* The path with something in place of every name. */
static char *sample(const char *path)
{
        auto_text out = TEXT_WITH_MAXIMUM(500);

        for (; *path; path++) {
                if (*path == ':' || *path == '*') {
                        path += strcspn(path, "/") - 1;
                        text_append_string(&out, "A");
                } else {
                        text_append(&out, path, 1);
                }
        }
        return text_take(&out);
}

static bool is_tried(size_t row)
{
        return route_operation(row) && routes[row].access != HTTP_ACCESS_PUBLIC;
}

static void no_route_answers_without_a_credential(void **state)
{
        struct rest_fixture *fixture = *state;

        for (size_t row = 0; row < route_count; row++) {
                if (!is_tried(row))
                        continue;
                auto_free char *path = sample(routes[row].path);
                auto_reply *reply = ask(fixture->connection, routes[row].method, path, "", NULL);
                if (reply->status != 401 || !strstr(reply->body, "\"unauthenticated\""))
                        fail_msg("%s %s answered %d", routes[row].method, path, reply->status);
                assert_string_equal(reply_header(reply, "WWW-Authenticate"), "Bearer");
        }
}

static void every_route_names_the_field_that_it_does_not_know(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);

        for (size_t row = 0; row < route_count; row++) {
                if (!is_tried(row))
                        continue;
                bool has_body = routes[row].body == HTTP_BODY_JSON;
                auto_free char *path = sample(routes[row].path);
                auto_free char *asked = text_format("%s%s", path, has_body ? "" : "?nonsense=1");
                auto_reply *reply = ask(fixture->connection, routes[row].method, asked, headers,
                                        has_body ? "{\"nonsense\":1}" : NULL);
                if (reply->status != 400 || !strstr(reply->body, "nonsense"))
                        fail_msg("%s %s answered %d: %s", routes[row].method, asked, reply->status, reply->body);
        }
}

static void a_body_must_be_an_object_and_the_path_is_not_said_twice(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *headers = rest_bearer(fixture->administrator);

        auto_reply *list = ask(fixture->connection, "POST", "/users", headers, "[]");
        assert_int_equal(list->status, 400);
        auto_reply *twice = ask(fixture->connection, "PUT", "/users/root/password", headers,
                                "{\"name\":\"other\",\"password\":\"some password\"}");
        assert_int_equal(twice->status, 400);
        assert_non_null(strstr(twice->body, "name is given by the path"));
        auto_reply *again = ask(fixture->connection, "GET", "/users?limit=1&limit=2", headers, NULL);
        assert_int_equal(again->status, 400);
}

static json_t *get(struct rest_fixture *fixture, const char *path)
{
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *reply = ask(fixture->connection, "GET", path, headers, NULL);
        auto_error error = {0};

        if (reply->status != 200)
                fail_msg("GET %s answered %d: %s", path, reply->status, reply->body);
        return document_parse(reply->body, reply->length, &error);
}

static void pages_follow_each_other_without_gap_or_repetition(void **state)
{
        struct rest_fixture *fixture = *state;
        static const char *const names[] = {"ann", "bob", "cyd", "dan", "root"};
        auto_free char *path = text_copy("/users?limit=2");
        size_t seen = 0;

        for (size_t i = 0; i < COUNT_OF(names) - 1; i++)
                free(rest_key(fixture, names[i], NULL));
        while (path) {
                auto_json *page = get(fixture, path);
                json_t *users = json_object_get(page, "users");
                for (size_t i = 0; i < json_array_size(users); i++)
                        assert_string_equal(document_get_string(json_array_get(users, i), "name"), names[seen++]);
                const char *next = document_get_string(page, "nextCursor");
                free(path);
                path = next ? text_format("/users?limit=2&cursor=%s", next) : NULL;
        }
        assert_int_equal(seen, COUNT_OF(names));
        auto_free char *headers = rest_bearer(fixture->administrator);
        auto_reply *odd = ask(fixture->connection, "GET", "/users?cursor=odd", headers, NULL);
        assert_non_null(strstr(odd->body, "\"invalid_cursor\""));
}

static void the_audit_is_walked_from_new_to_old(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_free char *path = text_copy("/audit?limit=1");
        size_t seen = 0;

        free(rest_key(fixture, "ann", NULL));
        while (path) {
                auto_json *page = get(fixture, path);
                seen += json_array_size(json_object_get(page, "entries"));
                const char *next = document_get_string(page, "nextCursor");
                free(path);
                path = next ? text_format("/audit?limit=1&cursor=%s", next) : NULL;
        }
        assert_int_equal(seen, 4);
}

static void explain_names_the_binding_that_gives_a_permission(void **state)
{
        struct rest_fixture *fixture = *state;

        rest_environment(fixture, "main");
        free(rest_key_in(fixture, "vera", "Viewer", "main"));
        auto_json *given = get(fixture, "/access/explain?user=vera&permission=tasks:view&environment=main");
        assert_true(json_is_true(json_object_get(given, "allowed")));
        json_t *reason = json_array_get(json_object_get(given, "reasons"), 0);
        assert_string_equal(document_get_string(reason, "role"), "Viewer");
        assert_string_equal(document_get_string(reason, "environment"), "main");
        auto_json *refused = get(fixture, "/access/explain?user=vera&permission=tasks:create&environment=main");
        assert_false(json_is_true(json_object_get(refused, "allowed")));
}

static void the_openapi_document_has_every_route(void **state)
{
        struct rest_fixture *fixture = *state;
        auto_json *document = get(fixture, "/openapi.json");
        json_t *paths = json_object_get(document, "paths");

        for (size_t row = 0; row < route_count; row++) {
                if (!route_operation(row))
                        continue;
                auto_text path = TEXT_WITH_MAXIMUM(500);
                for (const char *at = routes[row].path; *at; at++) {
                        if (*at == ':' || *at == '*') {
                                size_t length = strcspn(at, "/");
                                text_printf(&path, "{%.*s}", (int)length - 1, at + 1);
                                at += length - 1;
                        } else {
                                text_append(&path, at, 1);
                        }
                }
                auto_free char *method = text_copy(routes[row].method);
                for (char *at = method; *at; at++)
                        *at |= 0x20;
                if (!json_object_get(json_object_get(paths, text_string(&path)), method))
                        fail_msg("the document has no %s %s", method, text_string(&path));
        }
        assert_string_equal(document_get_string(document, "openapi"), "3.1.0");
}

/* A browser's page listens with its session, a program with its key. */
static void the_openapi_document_says_how_streams_are_let_in(void **state)
{
        static const char *const paths[] = {"/events", "/tasks/{id}/stream", "/uploads",
                                            "/tasks/{taskId}/files/{path}"};
        struct rest_fixture *fixture = *state;
        auto_json *document = get(fixture, "/openapi.json");
        json_t *schemes = json_object_get(json_object_get(document, "components"), "securitySchemes");

        assert_string_equal(document_get_string(json_object_get(schemes, "session"), "in"), "cookie");
        assert_string_equal(document_get_string(json_object_get(schemes, "bearer"), "scheme"), "bearer");
        for (size_t i = 0; i < COUNT_OF(paths); i++) {
                json_t *item = json_object_get(json_object_get(document, "paths"), paths[i]);
                auto_free char *security = document_print(json_object_get(json_object_get(item, "get"), "security"));
                assert_string_equal(security, "[{\"bearer\":[]},{\"session\":[]}]");
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rest_set_up, rest_tear_down)

int run_refusal_tests(void)
{
        const struct CMUnitTest tests[] = {
                TEST(no_route_answers_without_a_credential),
                TEST(every_route_names_the_field_that_it_does_not_know),
                TEST(a_body_must_be_an_object_and_the_path_is_not_said_twice),
                TEST(pages_follow_each_other_without_gap_or_repetition),
                TEST(the_audit_is_walked_from_new_to_old),
                TEST(explain_names_the_binding_that_gives_a_permission),
                TEST(the_openapi_document_has_every_route),
                TEST(the_openapi_document_says_how_streams_are_let_in),
        };

        return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
